internal import AudioIO
internal import Dispatch
internal import MediaCore

/// What a `Recorder` stands for: the recording itself, which lives until it is finished, even if the recorder is released
/// before.
final class RecordingSession: Sendable {
  private typealias Machine = RecorderMachine<any Error>

  private let capture: AudioCapture
  private let path: String
  private let options: Recorder.Options
  private let clock: any DeviceClock
  private let frameLimit: UInt64
  private let machine = Lock(Machine())
  private let writer = Lock<RecordingWriter?>(nil)
  private let pauses = Lock(PauseTimes())
  private let shown: Lock<Recorder.Status>
  private let watchers = Lock(Watchers())
  /// Held while they are told, so that the last thing that they are told is the last that happened.
  private let telling = Lock(())
  private let ended = Completion()
  /// A thread of its own: it waits for the device and for the disk, which no task may do.
  private let thread = DispatchQueue(label: "lyrebird.recorder")
  /// Where stopping waits for the device's thread.
  private let control = DispatchQueue(label: "lyrebird.recorder.control")

  /// Sequences of updates that were asked for.
  private struct Watchers {
    var next = 0
    var streams: [Int: AsyncStream<Recorder.Status>.Continuation] = [:]
  }

  init(_ capture: AudioCapture, path: String, options: Recorder.Options, clock: any DeviceClock) {
    self.capture = capture
    self.path = path
    self.options = options
    self.clock = clock
    frameLimit = options.duration.map { UInt64(max($0.frames(at: capture.format.sampleRate), 0)) } ?? .max
    shown = Lock(Recorder.Status(summary: RecordingWriter.Summary(path: path)))
  }

  // MARK: What the owner asks for

  func start() async throws {
    _ = try handle(.start)
    await withCheckedContinuation { continuation in
      thread.async {
        self.open()
        continuation.resume()
      }
    }
    switch machine.withLock({ ($0.state, $0.failure) }) {
    case (.failed, let failure?): throw failure
    case (.cancelled, _): throw RecordingError(.cancelled, file: path)
    default: break
    }
  }

  func stop() async throws {
    let action = try handle(.stop)
    guard action != .nothing else { return }
    await withCheckedContinuation { continuation in
      control.async {
        self.perform(action)
        continuation.resume()
      }
    }
  }

  /// Stops it without waiting: the recorder was released.
  func abandon() {
    guard let action = try? handle(.stop), action != .nothing else { return }
    control.async { self.perform(action) }
  }

  func cancel() {
    perform(machine.withLock { (try? $0.handle(.cancel)) ?? .nothing })
  }

  func finished() async throws -> RecordingWriter.Summary {
    guard machine.withLock({ $0.state }) != .unknown else { throw RecordingError(.notStarted, file: path) }
    await ended.wait()
    if let failure = machine.withLock({ $0.failure }) { throw failure }
    if machine.withLock({ $0.state }) == .cancelled { throw RecordingError(.cancelled, file: path) }
    return shown.withLock { $0.summary }
  }

  func setPaused(_ isPaused: Bool) {
    pauses.withLock { $0.set(isPaused, at: clock.now) }
    publish()
  }

  // MARK: What others see

  var status: Recorder.Status {
    var status = shown.withLock { $0 }
    status.state = machine.withLock { $0.publicState }
    status.isPaused = pauses.withLock { $0.isPaused }
    return status
  }

  func updates() -> AsyncStream<Recorder.Status> {
    let (stream, continuation) = AsyncStream<Recorder.Status>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.streams[watchers.next] = continuation
      return watchers.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.watchers.withLock { _ = $0.streams.removeValue(forKey: number) }
    }
    publish()
    return stream
  }

  /// Sends the status to all sequences of updates. Their readers run elsewhere: nothing here waits for them.
  private func publish() {
    telling.withLock { _ in
      let status = status
      let streams = watchers.withLock { Array($0.streams.values) }
      for stream in streams { stream.yield(status) }
      guard status.state.isFinal else { return }
      for stream in streams { stream.finish() }
    }
  }

  // MARK: On its own thread

  private func open() {
    do {
      try writer.withLock { $0 = try RecordingWriter(path: path, format: capture.format, options: options.writer) }
      try capture.start()
      perform(try handle(.opened))
    } catch {
      fail(error)
    }
  }

  private func record() {
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
      fail(error)
    }
    perform(machine.withLock { (try? $0.handle(.drained)) ?? .nothing })
  }

  private func take(_ captured: CapturedBuffer) throws {
    let level = AudioLevel(captured.buffer)
    let (missing, kept) = keptFrames(of: captured)
    var gap = UInt64(missing)
    for range in kept { try append(captured.buffer.slice(range), missing: &gap) }
    if gap > 0 { try append(captured.buffer.prefix(0), missing: &gap) }
    let isOver = shown.withLock { status in
      status.level = level
      status.hasClipped = status.hasClipped || (level.isClipped && !kept.isEmpty)
      return status.summary.frames >= frameLimit
    }
    publish()
    if isOver { perform(machine.withLock { (try? $0.handle(.stop)) ?? .nothing }) }
  }

  /// What was heard outside of pauses: of the frames that were lost how many, of those that are there which.
  private func keptFrames(of captured: CapturedBuffer) -> (missing: Int, kept: [Range<Int>]) {
    let rate = capture.format.sampleRate
    let gap = Int64(Double(captured.lostFrames) / Double(rate) * 1e9)
    return pauses.withLock { pauses in
      let missing = pauses.kept(of: captured.lostFrames, from: captured.time - gap, sampleRate: rate)
      let kept = pauses.kept(of: captured.buffer.frameCount, from: captured.time, sampleRate: rate)
      return (missing.reduce(0) { $0 + $1.count }, kept)
    }
  }

  private func append(_ buffer: PCMBuffer, missing: inout UInt64) throws {
    let left = frameLimit - min(shown.withLock { $0.summary.frames }, frameLimit)
    let gap = min(missing, left)
    let buffer = buffer.prefix(Int(clamping: left - gap))
    missing = 0
    guard buffer.frameCount > 0 || gap > 0 else { return }
    let summary = try writer.withLock { writer in
      try writer?.append(buffer, missing: gap)
      return writer?.summary
    }
    if let summary { shown.withLock { $0.summary = summary } }
  }

  // MARK: What the states ask for

  private func handle(_ event: Machine.Event) throws(RecordingError) -> Machine.Action {
    do throws(Machine.Refusal) {
      return try machine.withLock { (machine) throws(Machine.Refusal) in try machine.handle(event) }
    } catch {
      switch error {
      case .notStarted: throw RecordingError(.notStarted, file: path)
      case .startedBefore: throw RecordingError(.startedBefore, file: path)
      case .cancelled: throw RecordingError(.cancelled, file: path)
      }
    }
  }

  private func fail(_ error: any Error) {
    perform(machine.withLock { (try? $0.handle(.failed(error))) ?? .nothing })
  }

  private func perform(_ action: Machine.Action) {
    switch action {
    case .open, .nothing: break
    case .record: thread.async { self.record() }
    case .recordRest:
      capture.stop()
      thread.async { self.record() }
    case .stopCapture: capture.stop()
    case .finishFile: finishFile()
    case .discard:
      capture.stop()
      writer.withLock { writer in
        writer?.cancel()
        writer = nil
      }
      announce()
    case .announce: announce()
    }
  }

  private func finishFile() {
    capture.stop()
    let first = machine.withLock { $0.failure }
    do {
      try writer.withLock { _ = try $0?.finish() }
    } catch {
      fail(RecordingError.told(error, after: first))
    }
    if let summary = writer.withLock({ $0?.summary }) { shown.withLock { $0.summary = summary } }
    perform(machine.withLock { (try? $0.handle(.finished)) ?? .nothing })
  }

  private func announce() {
    publish()
    ended.complete()
  }
}

extension PipelineState {
  /// Whether nothing comes after it.
  fileprivate var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

extension PCMBuffer {
  /// Some of the frames.
  fileprivate func slice(_ frames: Range<Int>) -> PCMBuffer {
    if frames == 0..<frameCount { return self }
    let places = (frames.lowerBound * format.channels)..<(frames.upperBound * format.channels)
    return switch samples {
    case .int16(let samples): PCMBuffer(Array(samples[places]), sampleRate: format.sampleRate, layout: format.layout)
    case .float32(let samples): PCMBuffer(Array(samples[places]), sampleRate: format.sampleRate, layout: format.layout)
    }
  }
}
