public import MediaCore
internal import Synchronization

/// A queue that feeds a renderer: one thread writes buffers as fast as they are made, and waits while it is full; the
/// device takes frames as it plays them.
public final class RenderFeed: Sendable {
  /// The result of writing sound.
  public enum Outcome: Sendable, Hashable {
    /// All of it is in the queue, or on its way to the device.
    case written
    /// The feed is closed, by its owner or because its device is gone: it takes no more, and some of this was not
    /// taken.
    case closed
  }

  /// The format in which the device takes the frames: 16-bit integers or floats. Buffers of other sample formats are
  /// converted.
  public let format: AudioFormat
  private let ring: RingBuffer<UInt8>
  private let room = Signal()
  private let isFinished = Atomic<Bool>(false)
  private let closed = Atomic<Bool>(false)

  /// A feed with room for this much sound: a minute at most, and no more than 64 MiB. Integers of more than 16 bits
  /// become floats.
  public init(format: AudioFormat, capacity: Duration = .milliseconds(500)) {
    let format = format.forDevices
    self.format = format
    ring = RingBuffer(atLeast: max(format.frames(in: capacity), 1) * format.bytesPerFrame)
  }

  /// Appends the frames of a sample directly after those before; its time is ignored.
  ///
  /// - Returns: whether it was written, or the feed is closed.
  /// - Throws: `AudioIOError` `.formatChanged` for another rate or other channels; `.wrongState` after `finish()`;
  ///   `.cancelled` if the task is cancelled while there is no room: some of the sample may have been taken.
  public func write(_ sample: PCMSample) throws(AudioIOError) -> Outcome { try write(sample.payload) }

  /// Appends a buffer; waits while there is no room, unless the task is cancelled. One thread at a time.
  ///
  /// - Returns: whether it was written, or the feed is closed.
  /// - Throws: `AudioIOError` `.formatChanged` for another rate or other channels; `.wrongState` after `finish()`;
  ///   `.cancelled` if the task is cancelled while there is no room: some of the buffer may have been taken.
  public func write(_ buffer: PCMBuffer) throws(AudioIOError) -> Outcome {
    guard !isFinished.load(ordering: .acquiring) else { throw AudioIOError(.wrongState) }
    guard buffer.format.sampleRate == format.sampleRate, buffer.format.channels == format.channels else {
      throw AudioIOError(.formatChanged(format, to: buffer.format))
    }
    switch format.sampleFormat {
    // `bytes` counts as unsafe because elements of another type could have padding; samples have none.
    case .int16: return try unsafe write(buffer.int16s.span.bytes)
    case .int24, .int32, .float32: return try unsafe write(buffer.floats.span.bytes)
    }
  }

  private func write(_ bytes: RawSpan) throws(AudioIOError) -> Outcome {
    var done = 0
    while done < bytes.byteCount {
      guard !isClosed else { return .closed }
      // Whole frames, so that the device never finds half a one.
      let fits = min(bytes.byteCount - done, ring.writableCount) / format.bytesPerFrame * format.bytesPerFrame
      guard fits > 0 else {
        if Cancellation.isRequested { throw AudioIOError(.cancelled) }
        _ = room.take(within: RenderFeed.patience)
        continue
      }
      done += ring.write(bytes.extracting(done..<(done + fits)))
    }
    return .written
  }

  /// How long a writer sleeps at most before it checks again.
  private static let patience = Duration.milliseconds(100)

  /// Announces that no more will come: the sound is over when the queue is empty. Called again, it does nothing.
  public func finish() { isFinished.store(true, ordering: .releasing) }

  /// Wakes a waiting writer, and takes no more.
  public func close() {
    closed.store(true, ordering: .releasing)
    room.give()
  }

  /// Whether it takes no more, because it was closed or its device is gone.
  public var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Whether this many frames are queued, or all the rest. A test whose clock waits for it never outruns the decoder.
  package func holds(frames: Int) -> Bool {
    isFinished.load(ordering: .acquiring) || queuedFrames >= frames
  }

  /// Frames in the queue.
  public var queuedFrames: Int { ring.readableCount / format.bytesPerFrame }

  /// Hands frames to the device: the callback of a renderer.
  public func render(_ memory: UnsafeMutableRawBufferPointer) -> Rendered {
    // In this order: what was written before the feed was finished is in the ring by then.
    let isFinished = isFinished.load(ordering: .acquiring)
    var bytes = unsafe memory.mutableBytes
    let count = ring.read(into: &bytes)
    if count > 0 { room.give() }
    return Rendered(frames: count / format.bytesPerFrame, isLast: isFinished && ring.readableCount == 0)
  }
}
