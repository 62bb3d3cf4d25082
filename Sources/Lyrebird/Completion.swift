internal import MediaCore

/// Something that happens once, and that tasks can wait for.
final class Completion: Sendable {
  private struct State {
    var isComplete = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  private let state = Lock(State())

  /// Lets all go who wait. After the first time it does nothing.
  func complete() {
    let waiting = state.withLock { state in
      state.isComplete = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits until it has happened.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        if !state.isComplete { state.waiting.append(continuation) }
        return state.isComplete
      }
      if isComplete { continuation.resume() }
    }
  }
}
