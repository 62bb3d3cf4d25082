internal import MediaCore

/// Something that happens once, and that tasks can wait for.
final class Completion: Sendable {
  private struct State {
    var isComplete = false
    var lastNumber = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }
  private let state = Lock(State())

  /// Resumes all who wait. After the first time it does nothing.
  func complete() {
    let waiting = state.withLock { state in
      state.isComplete = true
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits until it has happened, even if the task is cancelled.
  func wait() async {
    await wait(as: nextNumber(), unless: { false })
  }

  /// Waits until it has happened, or the task is cancelled.
  ///
  /// - Throws: `CancellationError` if it is cancelled first.
  func waitUnlessCancelled() async throws(CancellationError) {
    let number = nextNumber()
    await withTaskCancellationHandler {
      await wait(as: number, unless: { Task.isCancelled })
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
    if !state.withLock({ $0.isComplete }) { throw CancellationError() }
  }

  private func nextNumber() -> Int {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  private func wait(as number: Int, unless isCancelled: () -> Bool) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        // Checked under the lock: a cancellation after this finds the continuation.
        let isOver = state.isComplete || isCancelled()
        if !isOver { state.waiting[number] = continuation }
        return isOver
      }
      if isOver { continuation.resume() }
    }
  }
}
