internal import ISOBMFF
internal import MediaCore

/// A movie box with other tags, as bytes, whose file offsets can be set as the media moves.
///
/// What is not changed is taken from the file as it is, byte for byte.
struct TaggedMovieBox {
  /// The box, with the offsets of the file as it is.
  let bytes: [UInt8]
  private let tables: [ChunkOffsetTable]

  /// Makes the changes.
  ///
  /// - Parameter isWide: whether chunk offsets take 64 bits.
  /// - Throws: `MP4Error`: `.cannotBeCarriedOver` where a box that changes is damaged, `.source`, `.box`.
  init(_ movie: MP4Demuxer, _ changes: TagChanges, isWide: Bool) throws(MP4Error) {
    var editor = TagEditor(movie.moov)
    try editor.apply(changes)
    let moov = isWide ? try movie.widened(editor.moov) : editor.moov
    var payload = OutputPlan()
    let old = Dictionary(movie.moov.children.map { ($0.header.offset, $0) }) { first, _ in first }
    for child in moov.children {
      try TaggedMovieBox.append(child, old[child.header.offset], to: &payload, of: movie)
    }
    let end = movie.moov.children.last?.header.end ?? movie.moov.header.payloadOffset
    payload.append(movie.moovReader, offset: end, count: movie.moov.header.end - min(end, movie.moov.header.end))
    var plan = OutputPlan()
    plan.append(movie.moov.header.written(payloadSize: payload.count))
    plan.append(payload)
    guard plan.count <= FastStartPlan.maximumIndex else { throw TaggedMovieBox.refusal(movie) }
    bytes = try plan.bytes()
    tables = try movie.chunkOffsetTables(in: bytes)
  }

  private static func refusal(_ movie: MP4Demuxer) -> MP4Error {
    MP4Error(.cannotBeCarriedOver, file: movie.reader.source.name)
  }

  /// Adds a child of the movie box: as it is in the file, unless it has changed.
  private static func append(
    _ child: BoxNode, _ old: BoxNode?, to plan: inout OutputPlan, of movie: MP4Demuxer
  ) throws(MP4Error) {
    let (reader, header) = (movie.moovReader, child.header)
    // A new box has no offset yet, and no box lies in another one's header.
    guard let old else {
      // Behind a box that reaches to the end, it would be part of that.
      guard movie.moov.children.last.map({ !$0.header.isCut && $0.header.sizeForm != .toEnd }) ?? true else {
        throw refusal(movie)
      }
      return plan.append(child, from: reader)
    }
    if ["udta", "meta", "mvhd", "trak"].contains(child.type) {
      var (before, after) = (OutputPlan(), OutputPlan())
      before.append(old, from: reader)
      after.append(child, from: reader)
      let written = try before.bytes()
      if try after.bytes() != written {
        guard written == (try reader.exactly(header.end - header.offset, at: header.offset)) else {
          throw refusal(movie)
        }
        return plan.append(after)
      }
    }
    plan.append(reader, offset: header.offset, count: header.end - header.offset)
  }

  // MARK: Offsets

  /// The box with each chunk's offset changed.
  func moved(_ target: (UInt64) -> UInt64) -> [UInt8] {
    var box = bytes
    for table in tables {
      for index in 0..<table.count {
        table.set(index, to: target(table.offset(at: index, in: bytes)), in: &box)
      }
    }
    return box
  }

  /// Sets the offset of one chunk.
  func set(_ chunk: Int, of trackID: UInt32, to offset: UInt64, in box: inout [UInt8]) {
    tables.first { $0.trackID == trackID }?.set(chunk, to: offset, in: &box)
  }
}
