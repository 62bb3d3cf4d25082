internal import ISOBMFF
internal import MediaCore

/// Builds the steps that put another movie box into a file, each of which leaves a complete movie.
///
/// The movie box cannot be overwritten atomically. So the new one is first put at the end of the file, and the header
/// of the old one is turned into that of a `free` box that reaches up to it. Then there is time to write the final box
/// to where the old one was; its first bytes, written last, end the `free` box and make it the one that is found.
///
///     before      ftyp │ moov        │ mdat …
///     appended    ftyp │ moov        │ mdat … │ free: (moov)
///     parked      ftyp │ free: …                      (moov)
///     filled      ftyp │ free: (final moov, free, mdat …) moov
///     finished    ftyp │ moov │ free │ mdat … │ free: (moov)
///
/// If room has to be inserted, all after it moves at once, and the chunk offsets are to change at this very moment. So
/// the `free` box ends at an offset at which there is the old movie box before the insertion, and after it what was
/// that much earlier: the header of another `free` box, which leads to the new movie box.
///
///     parked      ftyp │ free: … (free header) … │ old moov │ free: (moov)
///     inserted    ftyp │ free: …                 │ free: (old moov) │ moov
struct TagStepBuilder {
  let places: TagPlaces
  let finished: FinishedFile
  /// Bytes that are inserted, a multiple of the block size.
  let inserted: UInt64
  /// The file system's, in bytes.
  let blockSize: UInt64
  /// Whether only `extras` follow the movie box, which are written after it again.
  let isLast: Bool

  private var movie: MP4Demuxer { places.movie }
  private var layout: TagLayout { places.layout }
  /// Where the room is inserted.
  private var insertionOffset: UInt64 { places.insertionOffset(blockSize) }
  /// Where the final movie box and what is written with it end.
  private var writtenEnd: UInt64 { layout.moov.offset + finished.moved.room }

  /// What is appended to the file: a `free` box with the parked movie box in it.
  private struct Appendix {
    var bytes = [UInt8](repeating: 0, count: 8)
    let start: UInt64
    /// Where the `free` box in place of the old movie box ends.
    var parked: UInt64 = 0
    var end: UInt64 { start + UInt64(bytes.count) }
  }

  /// The steps; `nil` if a size does not fit in its field.
  ///
  /// - Throws: `MP4Error` `.source`, if the file cannot be read.
  func steps() throws(MP4Error) -> [EditStep]? {
    let rest = isLast ? try load(layout.regionEnd, layout.size - layout.regionEnd) : []
    guard UInt64(rest.count) <= FastStartPlan.maximumCopy else { return nil }
    let final = try finished.movieBox()
    let appendix = inserted > 0 ? try insertedAppendix() : try appendix(final, after: UInt64(rest.count))
    guard let appendix, appendix.bytes.count <= UInt32.max else { return nil }
    let header = [UInt8].freeHeader(appendix.parked - layout.moov.offset)
    let size = UInt64(header.count)
    let shorten: [FileEdit] = [.truncate(layout.size)]
    let close: [FileEdit] = [.write(try load(layout.moov.offset, size), at: layout.moov.offset), .sync] + shorten
    var steps: [EditStep] = []
    func add(_ edit: FileEdit, undo: [FileEdit] = []) { steps.append(EditStep(edit: edit, undo: undo)) }

    add(.reserve(UInt64(appendix.bytes.count), at: appendix.start), undo: shorten)
    add(.write(appendix.bytes, at: appendix.start), undo: shorten)
    add(.sync, undo: shorten)
    add(.write(header, at: layout.moov.offset), undo: close)
    add(.sync, undo: close)
    if inserted > 0 {
      add(.insert(inserted, at: insertionOffset), undo: close)
      // A full disk is noticed here, while everything can still be undone.
      let collapse = FileEdit.collapse(inserted, at: insertionOffset)
      add(.reserve(inserted, at: insertionOffset), undo: [collapse] + close)
      // What is written now covers media that lies where it was, should a power cut take the insertion back.
      if insertionOffset > layout.regionEnd { add(.sync, undo: [collapse] + close) }
    }
    let content = try self.content(final, rest: rest, appendixEnd: appendix.end)
    add(.write(Array(content.dropFirst(header.count)), at: layout.moov.offset + size))
    add(.sync)
    add(.write(Array(content.prefix(header.count)), at: layout.moov.offset))
    add(.sync)
    add(.truncate(isLast ? writtenEnd + UInt64(rest.count) : layout.size + inserted))
    return steps
  }

  /// What is written in place of the old movie box: the new one, free space, and what follows if it has to move.
  private func content(_ final: [UInt8], rest: [UInt8], appendixEnd: UInt64) throws(MP4Error) -> [UInt8] {
    guard isLast || inserted > 0 else { return finished.region(final) }
    var bytes = final + .free(Int(finished.padding))
    if inserted > 0, insertionOffset > layout.regionEnd {
      bytes += try load(layout.regionEnd, insertionOffset - layout.regionEnd)
    }
    guard isLast else { return bytes }
    bytes += rest
    // The file will end here: until then, a box covers what is still there.
    return bytes + [UInt8].freeHeader(appendixEnd - layout.moov.offset - UInt64(bytes.count))
  }

  // MARK: After the file

  /// The movie box, and copies of boxes that would not be found while it is parked.
  private func appendix(_ final: [UInt8], after rest: UInt64) throws(MP4Error) -> Appendix? {
    var appendix = Appendix(start: layout.size)
    // What is written in place must not reach the parked box: it may be longer than what was there.
    let needed = writtenEnd + rest + 8
    if isLast, needed > appendix.end {
      appendix.bytes += [UInt8](repeating: 0, count: Int(needed - appendix.end))
    }
    appendix.parked = appendix.end
    appendix.bytes += final
    for box in layout.extras { appendix.bytes += try load(box.offset, box.end - box.offset) }
    TagStepBuilder.close(&appendix)
    return appendix
  }

  /// The same, for an insertion: both movie boxes.
  private func insertedAppendix() throws(MP4Error) -> Appendix? {
    var appendix = Appendix(start: layout.size)
    guard places.heads.reduce(0, { $0 &+ $1.count }) <= FastStartPlan.maximumCopy else { return nil }
    let offset = insertionOffset
    var interim = finished.box.moved { $0 >= offset ? $0 &+ inserted : $0 }
    for head in places.heads {
      finished.box.set(head.index, of: head.trackID, to: appendix.end + inserted, in: &interim)
      appendix.bytes += try load(head.offset, head.count)
    }
    let jump = appendix.bytes.count
    appendix.bytes += [UInt8](repeating: 0, count: Int(inserted))
    appendix.parked = appendix.end
    appendix.bytes += try load(layout.moov.offset, layout.moov.end - layout.moov.offset)
    appendix.bytes += BoxHeader(type: "free").written(payloadSize: UInt64(interim.count))
    let target = appendix.end + inserted
    appendix.bytes.replaceSubrange(jump..<(jump + 8), with: [UInt8].freeHeader(target - appendix.parked))
    appendix.bytes += interim
    for box in layout.extras { appendix.bytes += try load(box.offset, box.end - box.offset) }
    TagStepBuilder.close(&appendix)
    return appendix
  }

  /// Sets the size of the `free` box that hides all of it.
  private static func close(_ appendix: inout Appendix) {
    appendix.bytes.replaceSubrange(..<8, with: [UInt8].freeHeader(UInt64(appendix.bytes.count)))
  }

  private func load(_ offset: UInt64, _ count: UInt64) throws(MP4Error) -> [UInt8] {
    try movie.reader.exactly(count, at: offset)
  }
}
