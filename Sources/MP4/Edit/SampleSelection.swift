internal import ISOBMFF
internal import MediaCore

/// Which samples of a track go into an output: runs of their numbers, in ascending order.
struct SampleSelection {
  private(set) var runs: [Range<UInt64>] = []

  /// No samples.
  init() {}

  /// Consecutive samples.
  init(_ samples: Range<UInt64>) {
    runs = samples.isEmpty ? [] : [samples]
  }

  /// Adds a sample after those before.
  mutating func append(_ number: UInt64) {
    if let last = runs.last, last.upperBound == number {
      runs[runs.count - 1] = last.lowerBound..<(number + 1)
    } else {
      runs.append(number..<(number + 1))
    }
  }
}

extension SampleAnnotations {
  /// What it says of the selected samples, numbered from 0.
  func selecting(_ selection: SampleSelection) -> SampleAnnotations {
    var result = self
    result.groupings = groupings.map { grouping in
      var selected = Grouping(type: grouping.type, parameter: grouping.parameter)
      var count: UInt64 = 0
      for run in selection.runs {
        for group in grouping.runs(in: run) {
          count += group.count
          selected.extend(to: count, group: group.group)
        }
      }
      return selected
    }
    for index in subsamples.indices {
      result.subsamples[index].samples = []
      var count: UInt64 = 0
      let samples = subsamples[index].samples
      for run in selection.runs {
        for sample in samples[samples.partitionPoint { $0.number < run.lowerBound }...] {
          guard sample.number < run.upperBound else { break }
          result.subsamples[index].samples.append((count + sample.number - run.lowerBound, sample.subsamples))
        }
        count += UInt64(run.count)
      }
    }
    return result
  }
}

extension SampleAnnotations.Grouping {
  /// The groups of these samples: how many in a row are in which one.
  fileprivate func runs(in samples: Range<UInt64>) -> [(count: UInt64, group: UInt32)] {
    var result: [(count: UInt64, group: UInt32)] = []
    var first = samples.lowerBound
    for run in runs[runs.partitionPoint { $0.end <= first }...] {
      guard first < samples.upperBound else { break }
      let end = min(run.end, samples.upperBound)
      result.append((end - first, run.group))
      first = end
    }
    if first < samples.upperBound { result.append((samples.upperBound - first, 0)) }
    return result
  }
}

extension SampleEncryption {
  /// The data of the selected samples.
  func selecting(_ selection: SampleSelection) -> SampleEncryption {
    var result = SampleEncryption()
    (result.flags, result.isUniform) = (flags, isUniform)
    for run in selection.runs {
      for number in run { result.append(data(of: Int(clamping: number))) }
    }
    return result
  }
}
