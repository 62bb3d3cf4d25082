internal import ISOBMFF
internal import MediaCore

/// Turns a recording that grew in fragments into an ordinary movie with its index first, in place and without copying.
///
/// A recording begins with `ftyp`, a `free` box that ends at a block boundary of the file system, and the `moov` of an
/// empty movie; fragments follow, whose offsets all count from the fragment. Finishing makes room in the `free` box and
/// puts the index there:
///
///     ftyp  free ....................  moov  moof mdat  moof mdat     a recording
///     ftyp  free ............ ......  moov  moof mdat  moof mdat      a range inserted: fragments do not mind moving
///     ftyp  free [moov mdat]          moov  moof mdat  moof mdat      the index written, but hidden in `free`
///     ftyp  moov  mdat .......................................       eight bytes changed: the index shows
///
/// A crash between two of these steps leaves a file that plays: until the last step it is the recording, from then on
/// the movie. Time and space depend on the size of the index, not of the media.
///
/// The index is made from the fragments in the file, not from what the recorder remembers. So recording for hours
/// takes no more memory than for seconds, and the same code finishes a recording that a crash left behind.
public struct RecordingFinisher {
  private let path: String
  /// Called after each change, so that a test can look at what a crash would leave.
  private let changed: () throws(SinkError) -> Void

  /// A finisher of the recording at a path.
  public init(path: String) {
    self.init(path: path) { () throws(SinkError) in }
  }

  init(path: String, changed: @escaping () throws(SinkError) -> Void) {
    self.path = path
    self.changed = changed
  }

  /// Finishes the recording in place.
  ///
  /// - Returns: whether that was possible. If not (the file begins differently, the file system cannot insert ranges,
  ///   or another process is reading the file), it is unchanged or has more room at the start, and a `Remuxer` has to
  ///   do it.
  /// - Throws: `MP4Error`: the recording cannot be read, or `.sink`: it cannot be written, and is then still playable.
  public func run() throws(MP4Error) -> Bool {
    let file: EditableFile
    let source: FileSource
    do throws(SinkError) {
      guard let locked = try EditableFile.locked(path: path) else { return false }
      file = locked
      source = try file.source()
    } catch {
      if error.code == .inUse { return false }
      throw MP4Error(.sink(error), file: path)
    }
    let movie = try MP4Demuxer(source: source)
    guard let room = try RecordingRoom(movie.reader, blockSize: file.blockSize) else { return false }
    let finished = try FinishedHead(movie, room: room)
    do throws(SinkError) {
      guard try makeRoom(room, until: finished.room.end, in: file) else { return false }
      // What makes it visible comes last, and fits in a sector: it is written whole or not at all.
      try file.write(Array(finished.bytes.dropFirst(8)), at: room.start + 8)
      try settle(file)
      try file.write(Array(finished.bytes.prefix(8)), at: room.start)
      try settle(file)
      return true
    } catch {
      throw MP4Error(.sink(error), file: path)
    }
  }

  /// Inserts ranges until the room ends where it has to.
  ///
  /// Each is as long as the part of the room after the insertion. So until the room's new length is written, it ends
  /// where that part now begins: with a `free` header for the rest, put there beforehand.
  private func makeRoom(_ room: RecordingRoom, until end: UInt64, in file: EditableFile) throws(SinkError) -> Bool {
    var room = room
    while room.end < end {
      guard file.insertsAtomically else { return false }
      try file.write(BoxHeader(type: "free").written(payloadSize: room.step - 8), at: room.insertion)
      try settle(file)
      guard try file.insert(room.step, at: room.insertion) else { return false }
      try changed()
      room.grow()
      try file.write(BoxHeader(type: "free").written(payloadSize: room.size - 8), at: room.start)
      try settle(file)
    }
    return true
  }

  private func settle(_ file: EditableFile) throws(SinkError) {
    try changed()
    try file.sync()
  }
}

/// The `free` box at the start of a recording, which has room for its index.
struct RecordingRoom {
  /// Where the box begins, after `ftyp`.
  let start: UInt64
  /// Where it ends: at a block boundary of the file system.
  private(set) var end: UInt64
  /// Where ranges are inserted: at the first block boundary inside the box.
  let insertion: UInt64

  /// The room in a file, if the file begins like a recording.
  init?(_ reader: SourceReader, blockSize: UInt64) throws(MP4Error) {
    var parser = BoxParser(reader)
    var boxes: [BoxHeader] = []
    do throws(BoxError) {
      for _ in 0..<3 {
        guard let box = try parser.header(at: boxes.last?.end ?? 0, limit: reader.size) else { return nil }
        boxes.append(box)
      }
    } catch {
      throw MP4Error(error, file: reader.source.name)
    }
    guard boxes.map(\.type) == ["ftyp", "free", "moov"], boxes[1].headerSize == 8 else { return nil }
    start = boxes[1].offset
    end = boxes[1].end
    insertion = (start + 8).roundedUp(to: blockSize)
    let sector: UInt64 = 512
    guard end % blockSize == 0, insertion < end, start / sector == (start + 7) / sector else { return nil }
  }

  var size: UInt64 { end - start }
  /// The size of the next range.
  var step: UInt64 { end - insertion }

  /// Counts a range as inserted.
  mutating func grow() { end += step }
}

/// What replaces the room: the index, and the header of a media box around everything that follows.
private struct FinishedHead {
  private(set) var room: RecordingRoom
  private(set) var bytes: [UInt8] = []

  init(_ movie: MP4Demuxer, room: RecordingRoom) throws(MP4Error) {
    var options = Remuxer.Options()
    options.recover = true
    var remux = ProgressiveRemux(movie, tracks: Array(movie.describedTracks), options: options)
    let index = try remux.index()
    self.room = room
    for isWide in [false, true] {
      let size = index.size(isWide: isWide)
      self.room = room
      while self.room.size < size + UInt64(MediaHeader.size) { self.room.grow() }
      let moved = self.room.end - room.end
      let end = movie.reader.size + moved
      if end > UInt64(UInt32.max), !isWide { continue }
      var plan = index.laidOut(isWide: isWide, at: room.start) { $0 + moved }
      plan.append(MediaHeader.written(payloadSize: end - room.start - size - UInt64(MediaHeader.size)))
      bytes = try plan.bytes()
      return
    }
  }
}
