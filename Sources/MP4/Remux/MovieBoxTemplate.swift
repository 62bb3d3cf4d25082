internal import ISOBMFF
internal import MediaCore

/// The movie box of a progressive output, complete but for its chunk offsets, which depend on where the media goes.
struct MovieBoxTemplate {
  let moov: BoxNode
  /// Where the chunks of each track lie in the source.
  let chunkOffsets: [[UInt64]]
  /// What was left in the source when the header was read is copied from here.
  let reader: SourceReader

  /// Lays it out to begin at the file offset `start`, with each chunk where `target` says that it goes.
  ///
  /// - Parameter isWide: whether offsets take 64 bits. The size depends on that, and on nothing else given here.
  func laidOut(isWide: Bool, at start: UInt64, target: (UInt64) -> UInt64) -> OutputPlan {
    laidOut(isWide: isWide, at: start, target: target) { (_) throws(Never) in }
  }

  /// The same.
  ///
  /// - Parameter locate: fills in the other file offsets that it holds, which do not change its size either.
  func laidOut<Failure: Error>(
    isWide: Bool, at start: UInt64, target: (UInt64) -> UInt64, locate: (inout BoxNode) throws(Failure) -> Void
  ) throws(Failure) -> OutputPlan {
    var moov = moov
    var number = 0
    for child in moov.children.indices where moov.children[child].type == "trak" {
      let offsets = chunkOffsets[number].map(target)
      moov.children[child].changeSampleTable { stbl in
        stbl.children.append(.chunkOffsets(offsets, isWide: isWide))
      }
      number += 1
    }
    try locate(&moov)
    SampleEncryption.locate(in: &moov, at: start, reader: reader)
    var plan = OutputPlan()
    plan.append(moov, from: reader)
    return plan
  }
}

extension BoxNode {
  /// Where chunks lie, in 32 bits each or in 64.
  static func chunkOffsets(_ offsets: [UInt64], isWide: Bool) -> BoxNode {
    if isWide {
      var box = ChunkLargeOffsetBox()
      box.offsets = PackedTable(offsets)
      return BoxNode("co64", box)
    }
    var box = ChunkOffsetBox()
    box.offsets = PackedTable(offsets.map { UInt32(truncatingIfNeeded: $0) })
    return BoxNode("stco", box)
  }
}
