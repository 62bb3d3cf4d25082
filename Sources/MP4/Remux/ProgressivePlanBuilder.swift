internal import ISOBMFF
internal import MediaCore

/// Builds the plan of a progressive output: file type, index and media, in the requested order.
struct ProgressivePlanBuilder {
  private let movie: MP4Demuxer
  private let index: MovieBoxTemplate
  private let extents: MediaExtents
  /// The source of which the extents are ranges.
  private let media: SourceReader
  private let extras: ExtraBoxes
  private let isIndexFirst: Bool
  /// The file type box, which comes first.
  private var head = OutputPlan()
  /// The header of the media box.
  private let mediaHeader: [UInt8]

  /// - Parameters:
  ///   - tracks: the tracks of the output.
  ///   - media: the source of which the extents are ranges, which begins with the movie; `nil` for the movie.
  init(
    _ movie: MP4Demuxer, tracks: [MovieTrack], index: MovieBoxTemplate, extents: MediaExtents,
    media: SourceReader? = nil,
    extras: ExtraBoxes, isIndexFirst: Bool
  ) {
    self.media = media ?? movie.reader
    self.extras = extras
    self.movie = movie
    self.index = index
    self.extents = extents
    self.isIndexFirst = isIndexFirst
    mediaHeader = BoxHeader(type: "mdat").written(payloadSize: extents.count)
    if let fileType = movie.fileType(keeping: tracks) { head.append(BoxNode("ftyp", fileType), from: movie.reader) }
  }

  /// The offsets of everything in the output.
  private struct Layout {
    let isWide: Bool
    let indexStart: UInt64
    /// Where each part of the other boxes begins.
    let parts: [ExtraBoxes.Part: UInt64]
    let padding: [UInt8]
    /// Where the media begins, after its header.
    let base: UInt64
    let end: UInt64
  }

  /// The plan. Chunk offsets take 32 bits, or 64 if the file is too long for that.
  ///
  /// - Throws: `MP4Error` `.itemTooFar`.
  func plan() throws(MP4Error) -> OutputPlan {
    let narrow = layout(isWide: false)
    return try plan(narrow.end <= UInt64(UInt32.max) ? narrow : layout(isWide: true))
  }

  private func layout(isWide: Bool) -> Layout {
    let indexSize = index.size(isWide: isWide)
    let front = head.count
    let middle = front + extras.size(.front) + (isIndexFirst ? indexSize : 0)
    let start = middle + extras.size(.middle) + UInt64(mediaHeader.count)
    let padding = padding(mediaAt: start)
    let base = start + UInt64(padding.count)
    let back = base + extents.count + (isIndexFirst ? 0 : indexSize)
    return Layout(
      isWide: isWide, indexStart: (isIndexFirst ? middle : back) - indexSize,
      parts: [.front: front, .middle: middle, .back: back], padding: padding, base: base,
      end: back + extras.size(.back))
  }

  private func plan(_ layout: Layout) throws(MP4Error) -> OutputPlan {
    let base = layout.base
    let target: (UInt64) -> UInt64? = { [extents] offset in extents.target(of: offset).map { base + $0 } }
    let index = try index.laidOut(isWide: layout.isWide, at: layout.indexStart, target: { target($0) ?? base }) {
      (moov) throws(MP4Error) in try extras.locate(in: &moov, layout.parts, target)
    }
    var plan = head
    plan.append(try extras.plan(.front, target))
    if isIndexFirst { plan.append(index) }
    plan.append(try extras.plan(.middle, target))
    plan.append(layout.padding)
    plan.append(mediaHeader)
    for extent in extents.extents { plan.append(media, offset: extent.offset, count: extent.count) }
    if !isIndexFirst { plan.append(index) }
    plan.append(try extras.plan(.back, target))
    return plan
  }

  /// A `free` box that moves the media to where the kernel copies it best: to the same offset within a unit of copying
  /// as in the source. Empty for small files, where it would cost more than it saves.
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

  /// Media of at least this size is aligned: 64 KiB is then at most a fifth of a percent.
  private static let paddedSize: UInt64 = 32 << 20
}
