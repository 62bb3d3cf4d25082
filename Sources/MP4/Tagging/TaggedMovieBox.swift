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
    var plan = OutputPlan()
    try TaggedMovieBox.append(moov, movie.moov, to: &plan, from: movie.moovReader)
    guard plan.count <= FastStartPlan.maximumIndex else { throw TaggedMovieBox.refusal(movie.moovReader) }
    bytes = try plan.bytes()
    tables = try movie.chunkOffsetTables(in: bytes)
  }

  private static func refusal(_ reader: SourceReader) -> MP4Error {
    MP4Error(.cannotBeCarriedOver, file: reader.source.name)
  }

  /// Adds a box: as it is in the file, unless it has changed. A tree of boxes has a bounded depth.
  private static func append(
    _ node: BoxNode, _ old: BoxNode?, to plan: inout OutputPlan, from reader: SourceReader
  ) throws(MP4Error) {
    guard let old else { return plan.append(node, from: reader) }
    let header = old.header
    // Leaves that were not read, such as tables, have no bytes here: they have not changed if their headers have not.
    if node.outline == old.outline, node.written == old.written {
      return plan.append(reader, offset: header.offset, count: header.end - header.offset)
    }
    guard let first = old.children.first, let last = old.children.last?.header else {
      guard !header.isCut else { throw refusal(reader) }
      return plan.append(node, from: reader)
    }
    // What is written after a box that reaches to the end would become a part of it.
    let isOpen = header.isCut || last.isCut || last.sizeForm == .toEnd
    guard !isOpen || node.children.last?.header.offset == last.offset else { throw refusal(reader) }
    var inside = OutputPlan()
    inside.append(reader, offset: header.payloadOffset, count: first.header.offset - header.payloadOffset)
    let olds = Dictionary(old.children.map { ($0.header.offset, $0) }) { first, _ in first }
    // A new box has no offset yet, and no box lies in another one's header.
    for child in node.children { try append(child, olds[child.header.offset], to: &inside, from: reader) }
    inside.append(reader, offset: last.end, count: header.end - last.end)
    plan.append(node.header.written(payloadSize: inside.count))
    plan.append(inside)
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

extension BoxNode {
  /// Where its boxes were in the file, those inside each after it; 0 for new ones.
  fileprivate var outline: [UInt64] {
    [header.offset] + children.flatMap(\.outline)
  }
}
