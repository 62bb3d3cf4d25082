internal import ISOBMFF
internal import MediaCore

/// How other tags get into a file: what it will be, and the steps that lead there in place, if there are any.
///
/// Whichever way is taken, the file becomes what `output` says: what was before the movie box, the new one, free space,
/// and what followed.
struct TagPlan {
  /// The changed file.
  let output: OutputPlan
  let method: Tagger.Method
  /// The steps in place; `nil` where the file has to be written anew.
  let steps: [EditStep]?
  /// Free bytes after the movie box.
  let padding: UInt64

  /// Free space that is left, at least, so that the next changes fit: a few lines of text.
  static let leastPadding: UInt64 = 4096
  /// Free space at the end of a file above which it is made shorter.
  static let mostPadding: UInt64 = 1 << 20
  /// Above this size of what follows the movie box, the kernel copies it fastest if it moves by whole units.
  private static let largeRest: UInt64 = 1 << 20

  /// - Parameter file: what the file system can do; `nil` if nothing may be changed in place.
  /// - Returns: `nil` if nothing would change.
  /// - Throws: `MP4Error`.
  init?(_ movie: MP4Demuxer, _ changes: TagChanges, file: EditableFile?, limits: BoxLimits) throws(MP4Error) {
    guard var layout = try TagLayout(movie) else {
      throw MP4Error(.cannotBeCarriedOver, file: movie.reader.source.name)
    }
    let narrow = try TaggedMovieBox(movie, changes, isWide: false)
    if UInt64(narrow.bytes.count) == layout.moov.end - layout.moov.offset,
      try movie.reader.exactly(layout.moov.end - layout.moov.offset, at: layout.moov.offset) == narrow.bytes
    {
      return nil
    }
    var places = try TagPlaces(movie, layout)
    if places.isSpaceUsed {
      layout = layout.withoutSpaceAfter()
      places = try TagPlaces(movie, layout)
    }
    if let plan = try TagPlan.inPlace(movie, narrow, changes, &places, file: file, limits) {
      self = plan
      return
    }
    let room = TagPlan.newRoom(for: UInt64(narrow.bytes.count), movie, layout)
    // Offsets that grow beyond 32 bits get 64.
    let isWide = max(layout.size, layout.moov.offset + room + layout.size) > UInt64(UInt32.max)
    let box = isWide ? try TaggedMovieBox(movie, changes, isWide: true) : narrow
    let finished = FinishedFile(
      moved: MovedOffsets(
        movie: movie, layout: layout, room: TagPlan.newRoom(for: UInt64(box.bytes.count), movie, layout)), box: box)
    output = try finished.plan(limits)
    method = .rewritten
    steps = nil
    padding = finished.padding
  }

  private init?(_ builder: TagStepBuilder, _ method: Tagger.Method, _ limits: BoxLimits) throws(MP4Error) {
    guard let steps = try builder.steps() else { return nil }
    output = try builder.finished.plan(limits)
    self.method = method
    self.steps = steps
    padding = builder.finished.padding
  }

  /// The plan to change the file in place; `nil` if that is not possible.
  private static func inPlace(
    _ movie: MP4Demuxer, _ narrow: TaggedMovieBox, _ changes: TagChanges, _ places: inout TagPlaces,
    file: EditableFile?, _ limits: BoxLimits
  ) throws(MP4Error) -> TagPlan? {
    guard let file, places.canBeMoved, file.blockSize >= 512, file.blockSize <= 1 << 20 else { return nil }
    let (layout, count) = (places.layout, UInt64(narrow.bytes.count))
    func finished(_ box: TaggedMovieBox, room: UInt64) -> FinishedFile {
      FinishedFile(moved: MovedOffsets(movie: movie, layout: layout, room: room), box: box)
    }
    if layout.isBeforeMedia, movie.layout == .fragmented {
      let builder = SpareStepBuilder(movie: movie, layout: layout, box: narrow)
      guard let (steps, output, padding) = try builder.steps() else { return nil }
      do throws(MP4Error) { try output.checkSamples(of: movie, limits: limits, mayBeDamaged: true) } catch {
        // Samples lie in the free space.
        guard case .cannotBeCarriedOver = error.code else { throw error }
        return nil
      }
      return TagPlan(output: output, method: .inPadding, steps: steps, padding: padding)
    }
    let isLast = !layout.isBeforeMedia && places.areChunksBefore
    let fits = count == layout.room || count + 8 <= layout.room
    if fits, !isLast || layout.room - count <= mostPadding {
      let builder = TagStepBuilder(
        places: places, finished: finished(narrow, room: layout.room), inserted: 0, blockSize: file.blockSize,
        isLast: false)
      return try TagPlan(builder, .inPadding, limits)
    }
    if isLast {
      let room = (layout.moov.offset + count + leastPadding).roundedUp(to: file.blockSize) - layout.moov.offset
      let builder = TagStepBuilder(
        places: places, finished: finished(narrow, room: room), inserted: 0, blockSize: file.blockSize, isLast: true)
      return try TagPlan(builder, .atEnd, limits)
    }
    guard file.insertsAtomically, places.mayShift(blockSize: file.blockSize) else { return nil }
    // Offsets may grow by what is appended and inserted: near 4 GiB they get 64 bits beforehand.
    let isWide = layout.size + FastStartPlan.maximumCopy * 4 + count * 8 > UInt64(UInt32.max)
    let box = isWide ? try TaggedMovieBox(movie, changes, isWide: true) : narrow
    let wanted = UInt64(box.bytes.count) + leastPadding
    let inserted = (max(wanted, layout.room + 1) - layout.room).roundedUp(to: file.blockSize)
    guard try places.findHeads(blockSize: file.blockSize) else { return nil }
    let builder = TagStepBuilder(
      places: places, finished: finished(box, room: layout.room + inserted), inserted: inserted,
      blockSize: file.blockSize, isLast: false)
    return try TagPlan(builder, .inserted(bytes: inserted), limits)
  }

  private init(output: OutputPlan, method: Tagger.Method, steps: [EditStep], padding: UInt64) {
    self.output = output
    self.method = method
    self.steps = steps
    self.padding = padding
  }

  /// Bytes from the start of the movie box to what follows it and its free space, in a file that is written anew.
  private static func newRoom(for count: UInt64, _ movie: MP4Demuxer, _ layout: TagLayout) -> UInt64 {
    // In fragments, the next movie box has to fit beside this one.
    let wanted = movie.layout == .fragmented ? count * 2 + leastPadding + 16 : count + leastPadding
    let rest = layout.size - layout.regionEnd
    let unit = rest >= largeRest ? FileSink.kernelCopyUnit : 512
    // A multiple of the unit more than before: then the kernel need not split its pages.
    guard wanted > layout.room else { return layout.room - (layout.room - wanted) / unit * unit }
    return layout.room + (wanted - layout.room).roundedUp(to: unit)
  }
}

/// A file with its tags changed, as a whole.
struct FinishedFile {
  let moved: MovedOffsets
  let box: TaggedMovieBox

  /// Free bytes after the movie box.
  var padding: UInt64 { moved.room - UInt64(box.bytes.count) }

  /// The movie box as it is in the end.
  ///
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver`, `.itemTooFar`.
  func movieBox() throws(MP4Error) -> [UInt8] {
    let bytes = box.moved(moved.target)
    return MovedOffsets.hasOtherPlaces(moved.movie.moov) ? try moved.located(bytes) : bytes
  }

  /// The movie box, and what is written of the free space after it if that ends where it did: no more than its header,
  /// and zeros over what is left of the old box. It may be longer than what fits in memory.
  func region(_ movieBox: [UInt8]) -> [UInt8] {
    guard padding > 0 else { return movieBox }
    let bytes = movieBox + [UInt8].freeHeader(padding)
    let old = Int(moved.layout.moov.end - moved.layout.moov.offset)
    return bytes + [UInt8](repeating: 0, count: max(old - bytes.count, 0))
  }

  /// The whole file, checked to have the samples of the movie.
  ///
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver`, `.itemTooFar`, `.source`, `.box`.
  func plan(_ limits: BoxLimits) throws(MP4Error) -> OutputPlan {
    let (movie, layout) = (moved.movie, moved.layout)
    let box = try movieBox()
    let isSameRoom = moved.room == layout.room
    let written = isSameRoom ? region(box) : box + .free(Int(padding))
    let region = (layout.moov.offset, isSameRoom ? UInt64(written.count) : layout.room, written)
    let patches = try moved.patches().map { ($0.offset, UInt64($0.bytes.count), $0.bytes) }
    var plan = OutputPlan()
    var end: UInt64 = 0
    for (offset, count, bytes) in (patches + [region]).sorted(by: { $0.0 < $1.0 }) {
      plan.append(movie.reader, offset: end, count: offset - end)
      plan.append(bytes)
      end = offset + count
    }
    plan.append(movie.reader, offset: end, count: layout.size - end)
    try plan.checkSamples(of: movie, limits: limits, mayBeDamaged: true)
    return plan
  }
}
