internal import ISOBMFF
internal import MediaCore

/// The movie box of a progressive output, complete except for its chunk offsets, which depend on where the media goes.
struct MovieBoxTemplate {
  let moov: BoxNode
  /// The offsets of each track's chunks in the source.
  let chunkOffsets: [[UInt64]]
  /// The source from which parts of its movie box that were not loaded are copied.
  let reader: SourceReader

  /// How many bytes it takes, wherever it and the chunks go.
  ///
  /// - Parameter isWide: whether chunk offsets take 64 bits.
  func size(isWide: Bool) -> UInt64 {
    laidOut(isWide: isWide, at: 0) { $0 }.count
  }

  /// Lays it out if it holds no file offsets other than those of chunks.
  func laidOut(isWide: Bool, at start: UInt64, target: (UInt64) -> UInt64) -> OutputPlan {
    laidOut(isWide: isWide, at: start, target: target) { (_) throws(Never) in }
  }

  /// Lays it out.
  ///
  /// - Parameters:
  ///   - isWide: whether chunk offsets take 64 bits.
  ///   - start: the file offset at which it begins.
  ///   - target: maps a chunk's offset in the source to its offset in the output.
  ///   - locate: fills in the other file offsets that it holds.
  func laidOut<Failure: Error>(
    isWide: Bool, at start: UInt64, target: (UInt64) -> UInt64, locate: (inout BoxNode) throws(Failure) -> Void
  ) throws(Failure) -> OutputPlan {
    var moov = moov
    var trackIndex = 0
    for child in moov.children.indices where moov.children[child].type == "trak" {
      let offsets = chunkOffsets[trackIndex].map(target)
      moov.children[child].changeSampleTable { stbl in
        stbl.children.append(.chunkOffsets(offsets, isWide: isWide))
      }
      trackIndex += 1
    }
    try locate(&moov)
    SampleEncryption.locate(in: &moov, at: start, reader: reader)
    var plan = OutputPlan()
    plan.append(moov, from: reader)
    return plan
  }
}

extension BoxNode {
  /// A table of chunk offsets, 32 or 64 bits each.
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
