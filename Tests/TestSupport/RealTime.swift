internal import Foundation

/// Tests that run in real time, beside a sound server that may not get a processor in time.
///
/// What we control must hold anywhere and each time: which frames there are, their order, what is counted. What depends
/// on when the server gets to run is measured up to three times, until it is as it should be. With
/// `LYREBIRD_STRICT_TIMING=1`, as in continuous integration, it must be so in one of the three, and a measurement
/// during which the machine itself stood still does not count. Elsewhere a machine that is too busy is only told of.
public enum RealTime {
  /// Whether one of three measurements must be as it should be.
  public static let isStrict = ProcessInfo.processInfo.environment["LYREBIRD_STRICT_TIMING"] == "1"

  /// How a measurement ended.
  public enum Verdict: Sendable {
    /// It was as it should be.
    case good
    /// It was not, and the machine may be why.
    case excused
    /// It was not, though the machine was there each time.
    case bad
  }

  /// Measures until the result is as it should be.
  ///
  /// - Parameter stall: For how long a processor may be missing in a measurement that counts. The default is half of
  ///   the 20 ms that a sound server has for each piece of sound; a body that keeps the processors busy itself needs
  ///   more.
  /// - Returns: the last result, and how it ended. The caller has to expect that it is not bad, and of one that is
  ///   excused what holds at any load.
  public static func measure<Result>(
    _ what: String, stall: Duration = .milliseconds(10), _ body: () throws -> Result, isGood: (Result) -> Bool
  ) rethrows -> (result: Result, verdict: Verdict) {
    var attempt = 0
    return try measure(stall: stall, isStrict: isStrict) {
      attempt += 1
      let watch = StallWatch()
      defer { watch.end() }
      let result = try body()
      let (stalled, isGood) = (watch.longest, isGood(result))
      if !isGood { tell("\(what): \(result); attempt \(attempt), a processor was missing for up to \(stalled)") }
      return (result, isGood, stalled)
    }
  }

  /// The same of bodies that say whether their result is good, and for how long a processor was missing.
  static func measure<Result>(
    stall: Duration, isStrict: Bool, _ body: () throws -> (result: Result, isGood: Bool, stalled: Duration)
  ) rethrows -> (result: Result, verdict: Verdict) {
    var (attempts, counted) = (0, 0)
    while true {
      let (result, isGood, stalled) = try body()
      if isGood { return (result, .good) }
      attempts += 1
      if !isStrict || stalled <= stall { counted += 1 }
      if counted == 3 { return (result, isStrict ? .bad : .excused) }
      if attempts == 12 { return (result, .excused) }
    }
  }

  /// Says something beside the results of tests.
  public static func tell(_ words: String) { FileHandle.standardError.write(Data("note: \(words)\n".utf8)) }
}
