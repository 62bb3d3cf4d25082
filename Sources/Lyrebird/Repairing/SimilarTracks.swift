internal import AAC
internal import MediaCore

/// Tracks whose samples look alike: a recorder with several microphones or lenses writes a track for each.
///
/// A sample does not say which track it is of. But between two samples of other tracks there are as many of each,
/// either in turn or one track after another, and the pattern says which of the two it is. If it is neither, all
/// samples stay with the first track.
struct SimilarTracks {
  /// What is the same in tracks that look alike.
  private enum Likeness: Hashable {
    case sound(PacketRule)
    /// Parameter sets are not compared: most slices can be read with those of another track.
    case h264, h265, av1

    /// `nil` of a track whose samples can be told from all others.
    init?(_ coding: PatternTrack.Coding) {
      switch coding {
      case .sound(let rule): self = .sound(rule)
      case .pictures(.h264): self = .h264
      case .pictures(.h265): self = .h265
      case .pictures(.av1): self = .av1
      case .sized, .opaque: return nil
      }
    }
  }

  /// How samples of several tracks follow one another.
  private enum Order: CaseIterable {
    case inTurn
    case oneAfterAnother
  }

  /// Tracks of the pattern that are alike, in the order in which their samples come.
  private struct Group {
    let tracks: [Int]
    let order: Order
    /// How many samples of a track most often follow one another, if they do.
    let usual: Int

    /// The tracks of `count` samples that follow one another: counted from the first, but from the last if some are
    /// missing at the beginning only.
    func sequence(_ count: Int, followsGap: Bool, precedesGap: Bool) -> [Int] {
      let isBackwards = followsGap && !precedesGap
      let isCut = followsGap || precedesGap
      return (0..<count).map { index in
        let number = isBackwards ? count - 1 - index : index
        let place: Int
        switch order {
        case .inTurn: place = number % tracks.count
        case .oneAfterAnother:
          let each = isCut ? usual : (count + tracks.count - 1) / tracks.count
          place = min(number / each, tracks.count - 1)
        }
        return tracks[isBackwards ? tracks.count - 1 - place : place]
      }
    }
  }

  private let groups: [Group]
  /// How many tracks of the pattern are alike, for each set of them that no order tells apart.
  let undivided: [Int]

  /// The least part of the pattern's samples that has to be given to the right track. Some patterns begin or end in
  /// another order.
  private static let leastShare = 0.9

  /// Takes from a pattern which tracks are alike, and how their samples are interleaved.
  init(_ pattern: Pattern) {
    var alike: [Likeness: [Int]] = [:]
    for (index, track) in pattern.tracks.enumerated() {
      if let likeness = Likeness(track.coding) { alike[likeness, default: []].append(index) }
    }
    // A dictionary's order differs between runs.
    let sets = alike.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    groups = sets.compactMap { SimilarTracks.group(runs: SimilarTracks.runs(of: $0, in: pattern), $0) }
    let divided = Set(groups.flatMap(\.tracks))
    undivided = sets.filter { divided.isDisjoint(with: $0) }.map(\.count)
  }

  /// The tracks of samples that follow one another in the pattern, for each such run.
  private static func runs(of tracks: [Int], in pattern: Pattern) -> [[Int]] {
    pattern.samples.split { sample in !(sample.track.map(tracks.contains) ?? false) }.map { $0.compactMap(\.track) }
  }

  /// The group whose order gives most samples of the runs to the right track; `nil` if none gives enough.
  private static func group(runs: [[Int]], _ tracks: [Int]) -> Group? {
    // In which order tracks come for the first time in a run.
    let orders = runs.map { run in run.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } } }
    guard let sorted = Counted(orders.filter { $0.count == tracks.count }).mostFrequent.first else { return nil }
    let usual = max(Counted(runs.map { $0.count / tracks.count }).mostFrequent.first ?? 1, 1)
    let total = runs.reduce(0) { $0 + $1.count }
    let groups = Order.allCases.map { order in
      let group = Group(tracks: sorted, order: order, usual: usual)
      let right = runs.reduce(0) { sum, run in
        sum + zip(run, group.sequence(run.count, followsGap: false, precedesGap: false)).count { $0 == $1 }
      }
      return (group, share: Double(right) / Double(max(total, 1)))
    }
    return groups.max { $0.share < $1.share }.flatMap { $0.share >= leastShare ? $0.0 : nil }
  }

  /// What a scan found, divided among the tracks that are alike.
  ///
  /// - Throws: `SourceError` if reading fails.
  func divided(_ scan: PatternScan) throws(SourceError) -> [PatternSample] {
    var samples = scan.samples
    let gaps = Set(scan.gaps.map(\.after))
    for group in groups {
      var start = 0
      while start < samples.count {
        guard group.tracks.contains(samples[start].track) else {
          start += 1
          continue
        }
        var end = start + 1
        while end < samples.count, group.tracks.contains(samples[end].track), !gaps.contains(end) { end += 1 }
        let tracks = group.sequence(
          end - start, followsGap: gaps.contains(start), precedesGap: gaps.contains(end))
        for (index, track) in zip(start..<end, tracks) where samples[index].track != track {
          samples[index] = try scan.sample(samples[index], of: track)
        }
        start = end
      }
    }
    return samples
  }
}
