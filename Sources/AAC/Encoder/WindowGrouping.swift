/// Joins similar-sounding short windows into groups, which share scalefactors.
enum WindowGrouping {
  /// Windows of each group.
  ///
  /// Neighbours are similar if no part of the spectrum is much louder in one than in the other.
  static func groups(_ channels: [ChannelAnalysis]) -> [Int] {
    var groups = [1]
    var reference = 0
    for window in 1..<8 {
      let isAlike = channels.allSatisfy { distance($0.lines, reference, window) < limit }
      if isAlike {
        groups[groups.count - 1] += 1
      } else {
        groups.append(1)
        reference = window
      }
    }
    return groups
  }

  /// Largest ratio of energies within a group.
  private static let limit: Float = 10
  /// The starts of the parts of the spectrum that are compared.
  private static let edges = [0, 8, 24, 56, 96]
  /// Energy that is added to each part, so that windows in which it is soft are alike, whatever the ratio.
  private static let floor: Float = 1e6

  private static func distance(_ lines: AlignedMemory<Float>, _ first: Int, _ second: Int) -> Float {
    // Eight windows of 128 lines, which the edges are below.
    let lines = unsafe lines.pointer(at: 0, count: 1024)
    var largest: Float = 0
    for stretch in 0..<(edges.count - 1) {
      var (x, y) = (floor, floor)
      for line in edges[stretch]..<edges[stretch + 1] {
        unsafe x += lines[128 * first + line] * lines[128 * first + line]
        unsafe y += lines[128 * second + line] * lines[128 * second + line]
      }
      largest = max(largest, max(x / y, y / x))
    }
    return largest
  }
}
