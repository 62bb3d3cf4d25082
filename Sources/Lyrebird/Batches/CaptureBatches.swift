public import AudioIO
public import MediaCore

/// Captured sound for asynchronous code: all that has come since it was asked last.
///
/// ```swift
/// try capture.start()
/// for try await samples in capture.batches() {
///   for sample in samples { try writer.append(sample) }
/// }
/// ```
///
/// Pulled: what was not asked for yet waits in the capture's queue of two seconds; beyond that it is lost, and counted. A
/// device's thread may wake no task, so between batches this sleeps and looks again.
public struct CaptureBatches: AsyncSequence, Sendable {
  private let capture: AudioCapture
  private let interval: Duration

  fileprivate init(_ capture: AudioCapture, interval: Duration) {
    self.capture = capture
    self.interval = Swift.max(interval, .milliseconds(1))
  }

  /// An iterator. All of them share the capture, and each sample goes to one of them.
  public func makeAsyncIterator() -> Iterator { Iterator(capture: capture, interval: interval) }

  /// Takes what was captured.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let capture: AudioCapture
    fileprivate let interval: Duration

    /// The samples that have come, one at least; `nil` once capture has ended and all was fetched.
    ///
    /// - Throws: `AudioIOError` `.serverLost`, `.deviceLost`, `.file`, after all that was captured before;
    ///   `CancellationError`, which does not stop the capture: what came meanwhile can still be fetched.
    @concurrent
    public mutating func next() async throws -> [PCMSample]? {
      while true {
        try Task.checkCancellation()
        let (batch, isEnded) = try waiting()
        if !batch.isEmpty { return batch }
        if isEnded { return nil }
        try await Task.sleep(for: interval)
      }
    }

    private func waiting() throws(AudioIOError) -> (batch: [PCMSample], isEnded: Bool) {
      var batch: [PCMSample] = []
      do throws(AudioIOError) {
        while true {
          switch try capture.next(within: .zero) {
          case .sample(let sample, _): batch.append(sample)
          case .nothingYet: return (batch, false)
          case .ended: return (batch, true)
          }
        }
      } catch {
        // What is there is delivered first. Asked again, the capture says again what went wrong.
        guard !batch.isEmpty else { throw error }
        return (batch, false)
      }
    }
  }
}

extension AudioCapture {
  /// Captured sound for asynchronous code.
  ///
  /// - Parameter interval: how long to wait for sound before looking again, a millisecond at least: the longer, the
  ///   more comes at once.
  public func batches(every interval: Duration = .milliseconds(50)) -> CaptureBatches {
    CaptureBatches(self, interval: interval)
  }
}
