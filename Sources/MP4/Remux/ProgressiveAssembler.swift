internal import ISOBMFF
internal import MediaCore

/// Puts a progressive output together: file type, index and media, in the order asked for.
struct ProgressiveAssembler {
  private let movie: MP4Demuxer
  private let index: ProgressiveIndex
  private let extents: MediaExtents
  private let isIndexFirst: Bool

  init(_ movie: MP4Demuxer, index: ProgressiveIndex, extents: MediaExtents, isIndexFirst: Bool) {
    self.movie = movie
    self.index = index
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
    for box in movie.extraBoxes { extras.append(box, from: movie.reader) }
    let media = BoxHeader(type: "mdat").written(payloadSize: extents.count)
    // The index is as long whatever the offsets in it are: laid out once to know its size, once for good.
    let indexSize = isIndexFirst ? index(isWide: isWide, base: 0, at: 0).count : 0
    let padding = padding(mediaAt: head.count + indexSize + extras.count + UInt64(media.count))
    let base = head.count + indexSize + extras.count + UInt64(padding.count) + UInt64(media.count)
    let index = index(isWide: isWide, base: base, at: isIndexFirst ? head.count : base + extents.count)

    var plan = head
    if isIndexFirst { plan.append(index) }
    plan.append(extras)
    plan.append(padding)
    plan.append(media)
    for extent in extents.extents { plan.append(movie.reader, offset: extent.offset, count: extent.count) }
    if !isIndexFirst { plan.append(index) }
    return plan
  }

  /// A `free` box that moves the media to where the kernel copies it best: as far into a unit of copying as in the
  /// source. Nothing for small files, where it would weigh more than it saves.
  private func padding(mediaAt base: UInt64) -> [UInt8] {
    let unit = FileSink.kernelCopyUnit
    guard extents.count >= ProgressiveAssembler.paddedSize,
      let longest = extents.extents.max(by: { $0.count < $1.count })
    else { return [] }
    var count = (longest.offset &- (base + longest.target)) % unit
    if count == 0 { return [] }
    if count < 8 { count += unit }
    return BoxHeader(type: "free").written(payloadSize: count - 8) + [UInt8](repeating: 0, count: Int(count - 8))
  }

  /// Media from this size on are aligned: 64 KiB are then at most a fifth of a percent.
  private static let paddedSize: UInt64 = 32 << 20

  /// The movie header, for media that begin at `base` and itself beginning at `place`.
  private func index(isWide: Bool, base: UInt64, at place: UInt64) -> OutputPlan {
    index.laidOut(isWide: isWide, at: place) { base &+ (extents.target(of: $0) ?? 0) }
  }
}
