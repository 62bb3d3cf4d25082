internal import AAC

/// Tracks of sound whose packets look alike: a recorder with several microphones writes a track for each.
///
/// A packet does not say which track it is of. But between two samples of other tracks there are as many packets of each,
/// either in turn or one track after another, and the pattern says which of the two it is. If it is neither, all packets
/// stay with the first track.
struct AlikeTracks {
  /// How packets of several tracks follow one another.
  private enum Order: CaseIterable {
    case inTurn
    case oneAfterAnother
  }

  /// Tracks of the pattern that are alike, in the order in which their packets come.
  private struct Group {
    let tracks: [Int]
    let order: Order
    /// How many packets of a track follow one another most often, if they do.
    let usual: Int

    /// The tracks of so many packets that follow one another: counted from the first, but from the last if some are
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

  /// The least part of the pattern's packets that has to be told right. Some begin or end in another order.
  private static let leastShare = 0.9

  /// Takes from a pattern which tracks are alike, and how their packets are interleaved.
  init(_ pattern: Pattern) {
    var alike: [PacketRule: [Int]] = [:]
    for (index, track) in pattern.tracks.enumerated() {
      if case .sound(let rule) = track.coding { alike[rule, default: []].append(index) }
    }
    let sets = alike.values.filter { $0.count > 1 }
    groups = sets.compactMap { AlikeTracks.group(runs: AlikeTracks.runs(of: $0, in: pattern), $0) }
    let divided = Set(groups.flatMap(\.tracks))
    undivided = sets.filter { divided.isDisjoint(with: $0) }.map(\.count)
  }

  /// The tracks of packets that follow one another in the pattern, for each such run.
  private static func runs(of tracks: [Int], in pattern: Pattern) -> [[Int]] {
    pattern.samples.split { sample in !(sample.track.map(tracks.contains) ?? false) }.map { $0.compactMap(\.track) }
  }

  /// The group whose order tells most packets of the runs right; `nil` if none tells enough.
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

  /// Samples of a part of the media, with their packets divided among the tracks that are alike.
  ///
  /// - Parameter gaps: how many samples come before each gap.
  func divided(_ samples: [PatternSample], gaps: [Int]) -> [PatternSample] {
    var samples = samples
    let gaps = Set(gaps)
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
        for (index, track) in zip(start..<end, tracks) { samples[index] = samples[index].of(track: track) }
        start = end
      }
    }
    return samples
  }
}
