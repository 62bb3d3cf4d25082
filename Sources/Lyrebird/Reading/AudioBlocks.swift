public import MediaCore

/// The sound of a file for asynchronous code, a block at a time.
///
/// ```swift
/// let sound = try AudioReader(path: "song.m4a")
/// for try await block in sound.blocks(format: .float32(48_000, .stereo)) { print(block.payload.frameCount) }
/// ```
///
/// Pulled: nothing is decoded before it is asked for, and nothing runs ahead. It starts where the reader is, and runs
/// once: iterators share the reader, and each frame goes to one of them.
public struct AudioBlocks: AsyncSequence, Sendable {
  fileprivate let reader: AudioReader
  fileprivate let format: AudioFormat?
  fileprivate let frames: Int

  /// An iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(blocks: self) }

  /// Takes the next block.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    fileprivate let blocks: AudioBlocks

    /// The next block, or `nil` at the end. Its time is the number of its first frame in what is delivered.
    ///
    /// - Throws: `AudioDecodingError`: `.conversion` if the sound cannot be had in the format that was asked for; for
    ///   what is broken, after the last good sound. `CancellationError`.
    @concurrent
    public mutating func next() async throws -> PCMSample? {
      try Task.checkCancellation()
      // Decoding never waits: without this, a few loops would keep all threads of the pool from other tasks.
      await Task.yield()
      do {
        if let format = blocks.format { try blocks.reader.setFormat(format) }
        return try blocks.reader.next(frames: blocks.frames)
      } catch {
        try Task.checkCancellation()
        throw error
      }
    }
  }
}

extension AudioReader {
  /// The rest of the sound as a sequence of blocks.
  ///
  /// - Parameters:
  ///   - format: the format of the blocks; by default `format`, the one that was delivered so far.
  ///   - frames: the frames of each block; the last one has what is left.
  public func blocks(format: AudioFormat? = nil, frames: Int = 16_384) -> AudioBlocks {
    AudioBlocks(reader: self, format: format, frames: Swift.max(frames, 1))
  }
}
