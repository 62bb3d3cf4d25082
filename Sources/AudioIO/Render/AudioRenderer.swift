public import MediaCore

/// Plays sound on a device, which asks for it through a callback.
///
/// ```swift
/// let feed = RenderFeed(format: format)
/// let renderer = try AudioRenderer(device: .default, feed: feed)
/// try renderer.start()
/// while let sound = try decoder.next(), try feed.write(sound) == .written {}
/// feed.finish()
/// while !renderer.isOver { try await Task.sleep(for: .milliseconds(10)) }
/// renderer.stop()
/// if let failure = renderer.failure { throw failure }
/// ```
///
/// If there is less sound than the device wants, what there is is played, then silence, and `underruns` counts it. It
/// plays for as long as it is referenced: releasing the last reference stops it, as `stop()` does.
public final class AudioRenderer: Sendable {
  /// The format that the callback delivers.
  public let format: AudioFormat
  /// The device as it was requested.
  public let device: DeviceName

  private let backend: any RenderBackend
  private let source: RenderSource
  private let life = DeviceLife()

  /// Opens a device; nothing is played yet.
  ///
  /// - Parameters:
  ///   - device: the device to open.
  ///   - format: the format that the callback delivers. A sound server converts it to its device's format.
  ///   - options: latency.
  ///   - clock: what drives a virtual device.
  ///   - callback: delivers the sound.
  /// - Throws: `AudioIOError`: `.wrongDirection`, `.file`; `.formatOutOfRange` for a rate or a number of channels that
  ///   no device has.
  public convenience init(
    device: DeviceName = .default, format: AudioFormat, options: AudioOptions = AudioOptions(),
    clock: any DeviceClock = RealClock(), callback: @escaping RenderCallback
  ) throws(AudioIOError) {
    try unsafe self.init(
      device: device, format: format, options: options, clock: clock, goingOnIn: nil, callback: callback)
  }

  private init(
    device: DeviceName, format: AudioFormat, options: AudioOptions, clock: any DeviceClock,
    goingOnIn openFile: VirtualFile?, callback: @escaping RenderCallback
  ) throws(AudioIOError) {
    try format.check(for: device)
    self.device = device
    self.format = format
    source = unsafe RenderSource(format: format, callback)
    switch device.kind {
    case .tone: throw AudioIOError(.wrongDirection(.capture), device: device.text)
    case .null:
      backend = VirtualRenderer(file: nil, isFinishing: false, format: format, options: options, clock: clock)
    case .file(let path):
      let file = if let openFile { openFile } else { try VirtualFile(path: path, format: format, device: device) }
      backend = VirtualRenderer(
        file: file, isFinishing: openFile == nil, format: format, options: options, clock: clock)
    case .server(let name): backend = try PulseRenderer(device: name, format: format, options: options)
    }
  }

  /// Opens a device that plays what a feed holds.
  ///
  /// - Throws: `AudioIOError`: `.wrongDirection`, `.file`; `.formatOutOfRange` for a rate or a number of channels that
  ///   no device has.
  public convenience init(
    device: DeviceName = .default, feed: RenderFeed, options: AudioOptions = AudioOptions(),
    clock: any DeviceClock = RealClock()
  ) throws(AudioIOError) {
    try self.init(device: device, feed: feed, options: options, clock: clock, goingOnIn: nil)
  }

  /// The same; a device that is a file continues `file`, which the caller finishes.
  package convenience init(
    device: DeviceName, feed: RenderFeed, options: AudioOptions, clock: any DeviceClock, goingOnIn file: VirtualFile?
  ) throws(AudioIOError) {
    // The feed writes into the memory that it is given, and no further.
    try unsafe self.init(device: device, format: feed.format, options: options, clock: clock, goingOnIn: file) {
      unsafe feed.render($0)
    }
    // Nothing drains the feed any more: a writer waiting for room would wait for ever.
    source.onEnd.withLock { $0 = { feed.close() } }
  }

  /// Stops: the callback is not called any more, and a writer waiting for room in the feed returns.
  deinit {
    backend.stop()
    source.end(.finished)
  }

  /// Starts playing.
  ///
  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`, `.noDevice`, `.wrongDirection`, `.refused`, after which its
  ///   feed is closed; `.wrongState` when started or stopped before.
  public func start() throws(AudioIOError) {
    try life.start(device) { () throws(AudioIOError) in
      do throws(AudioIOError) {
        try backend.start(source)
      } catch {
        // Nothing will ever drain the feed: a writer waiting for room would wait for ever.
        source.end(.finished)
        throw error
      }
    }
  }

  /// Pauses or resumes. Before `start()` it means that playing begins paused.
  public func setPaused(_ isPaused: Bool) { backend.setPaused(isPaused) }

  /// The volume: from 0, silence, to 1, unchanged bit for bit; values outside are clamped. May be changed at any time,
  /// from any thread: a change is spread over a hundredth of a second, so that it does not click. Underruns and the
  /// position do not depend on it.
  public var volume: Float {
    get { source.volume }
    set { source.volume = newValue }
  }

  /// Stops at once, whatever happened before. Once it returns the callback is not running and will not be called again.
  /// May be called any number of times, from any thread but the callback's.
  public func stop() {
    life.stop { backend.stop() }
    source.end(.finished)
  }

  /// The frame that is heard now, counted from 0 at the start; silence of underruns does not count. Once the device has
  /// failed or was stopped, the one that was heard last, as far as is known.
  public var position: Int64 { source.position(heard: backend.heardFrames) }
  /// Frames between the callback and the ear.
  public var latencyFrames: Int { backend.latencyFrames }
  /// How often there was too little to play; silence in a row counts once.
  public var underruns: Int { source.underrunCount }
  /// Frames of silence that were played for want of sound.
  public var silentFrames: Int { source.silentFrames }
  /// Whether nothing more will be heard: the last frame, which the callback marked, has been heard, the device has
  /// failed (`failure` says how), or it was stopped.
  public var isOver: Bool { source.ending != .running || source.isOver(heard: backend.heardFrames) }

  /// The error that ended playing early, if any.
  public var failure: AudioIOError? { source.ending.error(device: device, failure: backend.failure) }
}
