internal import ISOBMFF
internal import MediaCore

/// The movie box of a movie whose media moves in the file: only its chunk offsets change.
struct ShiftedMovieBox {
  /// A chunk that the room would split, so it is temporarily copied elsewhere.
  struct SplitChunk {
    let trackID: UInt32
    /// Its index among the chunks of the track.
    let index: Int
    let offset: UInt64
    let count: UInt64
  }

  /// Bytes that are inserted: room for the movie box, padding, the media's new header, and the media before the room.
  let room: UInt64
  let split: [SplitChunk]
  /// Total size in bytes of the chunks that it splits.
  let splitSize: UInt64
  /// The movie box as it was in the file, except for offsets that need more bits.
  private let bytes: [UInt8]
  private let tables: [ChunkOffsetTable]
  private let layout: FastStartLayout

  /// `nil` if chunks lie where they cannot be moved.
  init?(_ movie: MP4Demuxer, _ layout: FastStartLayout) throws(MP4Error) {
    self.layout = layout
    let tracks = movie.describedTracks.filter { !$0.index.isExternal }
    var split: [SplitChunk] = []
    for track in tracks {
      guard let found = try ShiftedMovieBox.chunks(of: track, in: layout) else { return nil }
      split += found
    }
    splitSize = split.reduce(0) { $0 + $1.count }
    guard splitSize <= FastStartPlan.maximumCopy else { return nil }
    self.split = split
    let size = layout.moov.end - layout.moov.offset
    // Offsets may grow by twice the index and what is copied: near 4 GiB they get 64 bits beforehand.
    if layout.size + FastStartPlan.maximumCopy * 4 + size * 4 > UInt64(UInt32.max) {
      var plan = OutputPlan()
      plan.append(try movie.widened(movie.moov), from: movie.moovReader)
      bytes = try plan.bytes()
      tables = try movie.chunkOffsetTables(in: bytes)
    } else {
      bytes = try movie.reader.exactly(size, at: layout.moov.offset)
      tables = tracks.compactMap { ChunkOffsetTable($0.index.table, trackID: $0.id, boxOffset: layout.moov.offset) }
    }
    let inFront = layout.insertionOffset - layout.media.payloadOffset
    room = (UInt64(bytes.count) + 8 + layout.newHeaderSize + inFront).roundedUp(to: layout.blockSize)
  }

  /// The chunks that the room would split. `nil` if one does not lie inside one of the media boxes: it may then contain
  /// something that moving the index changes, above all the old index itself.
  private static func chunks(of track: MovieTrack, in layout: FastStartLayout) throws(MP4Error) -> [SplitChunk]? {
    var found: [SplitChunk] = []
    var areInMedia = true
    try track.index.table.eachChunk { index, offset, count in
      areInMedia = layout.isMedia(offset, count)
      if offset < layout.insertionOffset, count > layout.insertionOffset - offset {
        found.append(SplitChunk(trackID: track.id, index: index, offset: offset, count: count))
      }
      return areInMedia
    }
    return areInMedia ? found : nil
  }

  /// The movie box for the time when the room exists but is empty: chunks before it have not moved, and split ones are
  /// found where they were copied to.
  ///
  /// - Parameter copies: where the copy of each split chunk is, the insertion included.
  func interim(copies: [UInt64]) -> [UInt8] {
    var box = shifted(from: layout.insertionOffset)
    for (chunk, copy) in zip(split, copies) {
      guard let table = tables.first(where: { $0.trackID == chunk.trackID }) else { continue }
      table.set(chunk.index, to: copy, in: &box)
    }
    return box
  }

  /// The movie box for the time when the room is filled: everything in the media has moved.
  func final() -> [UInt8] {
    shifted(from: layout.media.payloadOffset)
  }

  /// The movie box with all chunk offsets from `start` on moved.
  private func shifted(from start: UInt64) -> [UInt8] {
    var box = bytes
    for table in tables {
      for index in 0..<table.count {
        let offset = table.offset(at: index, in: bytes)
        if offset >= start { table.set(index, to: offset &+ room, in: &box) }
      }
    }
    return box
  }
}
