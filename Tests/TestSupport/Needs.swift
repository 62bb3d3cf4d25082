internal import Foundation
internal import MediaCore
public import Testing

/// Something that a test needs and a machine may lack. A test without it is skipped, and counted as such.
public struct Need: Sendable {
  /// What is needed, as it stands after "needs".
  public let name: String
  /// What to say of a test that is skipped.
  public let advice: String
  let isMet: @Sendable () -> Bool

  /// Something that a test needs.
  public init(_ name: String, _ advice: String, isMet: @escaping @Sendable () -> Bool) {
    self.name = name
    self.advice = advice
    self.isMet = isMet
  }

  /// Programs to compare with.
  public static let ffmpeg = Need(.ffmpeg)
  public static let ffprobe = Need(.ffprobe)
  public static let faad = Need(.faad)
  public static let sox = Need(.sox)
  public static let python = Need(.python)
  /// Not in every distribution, so never required.
  public static let fdkaac = Need("fdkaac", Tool.fdkaac.missing) { Tool.fdkaac.path != nil }

  /// The corpus of real files.
  public static let corpus = Need("the corpus", Shared.missing) { Shared.isAvailable }

  /// A sound server of the test's own.
  public static let soundServer = Need(PulseServer.Kind.chosen.rawValue, PulseServer.missing) {
    PulseServer.isAvailable
  }

  /// Minutes.
  public static let patience = Need("LYREBIRD_EXHAUSTIVE=1", "set LYREBIRD_EXHAUSTIVE=1") {
    Interruptions.isExhaustive
  }

  private init(_ tool: Tool) { self.init(tool.name, tool.missing) { tool.isAvailable } }
}

/// Skips tests whose needs are not met, and counts them.
public struct NeedsTrait: TestTrait, SuiteTrait {
  let needs: [Need]
  var skipped = SkippedTests.shared
  public var isRecursive: Bool { true }

  public func prepare(for test: Test) async throws {
    guard let missing = needs.first(where: { !$0.isMet() }) else { return }
    if !test.isSuite { skipped.note("\(test.id)", lacking: missing.name) }
    let disabled: ConditionTrait = .disabled(Comment(rawValue: missing.advice))
    try await disabled.prepare(for: test)
  }
}

extension Trait where Self == NeedsTrait {
  /// The test or the suite is skipped where one of these is missing.
  public static func needs(_ needs: Need...) -> NeedsTrait { NeedsTrait(needs: needs) }
}

/// The tests that were skipped, told in one line when the process ends.
final class SkippedTests: Sendable {
  /// Those of this process.
  static let shared: SkippedTests = {
    atexit {
      fflush(nil)
      FileHandle.standardError.write(Data((SkippedTests.shared.summary + "\n").utf8))
    }
    return SkippedTests()
  }()

  /// What each test lacks, by the test.
  private let lacks = Lock<[String: String]>([:])

  func note(_ test: String, lacking need: String) {
    lacks.withLock { if $0[test] == nil { $0[test] = need } }
  }

  /// For example "3 tests skipped: 2 need ffmpeg, 1 needs the corpus".
  var summary: String { SkippedTests.summary(lacks.withLock { Array($0.values) }) }

  /// One line about tests that lack these.
  static func summary(_ lacks: [String]) -> String {
    guard !lacks.isEmpty else { return "no test was skipped" }
    let counts = Dictionary(lacks.map { ($0, 1) }, uniquingKeysWith: +).sorted {
      ($1.value, $0.key) < ($0.value, $1.key)
    }
    let reasons = counts.map { "\($0.value) \($0.value == 1 ? "needs" : "need") \($0.key)" }
    return (lacks.count == 1 ? "1 test skipped: " : "\(lacks.count) tests skipped: ") + reasons.joined(separator: ", ")
  }
}
