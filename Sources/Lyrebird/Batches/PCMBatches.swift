public import MediaCore

/// Decoded sound for asynchronous code, a third of a second at a time.
///
/// ```swift
/// for try await sound in PCMBatches(decoder) { try wav.append(sound) }
/// ```
///
/// Pulled: nothing is decoded before it is asked for, and nothing runs ahead. It starts where the decoder is, and runs
/// once: iterators share the decoder, and each sample goes to one of them.
public struct PCMBatches: AsyncSequence, Sendable {
  private let state: Lock<State>
  private let frames: Int

  fileprivate struct State {
    let decoder: AudioTrackDecoder
    /// The error that follows what was delivered.
    var failure: AudioDecodingError?
  }

  /// The rest of a decoder's sound.
  ///
  /// - Parameters:
  ///   - decoder: where the sound comes from.
  ///   - frames: the least number of frames in a batch, exceeded by less than a packet; the last one has what is left.
  public init(_ decoder: sending AudioTrackDecoder, frames: Int = 16_384) {
    state = Lock(State(decoder: decoder))
    self.frames = Swift.max(frames, 1)
  }

  /// An iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(state: state, frames: frames) }

  /// Takes the sound decoded next.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let state: Lock<State>
    fileprivate let frames: Int

    /// The next sound, or `nil` at the end. Its time is the number of its first frame in what is heard.
    ///
    /// - Throws: `AudioDecodingError`, after the last good packet; `CancellationError`.
    @concurrent
    public mutating func next() async throws -> PCMSample? {
      try Task.checkCancellation()
      do {
        return try state.withLock { try $0.next(frames) }
      } catch {
        try Task.checkCancellation()
        throw error
      }
    }
  }
}

extension PCMBatches.State {
  fileprivate mutating func next(_ frames: Int) throws(AudioDecodingError) -> PCMSample? {
    if let failure {
      self.failure = nil
      throw failure
    }
    let format = decoder.format
    let (start, trackID) = (decoder.position, decoder.trackID)
    var (buffers, count): ([PCMBuffer], Int) = ([], 0)
    do throws(AudioDecodingError) {
      while count < frames, let sound = try decoder.next() {
        buffers.append(sound.payload)
        count += sound.payload.frameCount
      }
    } catch {
      guard !buffers.isEmpty else { throw error }
      failure = error
    }
    return buffers.isEmpty ? nil : PCMSample(PCMBuffer(buffers, format), at: start, trackID: trackID)
  }
}

extension PCMBuffer {
  /// Buffers of one format, one after the other.
  fileprivate init(_ buffers: [PCMBuffer], _ format: AudioFormat) {
    let (rate, layout) = (format.sampleRate, format.layout)
    switch format.sampleFormat {
    case .int16: self.init(buffers.flatMap(\.int16s), sampleRate: rate, layout: layout)
    case .int24, .int32:
      self.init(buffers.flatMap(\.int32s), sampleFormat: format.sampleFormat, sampleRate: rate, layout: layout)
    case .float32: self.init(buffers.flatMap(\.floats), sampleRate: rate, layout: layout)
    }
  }
}
