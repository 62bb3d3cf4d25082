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
/// Pulled: nothing is read before it is asked for, and nothing runs ahead. A packet a hop from task to task would take
/// longer than reading it; in batches the hops do not count.
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

    /// The next packets, or `nil` behind the last.
    ///
    /// - Throws: `MP4Error` as `SampleReader.next()`, behind the last good packet; `CancellationError`.
    @concurrent
    public mutating func next() async throws -> [EncodedSample]? {
      try Task.checkCancellation()
      var batch: [EncodedSample] = []
      do throws(MP4Error) {
        while batch.count < count, let sample = try samples.next() { batch.append(sample) }
      } catch {
        // What is good is delivered first. Asked again, the reader says again what is wrong.
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
  ///   - count: packets of a batch, 1 at least; the last one has what is left.
  public func batches(of track: Track, upTo count: Int = 256) -> PacketBatches {
    PacketBatches(samples(of: track), count: count)
  }
}
