public import MP4
public import MediaCore

/// The packets of a track for asynchronous code, some hundred at a time.
///
/// ```swift
/// for try await packets in movie.batches(of: track) {
///   for packet in packets { try aac.append(packet) }
/// }
/// ```
///
/// Pulled: nothing is read before it is asked for, and nothing runs ahead. Switching tasks for each packet would take
/// longer than reading it; in batches the switches do not matter.
public struct PacketBatches: AsyncSequence, Sendable {
  private let samples: SampleReader
  private let count: Int

  fileprivate init(_ samples: SampleReader, count: Int) {
    self.samples = samples
    self.count = Swift.max(count, 1)
  }

  /// An iterator; each begins with the first packet.
  public func makeAsyncIterator() -> Iterator { Iterator(samples: samples, count: count) }

  /// Goes through the packets once.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate var samples: SampleReader
    fileprivate let count: Int

    /// The next packets, or `nil` after the last.
    ///
    /// - Throws: `MP4Error` as `SampleReader.next()`, after the last good packet; `CancellationError`.
    @concurrent
    public mutating func next() async throws -> [EncodedSample]? {
      try Task.checkCancellation()
      // Reading never waits for another task.
      await Task.yield()
      var batch: [EncodedSample] = []
      do throws(MP4Error) {
        while batch.count < count, let sample = try samples.next() { batch.append(sample) }
      } catch {
        // Good packets are delivered before the error. Called again, the reader throws it again.
        guard !batch.isEmpty else {
          try Task.checkCancellation()
          throw error
        }
      }
      return batch.isEmpty ? nil : batch
    }
  }
}

extension MP4Demuxer {
  /// The packets of a track for asynchronous code.
  ///
  /// - Parameters:
  ///   - track: one of the movie's tracks.
  ///   - count: packets per batch, at least 1; the last one has what is left.
  public func batches(of track: Track, upTo count: Int = 256) -> PacketBatches {
    PacketBatches(samples(of: track), count: count)
  }
}
