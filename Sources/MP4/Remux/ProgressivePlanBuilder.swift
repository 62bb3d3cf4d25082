internal import ISOBMFF
internal import MediaCore

/// Builds the plan of a progressive output: file type, index and media, in the order asked for.
struct ProgressivePlanBuilder {
  private let movie: MP4Demuxer
  private let index: MovieBoxTemplate
  private let extents: MediaExtents
  private let extras: ExtraBoxes
  private let isIndexFirst: Bool

  init(
    _ movie: MP4Demuxer, index: MovieBoxTemplate, extents: MediaExtents, extras: ExtraBoxes, isIndexFirst: Bool
  ) {
    self.extras = extras
    self.movie = movie
    self.index = index
    self.extents = extents
    self.isIndexFirst = isIndexFirst
  }

  /// The plan. Offsets depend on the index's size and the index's size on whether offsets need 64 bits: so it is laid
  /// out with 32, and again with 64 if that turns out too small.
  ///
  /// - Throws: `MP4Error` `.itemTooFar`.
  func plan() throws(MP4Error) -> OutputPlan {
    let narrow = try plan(isWide: false)
    return narrow.count <= UInt64(UInt32.max) ? narrow : try plan(isWide: true)
  }

  private func plan(isWide: Bool) throws(MP4Error) -> OutputPlan {
    var head = OutputPlan()
    if let fileType = movie.fileType { head.append(BoxNode("ftyp", fileType), from: movie.reader) }
    let media = BoxHeader(type: "mdat").written(payloadSize: extents.count)
    // The index is as long whatever the offsets in it are: laid out once to know its size, once for good.
    let indexSize = index.laidOut(isWide: isWide, at: 0) { $0 }.count
    let front = head.count
    let middle = front + extras.size(.front) + (isIndexFirst ? indexSize : 0)
    let start = middle + extras.size(.middle) + UInt64(media.count)
    let padding = padding(mediaAt: start)
    let base = start + UInt64(padding.count)
    let back = base + extents.count + (isIndexFirst ? 0 : indexSize)
    let target: (UInt64) -> UInt64? = { [extents] offset in extents.target(of: offset).map { base + $0 } }
    let index = try index.laidOut(
      isWide: isWide, at: isIndexFirst ? middle - indexSize : back - indexSize, target: { target($0) ?? base }
    ) { (moov) throws(MP4Error) in
      try extras.locate(in: &moov, [.front: front, .middle: middle, .back: back], target)
    }

    var plan = head
    plan.append(try extras.plan(.front, target))
    if isIndexFirst { plan.append(index) }
    plan.append(try extras.plan(.middle, target))
    plan.append(padding)
    plan.append(media)
    for extent in extents.extents { plan.append(movie.reader, offset: extent.offset, count: extent.count) }
    if !isIndexFirst { plan.append(index) }
    plan.append(try extras.plan(.back, target))
    return plan
  }

  /// A `free` box that moves the media to where the kernel copies it best: as far into a unit of copying as in the
  /// source. Nothing for small files, where it would weigh more than it saves.
  private func padding(mediaAt base: UInt64) -> [UInt8] {
    let unit = FileSink.kernelCopyUnit
    guard extents.count >= ProgressivePlanBuilder.paddedSize,
      let longest = extents.extents.max(by: { $0.count < $1.count })
    else { return [] }
    var count = (longest.offset &- (base + longest.target)) % unit
    if count == 0 { return [] }
    if count < 8 { count += unit }
    return .free(Int(count))
  }

  /// Media from this size on are aligned: 64 KiB are then at most a fifth of a percent.
  private static let paddedSize: UInt64 = 32 << 20
}
