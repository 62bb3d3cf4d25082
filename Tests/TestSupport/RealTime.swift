internal import Foundation

/// Tests that run in real time, beside a sound server that may not get a processor in time.
///
/// What we control must hold anywhere: which frames there are, their order, what is counted. What depends on when the
/// server gets to run is tried again where it went wrong, and told. With `LYREBIRD_STRICT_TIMING=1`, as in continuous
/// integration, it must hold at once.
public enum RealTime {
  /// Whether nothing is forgiven.
  public static let isStrict = ProcessInfo.processInfo.environment["LYREBIRD_STRICT_TIMING"] == "1"

  /// Measures until the result is as it should be: once where timing is strict, three times at most elsewhere.
  ///
  /// - Returns: the last result, and whether it is as it should be. Where timing is strict the caller has to expect
  ///   that; elsewhere at least what holds at any load.
  public static func measure<Result>(
    _ what: String, _ body: () throws -> Result, isGood: (Result) -> Bool
  ) rethrows -> (result: Result, isGood: Bool) {
    var result = try body()
    for attempt in 2..<(isStrict ? 2 : 4) where !isGood(result) {
      tell("\(what): \(result); attempt \(attempt) of 3")
      result = try body()
    }
    let good = isGood(result)
    if !good { tell("\(what): \(result); \(isStrict ? "timing is strict" : "this machine is busy")") }
    return (result, good)
  }

  /// Says something beside the results of tests.
  public static func tell(_ words: String) { FileHandle.standardError.write(Data("note: \(words)\n".utf8)) }
}
