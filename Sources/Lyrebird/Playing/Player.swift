public import AudioIO
public import MediaCore

/// Plays the sound of a file: demux, decode, render.
///
/// ```swift
/// let player = try Player(path: "song.m4a")
/// try player.play()
/// try await player.finished()
/// ```
///
/// It ends when the last frame has been heard, not when it was handed over. Gapless: an encoder's priming and remainder
/// are not heard. Sound is handed to the device as 16-bit samples, the same that `decode` writes.
///
/// It plays for as long as it is referenced: releasing the last reference stops it, as `stop()` does. It plays once; to
/// play again, make another player.
public final class Player: Sendable {
  /// How playing is progressing.
  public struct Status: Sendable, Hashable {
    /// The player's state: unknown before `play()`, running until the last frame was heard and the device is closed,
    /// then completed, cancelled or failed.
    public var state: PipelineState
    /// The frame of the file's audible sound that is heard now; after a seek was requested, its target.
    public var position: Int64
    /// How often the sound stopped because the device wanted more than was decoded.
    public var underruns: Int
    /// Broken packets that were concealed.
    public var concealedPackets: UInt64
  }

  let core: PlayerCore

  /// A player of a file's sound: the first audio track of a movie, a stream of ADTS or LOAS, or a WAVE file, recognized
  /// by its content. Nothing is played yet.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - device: the device to play on.
  ///   - options: how to open the device.
  ///   - clock: what drives a virtual device.
  /// - Throws: `AudioDecodingError` for what cannot be opened or played.
  public convenience init(
    path: String, device: DeviceName = .default,
    options: AudioOptions = AudioOptions(buffer: .milliseconds(100)), clock: any DeviceClock = RealClock()
  ) throws(AudioDecodingError) {
    try self.init(try AudioReader(path: path), device: device, options: options, clock: clock)
  }

  /// A player of what a reader delivers, at its rate and in its channels; nothing is played yet.
  ///
  /// - Parameters:
  ///   - sound: the sound to play, which nobody else may read meanwhile.
  ///   - device: the device to play on.
  ///   - options: how to open the device.
  ///   - clock: what drives a virtual device.
  /// - Throws: `AudioDecodingError` if the sound cannot be had as 16-bit samples.
  public convenience init(
    _ sound: AudioReader, device: DeviceName = .default,
    options: AudioOptions = AudioOptions(buffer: .milliseconds(100)), clock: any DeviceClock = RealClock()
  ) throws(AudioDecodingError) {
    var format = sound.format
    format.sampleFormat = .int16
    try sound.setFormat(format)
    self.init(PlayerCore(source: sound, device: device, options: options, clock: clock))
  }

  init(_ core: PlayerCore) { self.core = core }

  deinit { core.stop() }

  /// The format handed to the device.
  public var format: AudioFormat { core.format }
  /// Frames to be heard; `nil` if the file does not say.
  public var frameCount: Int64? { core.frameCount }

  /// Starts, and returns at once: `finished()` throws what fails later.
  ///
  /// - Throws: `AudioIOError` `.wrongState` if it was started or stopped before.
  public func play() throws(AudioIOError) { try core.play() }

  /// Pauses or resumes. Before `play()` it means that playing begins paused.
  public func setPaused(_ isPaused: Bool) { core.setPaused(isPaused) }

  /// Continues from another frame, counted from the first one to be heard. Before `play()`, it is where playing begins;
  /// after the end it does nothing.
  public func seek(to frame: Int64) { core.seek(to: frame) }

  /// Skips forward by this many frames, or back if negative: what the arrow keys of a player do.
  ///
  /// It counts from `status.position`, which a seek moves at once: three in a row go three times as far. It goes no
  /// further than the first frame and the end.
  public func seek(by frames: Int64) { core.seek(by: frames) }

  /// The volume: from 0, silence, to 1, unchanged bit for bit; values outside are clamped. May be changed at any time,
  /// from any thread, also before playing; a change is spread over a hundredth of a second, so that it does not click.
  public var volume: Float {
    get { core.volume }
    set { core.volume = newValue }
  }

  /// Ends it at once, whatever happened before; a player that never played is over, too. May be called any number of
  /// times. `finished()` returns once the device is closed.
  public func stop() { core.stop() }

  /// The current status.
  public var status: Status { core.status }

  /// The status, again and again until it is over: for a display of the position.
  ///
  /// ```swift
  /// for await status in player.updates() { show(status.position) }
  /// ```
  ///
  /// The first comes at once, and the last one says how it ended. A slow reader misses those in between: nothing is
  /// queued. It does not keep the player alive.
  ///
  /// - Parameter interval: how long to wait before the next: a millisecond at least.
  public func updates(every interval: Duration = .milliseconds(50)) -> Updates {
    Updates(core: core, interval: max(interval, .milliseconds(1)))
  }

  /// Waits until everything has been heard, or it was stopped.
  ///
  /// - Returns: how it ended: completed or cancelled.
  /// - Throws: what ended it: `AudioIOError` if the device failed, `AudioDecodingError` if the file did, once what
  ///   comes before the damage has been heard; `AudioIOError` `.notStarted` before `play()`; `CancellationError` if the
  ///   task that waits is cancelled, which leaves the player as it is.
  @discardableResult
  public func finished() async throws -> Status { try await core.finished() }

  /// Whether the device would find this many frames, or all the rest: for tests, see `RenderFeed.holds`.
  func holds(frames: Int) -> Bool { core.holds(frames: frames) }
}

extension Player {
  /// A player's status, pulled: see `updates(every:)`.
  public struct Updates: AsyncSequence, Sendable {
    fileprivate let core: PlayerCore
    fileprivate let interval: Duration

    /// An iterator, independent of others.
    public func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    /// Reads the player's status when asked, but no more often than the interval allows.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
      fileprivate let updates: Updates
      private var isFirst = true
      private var isOver = false

      fileprivate init(updates: Updates) { self.updates = updates }

      /// The current status; `nil` after the last one, and once the task is cancelled.
      public mutating func next() async -> Status? {
        guard !isOver else { return nil }
        if !isFirst { try? await Task.sleep(for: updates.interval) }
        guard !Task.isCancelled else { return nil }
        let status = updates.core.status
        isFirst = false
        isOver = status.state != .unknown && status.state != .running
        return status
      }
    }
  }
}
