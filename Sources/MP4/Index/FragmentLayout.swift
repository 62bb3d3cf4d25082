internal import MediaCore

/// Where the samples of a fragment go in its media.
///
/// Track by track is what most writers do, and takes one run a track. But tracks lie in the source side by side, so
/// putting them one after another means to pick samples apart. In the source's own order the media of a fragment are
/// copied at once, and each track has a run for each piece of it: some twenty bytes.
struct FragmentLayout {
  /// Samples of a track that lie one after another.
  struct Run {
    /// Places in the track's list.
    var samples: Range<Int>
    /// From the start of the media.
    var offset: UInt64
  }

  /// The runs of each track.
  private(set) var runs: [[Run]]
  /// What is copied, in this order.
  private(set) var extents: [MediaExtents.Extent] = []
  /// Bytes of the media.
  private(set) var count: UInt64 = 0

  /// Bytes a run, on average, from which on its twenty bytes do not matter.
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
