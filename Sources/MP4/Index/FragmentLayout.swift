internal import MediaCore

/// Where the samples of a fragment lie in its media.
///
/// Most writers lay tracks out one after another, which takes one run per track. But in the source, tracks lie side by
/// side, so this means picking samples apart. In the source's own order the media of a fragment is copied at once, and
/// each track has a run for each piece of it: some twenty bytes.
struct FragmentLayout {
  /// Samples of a track that lie one after another.
  struct Run {
    /// Indices in the track's list of samples.
    var samples: Range<Int>
    /// Bytes from the start of the media.
    var offset: UInt64
  }

  /// The runs of each track.
  private(set) var runs: [[Run]]
  /// The ranges to copy, in this order.
  private(set) var extents: [MediaExtents.Extent] = []
  /// Bytes of the media.
  private(set) var count: UInt64 = 0

  /// From this average size of a run, in bytes, its twenty bytes do not matter.
  private static let worthwhileRun: UInt64 = 4096

  /// One track after another.
  init(trackByTrack tracks: [[SampleRecord]]) {
    runs = []
    for samples in tracks {
      runs.append([Run(samples: 0..<samples.count, offset: count)])
      for sample in samples {
        extents.append(.init(offset: sample.offset, count: UInt64(sample.size), target: count))
        count += UInt64(sample.size)
      }
    }
  }

  /// In the order of the source; `nil` where there would be too many runs.
  init?(inSourceOrder tracks: [[SampleRecord]]) {
    var all = MediaExtents()
    runs = tracks.map { samples in
      var runs: [Run] = []
      var end: UInt64?
      for (number, sample) in samples.enumerated() {
        all.add(offset: sample.offset, count: UInt64(sample.size))
        if sample.offset == end {
          runs[runs.count - 1].samples = runs[runs.count - 1].samples.lowerBound..<(number + 1)
        } else {
          runs.append(Run(samples: number..<(number + 1), offset: sample.offset))
        }
        end = sample.offset &+ UInt64(sample.size)
      }
      return runs
    }
    all.arrange()
    let runCount = runs.reduce(0) { $0 + $1.count }
    guard all.count >= UInt64(runCount) * FragmentLayout.worthwhileRun || runCount == tracks.count else { return nil }
    for track in runs.indices {
      for run in runs[track].indices { runs[track][run].offset = all.target(of: runs[track][run].offset) ?? 0 }
    }
    extents = all.extents
    count = all.count
  }
}
