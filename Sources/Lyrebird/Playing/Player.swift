public import AudioIO
internal import Dispatch
public import MediaCore
public import WAV

/// Plays the sound of a file: demux, decode, render.
///
/// ```swift
/// let player = Player(try AudioTrackDecoder(movie, track: track))
/// player.play()
/// try await player.finished()
/// ```
///
/// It ends when the last frame has been heard, not when it was handed over. Gapless: what an encoder added in front and
/// behind is not heard. Sound is handed to the device as 16-bit samples, the same that `decode` writes.
public final class Player: Sendable {
  /// How playing is getting on.
  public struct Status: Sendable, Hashable {
    /// Where the player is in its life.
    public var state: PipelineState
    /// The frame that is heard now, of what is to be heard of the file; once a seek was asked for, where it goes to.
    public var position: Int64
    /// How often the device wanted more than was decoded.
    public var underruns: Int
    /// Packets that were broken, and concealed.
    public var concealedPackets: UInt64
  }

  /// What the device is given.
  public let format: AudioFormat
  /// Frames that there are to be heard; `nil` where the file does not say.
  public let frameCount: Int64?

  private let device: DeviceName
  private let options: AudioOptions
  private let clock: any DeviceClock
  private let source: Lock<any PlayerSource>
  private let machine = Lock(PlayerMachine<any Error>())
  private let control = Lock(Control())
  private let ended = Completion()
  /// Wakes who waits for the end of a segment.
  private let brokenOff = DispatchSemaphore(value: 0)

  /// What is being played, for those who are not playing it.
  private struct Control {
    var segment: Segment?
    /// Where the segment began, or where playing ended.
    var start: Int64 = 0
    var isPaused = false
    var volume: Float = 1
    /// Underruns of segments that are over.
    var underruns = 0
    var concealedPackets: UInt64 = 0
  }

  /// What is played in one go.
  private struct Segment: Sendable {
    let feed: RenderFeed
    let renderer: AudioRenderer
  }

  /// A player of a decoder's sound; nothing is played yet.
  ///
  /// - Parameters:
  ///   - decoder: what is to be heard.
  ///   - device: where.
  ///   - options: how to open the device.
  ///   - clock: what drives a virtual device.
  public convenience init(
    _ decoder: sending AudioTrackDecoder, device: DeviceName = .default,
    options: AudioOptions = AudioOptions(buffer: .milliseconds(100)), clock: any DeviceClock = RealClock()
  ) {
    self.init(source: decoder, device: device, options: options, clock: clock)
  }

  /// A player of a WAVE file; nothing is played yet.
  ///
  /// - Parameters:
  ///   - wav: what is to be heard, from its beginning on.
  ///   - device: where.
  ///   - options: how to open the device.
  ///   - clock: what drives a virtual device.
  public convenience init(
    _ wav: WAVReader, device: DeviceName = .default,
    options: AudioOptions = AudioOptions(buffer: .milliseconds(100)), clock: any DeviceClock = RealClock()
  ) {
    self.init(source: WAVPlayerSource(wav), device: device, options: options, clock: clock)
  }

  private init(
    source: sending any PlayerSource, device: DeviceName, options: AudioOptions, clock: any DeviceClock
  ) {
    format = AudioFormat(sampleRate: source.format.sampleRate, sampleFormat: .int16, layout: source.format.layout)
    frameCount = source.frameCount
    self.source = Lock(source)
    self.device = device
    self.options = options
    self.clock = clock
  }

  /// Starts, and returns at once.
  public func play() {
    guard case .begin(let frame) = machine.withLock({ $0.handle(.play) }) else { return }
    // A thread of its own: it waits for the device and for the disk, which no task may do.
    DispatchQueue(label: "lyrebird.player").async { self.run(from: frame) }
  }

  /// Holds, or goes on.
  public func setPaused(_ isPaused: Bool) {
    let segment = control.withLock { control in
      control.isPaused = isPaused
      return control.segment
    }
    segment?.renderer.setPaused(isPaused)
  }

  /// Goes on from another frame, counted from the first one to be heard. Before playing, it is where playing begins.
  public func seek(to frame: Int64) {
    perform(machine.withLock { $0.handle(.seek(bounded(frame))) })
  }

  /// Goes forward by so many frames, or back by a negative number of them: what the arrow keys of a player do.
  ///
  /// It counts from `status.position`, which a seek moves at once: three of them in a row go three times as far. Before
  /// the first frame and behind the last one it goes no further.
  public func seek(by frames: Int64) {
    let heard = heardPosition
    perform(
      machine.withLock { machine in
        let (frame, overflow) = (machine.target ?? heard).addingReportingOverflow(frames)
        return machine.handle(.seek(bounded(overflow ? (frames < 0 ? 0 : .max) : frame)))
      })
  }

  private func bounded(_ frame: Int64) -> Int64 { max(min(frame, frameCount ?? .max), 0) }

  /// How loud it is played: from 0, silence, to 1, the sound as it is, bit for bit; values outside are taken as the
  /// nearest of these. May be changed at any time, from any thread, before playing too; a change is spread over a
  /// hundredth of a second, so that it does not click.
  public var volume: Float {
    get { control.withLock { $0.volume } }
    set {
      let volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1)
      control.withLock { control in
        control.volume = volume
        control.segment?.renderer.volume = volume
      }
    }
  }

  /// Ends it at once, whatever happened before. May be called any number of times.
  public func stop() {
    perform(machine.withLock { $0.handle(.stop) })
  }

  /// How it is getting on.
  public var status: Status {
    let (state, target) = machine.withLock { ($0.state, $0.target) }
    let heard = heardPosition
    return control.withLock { control in
      Status(
        state: state, position: target ?? heard,
        underruns: control.underruns + (control.segment?.renderer.underruns ?? 0),
        concealedPackets: control.concealedPackets)
    }
  }

  /// Whether the device would find so many frames, or all the rest: for tests, see `RenderFeed.holds`.
  func holds(frames: Int) -> Bool {
    control.withLock { $0.segment }?.feed.holds(frames: frames) ?? false
  }

  private var heardPosition: Int64 {
    control.withLock { $0.start + ($0.segment?.renderer.position ?? 0) }
  }

  /// Waits until all has been heard, or playing has ended otherwise.
  ///
  /// - Throws: what ended it: `AudioIOError` if the device failed, `AudioDecodingError` or `WAVError` if the file did.
  public func finished() async throws {
    if machine.withLock({ $0.state }) == .running || machine.withLock({ $0.state }) == .completed { await ended.wait() }
    if let failure = machine.withLock({ $0.failure }) { throw failure }
  }

  // MARK: On its own thread

  private func run(from frame: Int64) {
    var action = PlayerMachine<any Error>.Action.begin(frame)
    while case .begin(let frame) = action {
      control.withLock { $0.start = frame }
      do {
        try play(from: frame)
      } catch {
        perform(machine.withLock { $0.handle(.failed(error)) })
      }
      endSegment()
      action = machine.withLock { $0.handle(.segmentEnded) }
    }
    ended.complete()
  }

  private func play(from frame: Int64) throws {
    let feed = RenderFeed(format: format)
    let renderer = try AudioRenderer(device: device, feed: feed, options: options, clock: clock)
    try source.withLock { try $0.seek(to: frame) }
    let isPaused = control.withLock { control in
      control.segment = Segment(feed: feed, renderer: renderer)
      renderer.volume = control.volume
      return control.isPaused
    }
    // Broken off while it was made: the segment was not there to be closed.
    guard !isBrokenOff else { return }
    try renderer.start()
    if isPaused { renderer.setPaused(true) }
    while case (let buffer?, let concealed) = try source.withLock({ (try $0.next(), $0.concealedPackets) }) {
      control.withLock { $0.concealedPackets = concealed }
      let isTaken = try feed.write(buffer)
      if let failure = renderer.failure { throw failure }
      if !isTaken { return }
    }
    feed.finish()
    while !renderer.isOver, !isBrokenOff {
      if let failure = renderer.failure { throw failure }
      _ = brokenOff.wait(timeout: .now() + .milliseconds(5))
    }
  }

  private var isBrokenOff: Bool { machine.withLock { $0.isBrokenOff } }

  private func endSegment() {
    guard let segment = control.withLock({ $0.segment }) else { return }
    // Asked before it is stopped: a device that is gone knows no position.
    let position = segment.renderer.position
    segment.renderer.stop()
    control.withLock { control in
      control.start += position
      control.underruns += segment.renderer.underruns
      control.segment = nil
    }
  }

  private func perform(_ action: PlayerMachine<any Error>.Action) {
    guard action == .breakOff else { return }
    control.withLock { $0.segment }?.feed.close()
    brokenOff.signal()
  }
}
