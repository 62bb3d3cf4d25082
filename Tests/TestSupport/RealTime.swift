internal import Foundation

/// Tests that run in real time, beside a sound server that may not get a processor in time.
///
/// What we control must hold anywhere and each time: which frames there are, their order, what is counted. What depends
/// on when the server gets to run is measured up to three times, until it is as it should be. With
/// `LYREBIRD_STRICT_TIMING=1`, as in continuous integration, it must be so in one of the three; elsewhere a machine that
/// is too busy for that is only told of.
public enum RealTime {
  /// Whether one of three measurements must be as it should be, however busy the machine is.
  public static let isStrict = ProcessInfo.processInfo.environment["LYREBIRD_STRICT_TIMING"] == "1"

  /// Measures until the result is as it should be, three times at most.
  ///
  /// - Returns: the last result, and whether it is as it should be. Where timing is strict the caller has to expect
  ///   that; elsewhere at least what holds at any load.
  public static func measure<Result>(
    _ what: String, _ body: () throws -> Result, isGood: (Result) -> Bool
  ) rethrows -> (result: Result, isGood: Bool) {
    var attempt = 1
    while true {
      let result = try body()
      if isGood(result) { return (result, true) }
      tell("\(what): \(result); attempt \(attempt) of 3")
      if attempt == 3 { return (result, false) }
      attempt += 1
    }
  }

  /// Says something beside the results of tests.
  public static func tell(_ words: String) { FileHandle.standardError.write(Data("note: \(words)\n".utf8)) }
}
