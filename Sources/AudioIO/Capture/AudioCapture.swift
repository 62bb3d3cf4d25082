public import MediaCore

/// The result of waiting for sound.
public enum CaptureEvent: Sendable {
  /// Sound.
  ///
  /// Its time counts frames from the start of the capture, including those that were lost: if a sample begins later
  /// than the one before it ended, the frames between them were not fetched in time, or the device dropped them. Where
  /// that happened at the very end, a sample without frames follows, whose time is that of the end.
  ///
  /// `hostTime` is when its first frame reached the microphone, in nanoseconds of the system's monotonic clock: the
  /// time at which it reached us minus the latency, smoothed.
  case sample(PCMSample, hostTime: Int64)
  /// No sound within the given time.
  case nothingYet
  /// Capture was stopped, or the device has no more sound: nothing more will come.
  case ended
}

/// Captures sound from a device for as long as it is referenced.
///
/// ```swift
/// let capture = try AudioCapture(device: .default)
/// try capture.start()
/// capture: while !Task.isCancelled {
///   switch try capture.next(within: .seconds(1)) {
///   case .sample(let sound, _): print(sound.payload.frameCount)
///   case .nothingYet: continue
///   case .ended: break capture
///   }
/// }
/// capture.stop()
/// // What came before it stopped can still be fetched.
/// while case .sample(let sound, _) = try capture.next(within: .zero) { print(sound.payload.frameCount) }
/// ```
///
/// The device's thread puts sound into a queue of two seconds, from which `next` fetches it on the caller's thread. If
/// sound is not fetched in time, what does not fit is dropped and counted: the next sample begins later by as much.
public final class AudioCapture: Sendable {
  /// The format of the samples.
  public let format: AudioFormat
  /// The device as it was requested.
  public let device: DeviceName

  private let backend: any CaptureBackend
  private let queue: CaptureQueue
  private let life = DeviceLife()
  private let consumer = Lock(Consumer())

  private struct Consumer {
    var position: Int64 = 0
    var lostFrames = 0
  }

  /// Opens a device; nothing is captured yet.
  ///
  /// - Parameters:
  ///   - device: the device to open.
  ///   - format: the format to deliver; `nil` for the device's own; sound servers and virtual devices convert to
  ///     others.
  ///   - options: latency and processing.
  ///   - clock: what drives a virtual device.
  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`, `.noDevice`, `.wrongDirection`, `.refused`,
  ///   `.formatNotSupported`, `.file`; `.formatOutOfRange` for a rate or a number of channels that no device has.
  public init(
    device: DeviceName = .default, format: AudioFormat? = nil, options: AudioOptions = AudioOptions(),
    clock: any DeviceClock = RealClock()
  ) throws(AudioIOError) {
    self.device = device
    try format?.check(for: device)
    switch device.kind {
    case .tone(let frequency):
      backend = VirtualCapture(
        ToneSource(frequency: frequency, format: format ?? AudioFormat()), options: options, clock: clock)
    case .file(let path):
      backend = VirtualCapture(
        try FileCaptureSource(path: path, format: format, device: device), options: options, clock: clock)
    case .null: throw AudioIOError(.wrongDirection(.playback), device: device.text)
    case .server(let name):
      backend = try PulseCapture(device: name, format: format, options: options)
    }
    // A file or a server may claim any format.
    try backend.format.check(for: device)
    self.format = backend.format
    queue = CaptureQueue(format: backend.format)
  }

  deinit {
    backend.stop()
  }

  /// Starts capturing. Returns at once, or within seconds where a server does not answer.
  ///
  /// - Throws: `AudioIOError`: `.noServer`, `.noDevice`, `.wrongDirection`, `.refused`; `.wrongState` when started or
  ///   stopped before.
  public func start() throws(AudioIOError) {
    try life.start(device) { () throws(AudioIOError) in try backend.start(queue) }
  }

  /// Stops capturing, whatever happened before; what was captured can still be fetched. Once it returns the device's
  /// thread is gone. May be called any number of times, from any thread.
  public func stop() {
    life.stop { backend.stop() }
    queue.end(.finished)
  }

  /// The next sound.
  ///
  /// - Parameter limit: how long to wait for it.
  /// - Returns: sound; that there is none yet; or that there will be none.
  /// - Throws: `AudioIOError` `.serverLost`, `.deviceLost`, `.file`, once everything captured before was returned.
  public func next(within limit: Duration = .seconds(1)) throws(AudioIOError) -> CaptureEvent {
    if let event = try fetch() { return event }
    let clock = ContinuousClock()
    let deadline = clock.now + limit
    while true {
      queue.wait(within: clock.now.duration(to: deadline))
      if let event = try fetch() { return event }
      if clock.now >= deadline { return .nothingYet }
    }
  }

  /// Frames lost before or between the samples fetched so far: the sum of the gaps.
  public var lostFrames: Int { consumer.withLock { $0.lostFrames } }

  private func fetch() throws(AudioIOError) -> CaptureEvent? {
    let ending = queue.ending
    if let sample = pop(isEnded: ending != .running) { return sample }
    if let error = ending.error(device: device, failure: backend.failure) { throw error }
    return ending == .running ? nil : .ended
  }

  private func pop(isEnded: Bool) -> CaptureEvent? {
    consumer.withLock { consumer in
      guard let (samples, time, frames, lost) = queue.pop(isEnded: isEnded) else { return nil }
      let buffer =
        switch samples {
        case .int16(let samples): PCMBuffer(samples, sampleRate: format.sampleRate, layout: format.layout)
        case .int32(let samples):
          PCMBuffer(
            samples, sampleFormat: format.sampleFormat, sampleRate: format.sampleRate, layout: format.layout)
        case .float32(let samples): PCMBuffer(samples, sampleRate: format.sampleRate, layout: format.layout)
        }
      let position = consumer.position + Int64(lost)
      consumer.position = position + Int64(frames)
      consumer.lostFrames += lost
      return .sample(PCMSample(buffer, at: position), hostTime: time)
    }
  }
}
