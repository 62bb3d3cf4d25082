/// The largest number that divides both, which are not negative; the other one if one is 0.
package func greatestCommonDivisor<Number: BinaryInteger>(_ one: Number, _ other: Number) -> Number {
  var (larger, smaller) = (one, other)
  while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
  return larger
}

extension UInt32 {
  /// The smallest number that all of these divide. Zeros are skipped; if there is nothing else, it is 1.
  ///
  /// - Returns: `nil` if it exceeds the limit, or if there are no numbers.
  package static func leastCommonMultiple(of numbers: [UInt32], limit: UInt32) -> UInt32? {
    guard !numbers.isEmpty else { return nil }
    var result: UInt32 = 1
    for number in numbers where number > 0 {
      let (product, overflow) = result.multipliedReportingOverflow(by: number / greatestCommonDivisor(result, number))
      if overflow || product > limit { return nil }
      result = product
    }
    return result
  }
}
