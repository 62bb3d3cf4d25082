internal import MediaCore

/// Which ranges of a source hold samples, and where they go.
///
/// The samples of all tracks are collected as ranges, then put in the source's own order and merged where they touch: a
/// movie of a million samples is often one range, which the kernel copies in one go.
struct MediaExtents: Sendable {
  /// A range of the source.
  struct Extent: Sendable, Equatable {
    var offset: UInt64
    var count: UInt64
    /// Its offset in the output, from the start of the media.
    var target: UInt64 = 0

    var end: UInt64 { offset + count }
  }

  private(set) var extents: [Extent] = []

  /// Adds a range; adjacent ranges are merged.
  mutating func add(offset: UInt64, count: UInt64) {
    guard count > 0 else { return }
    if let last = extents.last, last.end == offset {
      extents[extents.count - 1].count += count
    } else {
      extents.append(Extent(offset: offset, count: count))
    }
  }

  /// Sorts and merges the ranges, and lays them out one after another. Samples that share bytes continue to share them.
  mutating func arrange() {
    extents.sort { $0.offset < $1.offset }
    var merged: [Extent] = []
    for extent in extents {
      if let last = merged.last, extent.offset <= last.end {
        merged[merged.count - 1].count = max(last.end, extent.end) - last.offset
      } else {
        merged.append(extent)
      }
    }
    var target: UInt64 = 0
    for index in merged.indices {
      merged[index].target = target
      target += merged[index].count
    }
    extents = merged
  }

  /// Total bytes of all ranges, once arranged.
  var count: UInt64 { extents.last.map { $0.target + $0.count } ?? 0 }

  /// The offset from the start of the media at which a byte of the source goes; `nil` if it is not part of the media.
  func target(of offset: UInt64) -> UInt64? {
    let next = extents.partitionPoint { $0.offset <= offset }
    guard next > 0 else { return nil }
    let extent = extents[next - 1]
    // A chunk of empty samples may lie at the very end.
    return offset <= extent.end ? extent.target + (offset - extent.offset) : nil
  }
}
