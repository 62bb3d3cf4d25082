internal import ISOBMFF
internal import MediaCore

/// Puts a progressive output together: file type, index and media, in the order asked for.
struct ProgressiveAssembler {
  private let movie: MP4Demuxer
  private let moov: BoxNode
  private let chunkOffsets: [[UInt64]]
  private let extents: MediaExtents
  private let isIndexFirst: Bool

  init(_ movie: MP4Demuxer, moov: (moov: BoxNode, chunkOffsets: [[UInt64]]), extents: MediaExtents, isIndexFirst: Bool)
  {
    self.movie = movie
    self.moov = moov.moov
    chunkOffsets = moov.chunkOffsets
    self.extents = extents
    self.isIndexFirst = isIndexFirst
  }

  /// The plan. Offsets depend on the index's size and the index's size on whether offsets need 64 bits: so it is laid
  /// out with 32, and again with 64 if that turns out too small.
  func plan() -> OutputPlan {
    let narrow = plan(isWide: false)
    return narrow.count <= UInt64(UInt32.max) ? narrow : plan(isWide: true)
  }

  private func plan(isWide: Bool) -> OutputPlan {
    var head = OutputPlan()
    if let fileType = movie.fileType { head.append(BoxNode("ftyp", fileType), from: movie.reader) }
    var extras = OutputPlan()
    for box in movie.extraBoxes { extras.append(movie.reader, offset: box.offset, count: box.end - box.offset) }
    let media = BoxHeader(type: "mdat").written(payloadSize: extents.count)
    // The index is as long whatever the offsets in it are: laid out once to know its size, once for good.
    let indexSize = isIndexFirst ? index(isWide: isWide, base: 0).count : 0
    let base = head.count + indexSize + extras.count + UInt64(media.count)
    let index = index(isWide: isWide, base: base)

    var plan = head
    if isIndexFirst { plan.append(index) }
    plan.append(extras)
    plan.append(media)
    for extent in extents.extents { plan.append(movie.reader, offset: extent.offset, count: extent.count) }
    if !isIndexFirst { plan.append(index) }
    return plan
  }

  private func index(isWide: Bool, base: UInt64) -> OutputPlan {
    var moov = moov
    var number = 0
    for place in moov.children.indices where moov.children[place].type == "trak" {
      let offsets = chunkOffsets[number].map { base &+ (extents.target(of: $0) ?? 0) }
      moov.children[place].changeSampleTable { stbl in
        stbl.children.append(ProgressiveAssembler.box(offsets, isWide: isWide))
      }
      number += 1
    }
    var plan = OutputPlan()
    plan.append(moov, from: movie.moovReader)
    return plan
  }

  private static func box(_ offsets: [UInt64], isWide: Bool) -> BoxNode {
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
