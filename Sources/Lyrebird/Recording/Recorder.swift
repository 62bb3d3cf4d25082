internal import AAC
public import AudioIO
internal import Dispatch
public import MediaCore

/// Records from a device to a file: capture, encode, write.
///
/// ```swift
/// let recorder = try Recorder(from: .default, to: "voice.m4a")
/// try await recorder.start()
/// for await status in recorder.updates() where status.level.isClipped { print("too loud") }
/// let summary = try await recorder.stop()
/// ```
///
/// Whatever ends it, what was captured until then is in the file, even if the device goes away or the disk is full;
/// `stop()` then throws the error after finishing the file. See `RecordingWriter` for what becomes of the file when
/// this process dies.
///
/// A recorder whose last reference is released stops as by `stop()`: the microphone is closed and the file finished, on
/// a thread of its own. Call `stop()` to learn how that went.
public final class Recorder: Sendable {
  /// How to record.
  public struct Options: Sendable {
    /// How to write the file.
    public var writer = RecordingWriter.Options()
    /// What to capture; `nil` takes the device's own format.
    public var format: AudioFormat?
    /// How to open the device.
    public var audio = AudioOptions(buffer: .milliseconds(100))
    /// When to stop automatically, not counting pauses; `nil` for never.
    public var duration: Duration?

    /// The default options.
    public init() {}
  }

  /// How a recording is progressing.
  public struct Status: Sendable {
    /// The recorder's state: running from `start()` until the file is finished, and completed only once it has its
    /// name.
    public internal(set) var state = PipelineState.unknown
    /// What was recorded so far.
    public internal(set) var summary: RecordingWriter.Summary
    /// How loud the last buffer was; also during a pause, so that a level can be set before resuming.
    public internal(set) var level = AudioLevel.silence
    /// Whether any sample so far reached full scale. Samples left out by a pause do not count.
    public internal(set) var hasClipped = false
    /// Whether it is paused.
    public internal(set) var isPaused = false
  }

  /// The format of the recorded sound.
  public let format: AudioFormat
  private let session: RecordingSession

  /// Opens the device; no file is made, and nothing recorded yet.
  ///
  /// - Parameters:
  ///   - device: the device to record from.
  ///   - path: the final name of the file; `.m4a`, `.aac` or `.wav` selects its kind.
  ///   - options: how to record.
  ///   - clock: what drives a virtual device.
  /// - Throws: `RecordingError` `.unknownType`; `AudioIOError`.
  public init(
    from device: DeviceName = .default, to path: String, options: Options = Options(),
    clock: any DeviceClock = RealClock()
  ) throws {
    guard let type = AudioFileType(path: path) else { throw RecordingError(.unknownType, file: path) }
    var capture = try AudioCapture(device: device, format: options.format, options: options.audio, clock: clock)
    if type != .wav, options.format == nil, let other = Recorder.encodable(capture.format) {
      capture = try AudioCapture(device: device, format: other, options: options.audio, clock: clock)
    }
    format = capture.format
    // A sound server's times are those of the system clock, whatever drives virtual devices.
    session = RecordingSession(capture, path: path, options: options, clock: device.isVirtual ? clock : RealClock())
  }

  deinit {
    session.abandon()
  }

  /// The format to request from the device, if AAC does not support its own rate or
  /// layout: sound servers convert, and so do virtual devices.
  ///
  /// - Returns: `nil` if the device's own format will do.
  static func encodable(_ format: AudioFormat) -> AudioFormat? {
    guard !AACEncoder.canEncode(format) else { return nil }
    var other = format
    other.sampleRate = 48_000
    if AACEncoder.canEncode(other) { return other }
    other.layout = .stereo
    other.sampleRate = format.sampleRate
    if !AACEncoder.canEncode(other) { other.sampleRate = 48_000 }
    return other
  }

  /// Opens the file, then starts capturing, so that sound always has somewhere to go.
  ///
  /// - Throws: what `RecordingWriter` and `AudioCapture` throw; there is no file then. `RecordingError`:
  ///   `.startedBefore`; `.cancelled`, also while it was starting.
  public func start() async throws {
    try await session.start()
  }

  /// The current status: for a level meter.
  public var status: Status { session.status }

  /// The status, now and whenever sound has arrived, some twenty times a second, until it has ended.
  ///
  /// A slow reader gets only the newest. Each call makes a separate sequence; none of them keeps the recorder alive.
  public func updates() -> AsyncStream<Status> { session.updates() }

  /// Pauses or resumes the recording: what is heard meanwhile is not in the file, and not counted.
  ///
  /// The device stays open. Pauses apply to the time at which sound was heard, however long it takes from the
  /// microphone to the file. Before `start()` it means that recording begins paused.
  public func setPaused(_ isPaused: Bool) {
    session.setPaused(isPaused)
  }

  /// Stops capturing and finishes the file with everything captured so far.
  ///
  /// - Returns: what was recorded; the same when it is called again.
  /// - Throws: what went wrong: `AudioIOError` if the device failed, otherwise what `RecordingWriter` throws. The file
  ///   is finished all the same, if possible. `RecordingError`: `.notStarted`, `.cancelled`.
  @discardableResult
  public func stop() async throws -> RecordingWriter.Summary {
    try await session.stop()
    return try await session.finished(evenIfCancelled: true)
  }

  /// Waits until the recording ends by itself: when the time is up, or something goes wrong.
  ///
  /// - Returns: what was recorded.
  /// - Throws: as `stop()`; `CancellationError` if the waiting task is cancelled, which leaves the recording as it is.
  @discardableResult
  public func finished() async throws -> RecordingWriter.Summary {
    try await session.finished(evenIfCancelled: false)
  }

  /// Abandons the recording and leaves no file. A recording that is being finished, or is over, stays.
  ///
  /// When it returns the device is closed and the file gone; while the recording is starting, `start()` sees to that.
  /// So it waits, on the caller's thread, for the device's thread to end, and for the disk if something is being
  /// written: for some milliseconds as a rule, for seconds where a disk or a sound server hangs.
  public func cancel() {
    session.cancel()
  }
}

extension Duration {
  /// How many frames this is, rounded down; the largest number that can be counted if there are more.
  func frames(at sampleRate: Int) -> Int64 {
    let rate = Int128(sampleRate)
    return Int64(
      clamping: Int128(components.seconds) * rate + Int128(components.attoseconds) * rate / 1_000_000_000_000_000_000)
  }
}
