internal import ISOBMFF
internal import MediaCore

/// Builds the plan of a fragmented output: movie header, other boxes and the data of items come before the fragments
/// and their index.
struct FragmentedPlanBuilder {
  private let movie: MP4Demuxer
  private let moov: BoxNode
  private let extras: ExtraBoxes

  init(_ movie: MP4Demuxer, moov: BoxNode, extras: ExtraBoxes) {
    self.movie = movie
    self.moov = moov
    self.extras = extras
  }

  /// Appends everything that follows the file type. No offset in fragments counts from the beginning of the file.
  ///
  /// - Throws: `MP4Error` `.itemTooFar`.
  func append(
    to plan: inout OutputPlan, index: SegmentIndexBox?, fragments: OutputPlan
  ) throws(MP4Error) {
    let index = index.map { BoxNode("sidx", $0).written } ?? []
    var items = MediaExtents()
    for item in extras.items { items.add(offset: item.offset, count: item.count) }
    items.arrange()
    var header = OutputPlan()
    header.append(moov, from: movie.moovReader)
    let media = items.count > 0 ? BoxHeader(type: "mdat").written(payloadSize: items.count) : []
    let front = plan.count
    let middle = front + extras.size(.front) + header.count
    let base = middle + extras.size(.middle) + UInt64(media.count)
    let back = base + items.count + UInt64(index.count) + fragments.count
    let target: (UInt64) -> UInt64? = { [items] offset in items.target(of: offset).map { base + $0 } }
    var moov = moov
    try extras.locate(in: &moov, [.front: front, .middle: middle, .back: back], target)
    plan.append(try extras.plan(.front, target))
    plan.append(moov, from: movie.moovReader)
    plan.append(try extras.plan(.middle, target))
    plan.append(media)
    for extent in items.extents { plan.append(movie.reader, offset: extent.offset, count: extent.count) }
    plan.append(index)
    plan.append(fragments)
    plan.append(try extras.plan(.back, target))
  }
}
