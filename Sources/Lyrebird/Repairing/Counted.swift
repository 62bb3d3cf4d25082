/// How often each of some values occurs.
struct Counted<Value: Hashable> {
  private var counts: [Value: (count: Int, first: Int)] = [:]
  private let total: Int

  init(_ values: [Value]) {
    total = values.count
    for (index, value) in values.enumerated() { counts[value, default: (0, index)].count += 1 }
  }

  /// The values, the most frequent first, and of equally frequent ones that which occurs first.
  var mostFrequent: [Value] {
    counts.sorted { ($1.value.count, $0.value.first) < ($0.value.count, $1.value.first) }.map(\.key)
  }

  func share(of value: Value) -> Double { Double(counts[value]?.count ?? 0) / Double(max(total, 1)) }
}
