internal import Dispatch
internal import MediaCore

/// Syncs a growing file to the disk on a thread of its own: a disk may take seconds for it, and sound does not wait.
///
/// Requests made while another one waits are merged with it: never more than one waits for the one under way.
final class BackgroundSync: Sendable {
  private struct State {
    var isWaiting = false
    var failure: SinkError?
  }
  private let state = Lock(State())
  private let queue = DispatchQueue(label: "lyrebird.sync")
  private let body: @Sendable () throws(SinkError) -> Void

  init(_ body: @escaping @Sendable () throws(SinkError) -> Void) {
    self.body = body
  }

  /// Has everything written so far synced soon.
  ///
  /// - Throws: the error of an earlier sync that failed.
  func request() throws(SinkError) {
    let (isWaiting, failure) = state.withLock { state in
      defer { state.isWaiting = true }
      return (state.isWaiting, state.failure)
    }
    if let failure { throw failure }
    guard !isWaiting else { return }
    queue.async {
      self.state.withLock { $0.isWaiting = false }
      do throws(SinkError) { try self.body() } catch { self.state.withLock { $0.failure = error } }
    }
  }

  /// Waits until no sync is under way.
  ///
  /// - Throws: what failed.
  func wait() throws(SinkError) {
    queue.sync {}
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}
