internal import AudioIO
internal import Dispatch
internal import MediaCore

/// The recording itself, for a `Recorder`: it lives until it is finished, even if the recorder is released earlier.
final class RecordingSession: Sendable {
  private typealias Machine = RecorderMachine<any Error>

  private let capture: AudioCapture
  private let path: String
  private let options: Recorder.Options
  private let clock: any DeviceClock
  private let frameLimit: Int64
  private let machine = Lock(Machine())
  private let writer = Lock<RecordingWriter?>(nil)
  private let timeline = Lock(RecordingTimeline())
  private let shown: Lock<Recorder.Status>
  private let watchers = Lock(Watchers())
  /// Held while watchers are notified, so that they get statuses in order.
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
    frameLimit = options.duration.map { max($0.frames(at: capture.format.sampleRate), 0) } ?? .max
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

  /// Stops without waiting: the recorder was released.
  func abandon() {
    guard let action = try? handle(.stop), action != .nothing else { return }
    control.async { self.perform(action) }
  }

  func cancel() {
    perform(machine.withLock { (try? $0.handle(.cancel)) ?? .nothing })
  }

  func finished(evenIfCancelled: Bool) async throws -> RecordingWriter.Summary {
    guard machine.withLock({ $0.state }) != .unknown else { throw RecordingError(.notStarted, file: path) }
    if evenIfCancelled { await ended.wait() } else { try await ended.waitUnlessCancelled() }
    if let failure = machine.withLock({ $0.failure }) { throw failure }
    if machine.withLock({ $0.state }) == .cancelled { throw RecordingError(.cancelled, file: path) }
    return shown.withLock { $0.summary }
  }

  func setPaused(_ isPaused: Bool) {
    timeline.withLock { $0.setPaused(isPaused, at: clock.now) }
    publish()
  }

  // MARK: What others see

  var status: Recorder.Status {
    var status = shown.withLock { $0 }
    status.state = machine.withLock { $0.publicState }
    status.isPaused = timeline.withLock { $0.isPaused }
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
      try writer.withLock { writer in
        writer = try RecordingWriter(path: path, format: capture.format, options: options.writer)
        // The recording begins with the capture: sound lost before the first sample is a gap, too.
        try writer?.append(PCMSample(capture.format.emptyBuffer))
      }
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
        case .sample(let sample, let hostTime): try take(sample, hostTime: hostTime)
        case .nothingYet: break
        case .ended: isEnded = true
        }
      }
    } catch {
      fail(error)
    }
    perform(machine.withLock { (try? $0.handle(.drained)) ?? .nothing })
  }

  private func take(_ sample: PCMSample, hostTime: Int64) throws {
    let level = AudioLevel(sample.payload)
    let placed = timeline.withLock { $0.place(sample, hostTime: hostTime) }
    for sample in placed { try append(sample) }
    let isOver = shown.withLock { status in
      // One without frames only says how much was lost at the end.
      if sample.payload.frameCount > 0 { status.level = level }
      let isHeard = placed.contains { $0.payload.frameCount > 0 }
      status.hasClipped = status.hasClipped || (level.isClipped && isHeard)
      return status.summary.frames >= frameLimit
    }
    publish()
    if isOver { perform(machine.withLock { (try? $0.handle(.stop)) ?? .nothing }) }
  }

  /// Appends the part of a sample that is within the limit.
  private func append(_ sample: PCMSample) throws {
    let start = min(sample.timing.presentationTime, frameLimit)
    let buffer = sample.payload.prefix(Int(frameLimit - start))
    guard buffer.frameCount > 0 || start > shown.withLock({ $0.summary.frames }) else { return }
    let summary = try writer.withLock { writer in
      try writer?.append(PCMSample(buffer, at: start))
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
  /// Whether no other state follows.
  fileprivate var isFinal: Bool { self == .completed || self == .failed || self == .cancelled }
}

extension AudioFormat {
  /// A buffer without frames.
  fileprivate var emptyBuffer: PCMBuffer { PCMBuffer([Int16](), sampleRate: sampleRate, layout: layout) }
}
