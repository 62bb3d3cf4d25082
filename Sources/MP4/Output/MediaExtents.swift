internal import MediaCore

/// Which stretches of a source hold samples, and where they go.
///
/// The samples of all tracks are collected as ranges, then put in the source's own order and merged where they touch:
/// a movie of a million samples is often one stretch, which the kernel copies in one go.
struct MediaExtents: Sendable {
  /// A stretch of the source.
  struct Extent: Sendable, Equatable {
    var offset: UInt64
    var count: UInt64
    /// Where it goes, from the start of the media in the output.
    var target: UInt64 = 0

    var end: UInt64 { offset + count }
  }

  private(set) var extents: [Extent] = []

  /// Adds a range; those that follow one another grow into one.
  mutating func add(offset: UInt64, count: UInt64) {
    guard count > 0 else { return }
    if let last = extents.last, last.end == offset {
      extents[extents.count - 1].count += count
    } else {
      extents.append(Extent(offset: offset, count: count))
    }
  }

  /// Sorts and merges the stretches, and lays them out one after another. Samples that share bytes go on sharing them.
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

  /// Bytes of all stretches, once arranged.
  var count: UInt64 { extents.last.map { $0.target + $0.count } ?? 0 }

  /// Where a byte of the source goes, from the start of the media; `nil` if it is not part of it.
  func target(of offset: UInt64) -> UInt64? {
    let next = extents.partitionPoint { $0.offset <= offset }
    guard next > 0 else { return nil }
    let extent = extents[next - 1]
    // A chunk of empty samples may lie at the very end.
    return offset <= extent.end ? extent.target + (offset - extent.offset) : nil
  }
}
