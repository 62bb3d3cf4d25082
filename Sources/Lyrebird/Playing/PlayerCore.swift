internal import AudioIO
internal import Dispatch
internal import MediaCore

/// The playing itself, for a `Player`. The thread that plays references this, and not the player, so that releasing the
/// player stops it.
final class PlayerCore: Sendable {
  private typealias Machine = PlayerMachine<any Error>

  /// What is played in one go.
  private struct Segment: Sendable {
    let feed: RenderFeed
    let renderer: AudioRenderer
  }

  private struct State {
    var machine = Machine()
    var segment: Segment?
    /// Where the segment began, or where playing ended.
    var start: Int64 = 0
    var isPaused = false
    var volume: Float = 1
    /// Underruns of segments that are over.
    var underruns = 0
    var concealedPackets: UInt64 = 0

    /// The frame that is heard now, or the one that a seek goes to.
    var position: Int64 { machine.target ?? start + (segment?.renderer.position ?? 0) }
  }

  let format: AudioFormat
  let frameCount: Int64?
  private let device: DeviceName
  private let options: AudioOptions
  private let clock: any DeviceClock
  private let source: AudioReader
  private let state = Lock(State())
  private let ended = Completion()
  /// Held while the device is paused or resumed, so that the last call wins.
  private let pausing = Lock(())
  /// Wakes the thread that waits for the end of a segment.
  private let brokenOff = DispatchSemaphore(value: 0)

  init(source: AudioReader, device: DeviceName, options: AudioOptions, clock: any DeviceClock) {
    format = source.format
    frameCount = source.frameCount
    self.source = source
    self.device = device
    self.options = options
    self.clock = clock
  }

  // MARK: What the owner asks for

  func play() throws(AudioIOError) {
    guard case .begin(let frame) = handle(.play) else { throw AudioIOError(.wrongState, device: device.text) }
    // A thread of its own: it waits for the device and for the disk, which no task may do.
    DispatchQueue(label: "lyrebird.player").async { self.run(from: frame) }
  }

  func stop() { perform(handle(.stop)) }

  func seek(to frame: Int64) { perform(handle(.seek(bounded(frame)))) }

  func seek(by frames: Int64) {
    perform(
      state.withLock { state in
        let (frame, overflow) = state.position.addingReportingOverflow(frames)
        return state.machine.handle(.seek(bounded(overflow ? (frames < 0 ? 0 : .max) : frame)))
      })
  }

  private func bounded(_ frame: Int64) -> Int64 { max(min(frame, frameCount ?? .max), 0) }

  func setPaused(_ isPaused: Bool) {
    state.withLock { $0.isPaused = isPaused }
    applyPause()
  }

  /// Pauses or resumes the device as last requested, by whichever thread. A segment that is being broken off stays as
  /// it is: sound that was paused and then left by a seek is not heard any more.
  private func applyPause() {
    pausing.withLock { _ in
      let (renderer, isPaused) = state.withLock { state in
        (state.machine.state == .playing ? state.segment?.renderer : nil, state.isPaused)
      }
      renderer?.setPaused(isPaused)
    }
  }

  var volume: Float {
    get { state.withLock { $0.volume } }
    set {
      let volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1)
      state.withLock { state in
        state.volume = volume
        state.segment?.renderer.volume = volume
      }
    }
  }

  // MARK: How it is getting on

  var status: Player.Status {
    state.withLock { state in
      Player.Status(
        state: state.machine.publicState, position: state.position,
        underruns: state.underruns + (state.segment?.renderer.underruns ?? 0),
        concealedPackets: state.concealedPackets)
    }
  }

  func finished() async throws -> Player.Status {
    guard status.state != .unknown else { throw AudioIOError(.notStarted, device: device.text) }
    try await ended.waitUnlessCancelled()
    if let failure = state.withLock({ $0.machine.failure }) { throw failure }
    return status
  }

  /// Whether the device would find this many frames, or all the rest: for tests, see `RenderFeed.holds`.
  func holds(frames: Int) -> Bool {
    state.withLock { $0.segment }?.feed.holds(frames: frames) ?? false
  }

  // MARK: On its own thread

  private func run(from first: Int64) {
    var file: VirtualFile?
    var action = Machine.Action.begin(first)
    while case .begin(let frame) = action {
      do { try playSegment(from: frame, into: &file) } catch { perform(handle(.failed(error))) }
      do throws(AudioIOError) { try endSegment() } catch { perform(handle(.failed(error))) }
      action = handle(.segmentEnded)
    }
    do throws(AudioIOError) { try file?.end() } catch { perform(handle(.failed(error))) }
    perform(handle(.closed))
  }

  /// - Parameter file: the device's file, if it has one: everything heard goes into it, one segment after the other.
  private func playSegment(from frame: Int64, into file: inout VirtualFile?) throws {
    var next = try firstSample(from: frame)
    guard !isAbandoned else { return }
    let feed = RenderFeed(format: format)
    if file == nil { file = try VirtualFile(of: device, format: format) }
    let renderer = try AudioRenderer(device: device, feed: feed, options: options, clock: clock, goingOnIn: file)
    state.withLock { state in
      state.segment = Segment(feed: feed, renderer: renderer)
      renderer.volume = state.volume
    }
    // Broken off while the segment was being made: it did not exist yet to be closed.
    guard !isAbandoned else { return }
    applyPause()
    try renderer.start()
    var damage: (any Error)?
    while let sample = next {
      guard try feed.write(sample) == .written else { return }
      // What comes before the damage is good: it is heard before this is a failure.
      do { next = try nextSample() } catch { (next, damage) = (nil, error) }
    }
    feed.finish()
    while !renderer.isOver, !isAbandoned { _ = brokenOff.wait(timeout: .now() + .milliseconds(5)) }
    if let damage, !isAbandoned { throw damage }
  }

  /// Seeks to a frame, which may take long: far into a large file, a table of many entries has to be read first.
  ///
  /// - Returns: the first sample from there; `nil` at the end, and if it was broken off.
  private func firstSample(from frame: Int64) throws -> PCMSample? {
    do {
      return try Cancellation.watched(by: { self.isAbandoned }) {
        try source.seek(to: frame, unless: { self.isAbandoned })
        return isAbandoned ? nil : try nextSample()
      }
    } catch let error as any MediaError where error.kind == .cancelled {
      return nil
    }
  }

  private func nextSample() throws -> PCMSample? {
    let sample = try source.next()
    let concealed = source.concealedPackets
    state.withLock { $0.concealedPackets = concealed }
    return sample
  }

  private var isAbandoned: Bool { state.withLock { $0.machine.state != .playing } }

  private func endSegment() throws(AudioIOError) {
    guard let segment = state.withLock({ $0.segment }) else { return }
    segment.renderer.stop()
    state.withLock { state in
      state.start += segment.renderer.position
      state.underruns += segment.renderer.underruns
      state.segment = nil
    }
    if let failure = segment.renderer.failure { throw failure }
  }

  private func handle(_ event: Machine.Event) -> Machine.Action {
    state.withLock { state in
      let action = state.machine.handle(event)
      if case .begin(let frame) = action { state.start = frame }
      return action
    }
  }

  private func perform(_ action: Machine.Action) {
    switch action {
    case .breakOff:
      state.withLock { $0.segment }?.feed.close()
      brokenOff.signal()
    case .end: ended.complete()
    case .begin, .close, .nothing: break
    }
  }
}
