internal import AAC
public import AudioIO
internal import Dispatch
public import MediaCore

/// Records from a device to a file: capture, encode, write.
///
/// ```swift
/// let recorder = try Recorder(from: .default, to: "voice.m4a")
/// try recorder.start()
/// …
/// let summary = try await recorder.stop()
/// ```
///
/// Whatever ends it, what was captured until then is in the file: the device going away and a full disk too; `stop()`
/// then throws what happened, after the file was finished. See `RecordingWriter` for what becomes of the file when this
/// process dies.
public final class Recorder: Sendable {
  /// How to record.
  public struct Options: Sendable {
    /// How to write the file.
    public var writer = RecordingWriter.Options()
    /// What to capture; `nil` takes the device's own format.
    public var format: AudioFormat?
    /// How to open the device.
    public var audio = AudioOptions(buffer: .milliseconds(100))
    /// When to stop by itself; `nil` for never.
    public var duration: Duration?

    /// The usual.
    public init() {}
  }

  /// How a recording is getting on.
  public struct Status: Sendable {
    /// Where the recorder is in its life.
    public internal(set) var state = PipelineState.unknown
    /// What was recorded so far.
    public internal(set) var summary: RecordingWriter.Summary
    /// How loud the last buffer was.
    public internal(set) var level = AudioLevel.silence
  }

  /// What is recorded.
  public let format: AudioFormat
  private let capture: AudioCapture
  private let path: String
  private let options: Options
  private let frameLimit: UInt64
  private let machine = Lock(RecorderMachine<any Error>())
  private let writer = Lock<RecordingWriter?>(nil)
  private let shown: Lock<Status>
  private let ended = Completion()

  /// Opens the device; no file is made, and nothing recorded yet.
  ///
  /// - Parameters:
  ///   - device: which.
  ///   - path: what the file is called in the end; `.m4a`, `.aac` and `.wav` tell its kind.
  ///   - options: how to record.
  ///   - clock: what drives a virtual device.
  /// - Throws: `RecordingError` `.unknownType`; `AudioIOError`.
  public init(
    from device: DeviceName = .default, to path: String, options: Options = Options(),
    clock: any DeviceClock = RealClock()
  ) throws {
    let type = try RecordingFileType(path: path)
    self.path = path
    self.options = options
    var capture = try AudioCapture(device: device, format: options.format, options: options.audio, clock: clock)
    if type != .wav, options.format == nil, !device.isVirtual, let other = Recorder.encodable(capture.format) {
      capture = try AudioCapture(device: device, format: other, options: options.audio, clock: clock)
    }
    self.capture = capture
    format = capture.format
    frameLimit = options.duration.map { UInt64(max($0.frames(at: capture.format.sampleRate), 0)) } ?? .max
    shown = Lock(Status(summary: RecordingWriter.Summary(path: path)))
  }

  /// What to ask a sound server for where AAC has no such rate or layout as its device works in: it converts.
  ///
  /// - Returns: `nil` where the device's own format will do.
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

  /// Opens the file and then starts capturing: what takes the sound is there before the sound.
  ///
  /// - Throws: what `RecordingWriter` and `AudioCapture` throw; there is no file then.
  public func start() throws {
    guard machine.withLock({ $0.handle(.start) }) == .startCapture else { return }
    do {
      try writer.withLock { $0 = try RecordingWriter(path: path, format: format, options: options.writer) }
      try capture.start()
    } catch {
      cancel()
      throw error
    }
    // A thread of its own: it waits for the device and for the disk, which no task may do.
    DispatchQueue(label: "lyrebird.recorder").async { self.record() }
  }

  /// How it is getting on: for a level meter.
  public var status: Status {
    var status = shown.withLock { $0 }
    status.state = machine.withLock { $0.state }
    return status
  }

  /// Stops capturing and finishes the file with all that was captured until now.
  ///
  /// - Returns: what was recorded; the same again when it is called again.
  /// - Throws: what went wrong: `AudioIOError` if the device failed, otherwise what `RecordingWriter` throws. The file
  ///   is finished all the same, if that could be done.
  @discardableResult
  public func stop() async throws -> RecordingWriter.Summary {
    perform(machine.withLock { $0.handle(.stop) })
    return try await finished()
  }

  /// Waits until it ends by itself: when the time is up, or something goes wrong.
  ///
  /// - Returns: what was recorded.
  /// - Throws: as `stop()`.
  @discardableResult
  public func finished() async throws -> RecordingWriter.Summary {
    if machine.withLock({ $0.state }) != .unknown { await ended.wait() }
    if let failure = machine.withLock({ $0.failure }) { throw failure }
    return shown.withLock { $0.summary }
  }

  /// Gives the recording up and leaves no file.
  public func cancel() {
    perform(machine.withLock { $0.handle(.cancel) })
  }

  // MARK: On its own thread

  private func record() {
    defer { ended.complete() }
    do {
      var isEnded = false
      while !isEnded {
        switch try capture.next(within: .milliseconds(200)) {
        case .buffer(let captured): try take(captured)
        case .nothingYet: break
        case .ended: isEnded = true
        }
      }
    } catch {
      perform(machine.withLock { $0.handle(.failed(error)) })
    }
    perform(machine.withLock { $0.handle(.drained) })
  }

  private func take(_ captured: CapturedBuffer) throws {
    let left = frameLimit - shown.withLock { $0.summary.frames }
    let missing = min(UInt64(captured.lostFrames), left)
    let buffer = captured.buffer.prefix(Int(clamping: left - missing))
    guard buffer.frameCount > 0 || missing > 0 else { return }
    let level = AudioLevel(buffer)
    let summary = try writer.withLock { writer in
      try writer?.append(buffer, missing: missing)
      return writer?.summary
    }
    let isOver = shown.withLock { status in
      status.level = level
      status.summary = summary ?? status.summary
      return status.summary.frames >= frameLimit
    }
    if isOver { perform(machine.withLock { $0.handle(.stop) }) }
  }

  private func perform(_ action: RecorderMachine<any Error>.Action) {
    switch action {
    case .stopCapture: capture.stop()
    case .finishFile: finishFile()
    case .discard:
      capture.stop()
      writer.withLock { writer in
        writer?.cancel()
        writer = nil
      }
      ended.complete()
    case .startCapture, .nothing: break
    }
  }

  private func finishFile() {
    do {
      let summary = try writer.withLock { try $0?.finish() }
      shown.withLock { $0.summary = summary ?? $0.summary }
    } catch {
      _ = machine.withLock { $0.handle(.failed(error)) }
    }
  }
}

extension Duration {
  /// How many frames go by, rounded down.
  func frames(at sampleRate: Int) -> Int64 {
    let whole = components.seconds.multipliedReportingOverflow(by: Int64(sampleRate))
    let part = Double(components.attoseconds) / 1e18 * Double(sampleRate)
    return whole.overflow ? .max : whole.partialValue + Int64(part)
  }
}
