public import AudioIO
public import MediaCore

/// Captured sound for asynchronous code: everything that has arrived since the last call.
///
/// ```swift
/// try capture.start()
/// for try await samples in capture.batches() {
///   for sample in samples { try writer.append(sample) }
/// }
/// ```
///
/// Pulled: until it is asked for, sound waits in the capture's queue of two seconds; beyond that it is lost, and
/// counted. A device's thread may not wake a task, so between batches this sleeps and polls.
public struct CaptureBatches: AsyncSequence, Sendable {
  private let capture: AudioCapture
  private let interval: Duration

  fileprivate init(_ capture: AudioCapture, interval: Duration) {
    self.capture = capture
    self.interval = Swift.max(interval, .milliseconds(1))
  }

  /// An iterator. All of them share the capture, and each sample goes to one of them.
  public func makeAsyncIterator() -> Iterator { Iterator(capture: capture, interval: interval) }

  /// Takes captured sound.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let capture: AudioCapture
    fileprivate let interval: Duration

    /// The samples that have arrived, at least one; `nil` once capture has ended and everything was fetched.
    ///
    /// - Throws: `AudioIOError` `.serverLost`, `.deviceLost`, `.file`, once everything captured before was returned;
    ///   `CancellationError`, which does not stop the capture: what arrives meanwhile can still be fetched.
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
        // Samples are delivered before the error. Called again, the capture throws it again.
        guard !batch.isEmpty else { throw error }
        return (batch, false)
      }
    }
  }
}

extension AudioCapture {
  /// Captured sound for asynchronous code.
  ///
  /// - Parameter interval: how long to wait for sound before polling again, a millisecond at least: the longer, the
  ///   more arrives at once.
  public func batches(every interval: Duration = .milliseconds(50)) -> CaptureBatches {
    CaptureBatches(self, interval: interval)
  }
}
