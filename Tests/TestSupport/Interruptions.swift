internal import Foundation
public import MediaCore

/// Runs something over a source that fails, in every way a single read can fail, at every read there is.
public struct Interruptions: Sendable {
  /// Which reads of how many are tried.
  public enum Extent: Sendable {
    case every
    /// So many, spread evenly.
    case sampled(Int)
  }

  /// How the run with a fault differed from the run without.
  public struct Difference: Sendable, CustomStringConvertible {
    public let description: String
  }

  /// Whether `LYREBIRD_EXHAUSTIVE=1` asks for the tests that take minutes.
  public static let isExhaustive = ProcessInfo.processInfo.environment["LYREBIRD_EXHAUSTIVE"] == "1"

  private let bytes: [UInt8]
  private let name: String

  /// Interruptions of reading these bytes.
  public init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  /// Compares runs with faults to the run without.
  ///
  /// - Parameters:
  ///   - extent: which reads fail.
  ///   - run: reads everything there is through a reader, and says what it found and how many interruptions it saw.
  ///     After an interruption it asks again, once.
  /// - Returns: how many reads the undisturbed run takes, how many runs there were, and what differed.
  public func compare<Found: Equatable>(
    _ extent: Extent, run: (SourceReader) throws -> (found: Found, interruptions: Int)
  ) rethrows -> (reads: Int, runs: Int, differences: [Difference]) {
    let plain = FaultySource(MemorySource(bytes, name: name))
    let expected = try run(SourceReader(plain)).found
    var differences: [Difference] = []
    var runs = 1
    func check(_ faults: FaultySource.Faults, attempts: Int, interruptions: Int, _ what: String) throws {
      let source = FaultySource(MemorySource(bytes, name: name), faults)
      let outcome: (found: Found, interruptions: Int) = try run(SourceReader(source, attempts: attempts))
      runs += 1
      if outcome.found != expected { differences.append(.init(description: "\(what): something else was read")) }
      if outcome.interruptions != interruptions {
        differences.append(.init(description: "\(what): \(outcome.interruptions) interruptions were seen"))
      }
    }
    let step =
      switch extent {
      case .every: 1
      case .sampled(let count): max(1, plain.reads / count)
      }
    for read in stride(from: 0, to: plain.reads, by: step) {
      var faults = FaultySource.Faults.failing(read)
      try check(faults, attempts: SourceReader.defaultAttempts, interruptions: 0, "read \(read) failed")
      // Nobody reopens the source here, so it has to mend itself.
      faults.needsReopen = false
      try check(faults, attempts: 0, interruptions: 1, "read \(read) failed without another attempt")
      faults = FaultySource.Faults()
      faults.shortReads = [read]
      try check(faults, attempts: 0, interruptions: 0, "read \(read) gave one byte")
      faults.failingReads = [read + 1]
      try check(faults, attempts: SourceReader.defaultAttempts, interruptions: 0, "read \(read) broke off after a byte")
    }
    var single = FaultySource.Faults()
    single.longestRead = 1
    try check(single, attempts: 0, interruptions: 0, "one byte a read")
    return (plain.reads, runs, differences)
  }
}
