internal import Foundation
internal import MediaCore
public import Testing

/// When a suite runs: in turn with others, or alone.
///
/// Swift Testing starts all tests at once. With hundreds of them, most only wait for a processor, and the time that is
/// printed for each is that of all others; and what is measured in real time suffers. So every suite says here how it
/// runs, and its tests run one after another: the time of a test is its own.
///
///     @Suite(.inTurn) struct BoxParserTests { … }
///     @Suite(.alone) struct PulseTests { … }
public struct Turn: SuiteTrait, TestScoping {
  /// Whether nothing else may run meanwhile.
  let isAlone: Bool

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await TurnQueue.shared.enter(isAlone: isAlone)
    defer { TurnQueue.shared.leave() }
    let isOver = Turn.watch(test.name)
    defer { isOver.signal() }
    let oneByOne: ParallelizationTrait = .serialized
    try await oneByOne.provideScope(for: test, testCase: testCase, performing: function)
  }

  /// Ends the process with the name of a suite that is not over in half an hour, as all would wait with it, without a
  /// word. The last test in its output that started and did not end is the one. It waits for what never comes; or
  /// arrays of a million samples that it expects to be equal differ, and Swift Testing looks for the differences.
  ///
  /// - Returns: what to signal when the suite is over.
  private static func watch(_ suite: String) -> DispatchSemaphore {
    let isOver = DispatchSemaphore(value: 0)
    guard !Interruptions.isExhaustive else { return isOver }
    // A thread of its own, as all others may be waiting.
    Thread.detachNewThread {
      guard isOver.wait(timeout: .now() + .seconds(1800)) == .timedOut else { return }
      FileHandle.standardError.write(Data("Suite \(suite) hangs: it has not ended in half an hour\n".utf8))
      abort()
    }
    return isOver
  }
}

extension Trait where Self == Turn {
  /// The suite runs beside others, as many of them as there are processors.
  public static var inTurn: Turn { Turn(isAlone: false) }

  /// The suite runs when all others have run, and nothing runs beside it: for sound servers and clocks, and for what is
  /// counted of the whole process.
  public static var alone: Turn { Turn(isAlone: true) }
}

/// The suites that wait for their turn.
final class TurnQueue: Sendable {
  /// The queue of all suites of this process.
  static let shared = TurnQueue(width: ProcessInfo.processInfo.activeProcessorCount)

  private struct State {
    var running = 0
    var isSomeoneAlone = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    var waitingAlone: [CheckedContinuation<Void, Never>] = []

    /// Who may enter now: first those that run beside others, in the order in which they came.
    mutating func admit(width: Int) -> [CheckedContinuation<Void, Never>] {
      guard !isSomeoneAlone else { return [] }
      let admitted = Array(waiting.prefix(width - running))
      waiting.removeFirst(admitted.count)
      running += admitted.count
      guard running == 0, !waitingAlone.isEmpty else { return admitted }
      isSomeoneAlone = true
      running = 1
      return [waitingAlone.removeFirst()]
    }
  }

  private let width: Int
  private let state = Lock(State())

  /// A queue that lets so many suites run side by side.
  init(width: Int) { self.width = max(width, 1) }

  /// How many suites wait.
  var waitingCount: Int { state.withLock { $0.waiting.count + $0.waitingAlone.count } }

  /// Waits for a turn.
  func enter(isAlone: Bool) async {
    await withCheckedContinuation { continuation in
      let admitted = state.withLock { state in
        if isAlone { state.waitingAlone.append(continuation) } else { state.waiting.append(continuation) }
        return state.admit(width: width)
      }
      admitted.forEach { $0.resume() }
    }
  }

  /// Ends a turn, and lets the next ones begin.
  func leave() {
    let admitted = state.withLock { state in
      state.running -= 1
      state.isSomeoneAlone = false
      return state.admit(width: width)
    }
    admitted.forEach { $0.resume() }
  }
}
