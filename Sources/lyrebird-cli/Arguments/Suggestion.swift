/// What a mistyped word may have been meant to be.
enum Suggestion {
  /// The word nearest to what was typed: the only one that begins with it, or one with at most a typo per three
  /// letters.
  static func nearest(to typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let completions = words.filter { $0.hasPrefix(typed) }
    if typed.count >= 2, completions.count == 1 { return completions.first }
    guard typed.count <= 32 else { return nil }
    let near = words.map { (word: $0, distance: distance(Array(typed), Array($0))) }.min { $0.distance < $1.distance }
    guard let near, near.distance <= max(1, min(typed.count, near.word.count) / 3) else { return nil }
    return near.word
  }

  /// The number of typos between two words: letters added, left out, replaced or swapped with their neighbour.
  ///
  /// Source: optimal string alignment, after Damerau and Levenshtein.
  static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var (beforeLast, last) = ([Int](), Array(0...second.count))
    for row in 0..<first.count {
      var current = [row + 1]
      for column in 0..<second.count {
        let isSame = first[row] == second[column]
        var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
