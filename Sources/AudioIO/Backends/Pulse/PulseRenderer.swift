internal import CPulse
internal import MediaCore
internal import Synchronization

/// A loudspeaker of the sound server.
final class PulseRenderer: RenderBackend {
  private let device: String?
  private let format: AudioFormat
  private let options: AudioOptions
  private let stream = Lock<(PulseStream, RenderSource)?>(nil)
  /// What was known last of the frames heard.
  private let heard = Atomic<Int64>(0)
  /// What was asked for last.
  private let isPaused = Atomic<Bool>(false)

  init(device: String?, format: AudioFormat, options: AudioOptions) throws(AudioIOError) {
    self.device = device
    self.format = format
    self.options = options
  }

  func start(_ source: RenderSource) throws(AudioIOError) {
    let opened = try PulseStream(
      try PulseConnection(server: options.server), name: "play", format: format, onEnd: { source.end($0) })
    stream.withLock { $0 = (opened, source) }
    // The first sound may reach the server just after it passed on silence for the same time: it takes that silence
    // back from the loudspeaker, but not from a recording of what is played. Loudspeakers also take time to wake. At
    // the end, what the server reports as heard is a guess that may be some milliseconds early.
    source.setMargins(frames: Int(format.bytes(of: options.buffer)) / format.bytesPerFrame)
    var buffer = lyrebird_pulse_buffer()
    buffer.maxlength = .max
    buffer.tlength = format.bytes(of: options.buffer)
    // Small and frequent requests, so that the buffer never runs low; and playing starts as soon as there is any sound.
    buffer.minreq = format.bytes(of: options.buffer / 4)
    buffer.prebuf = .max
    var flags = LYREBIRD_PULSE_INTERPOLATE_TIMING | LYREBIRD_PULSE_AUTO_TIMING_UPDATE
    flags |= LYREBIRD_PULSE_ADJUST_LATENCY
    if device != nil { flags |= LYREBIRD_PULSE_DONT_MOVE }
    let beginsPaused = isPaused.load(ordering: .acquiring)
    if beginsPaused { flags |= LYREBIRD_PULSE_START_CORKED }
    // The source is kept as long as the stream.
    try opened.connect(device: device, for: .playback) { stream in
      unsafe pulse_stream_set_write_callback(
        stream.pointer, PulseRenderer.soundWanted, Unmanaged.passUnretained(source).toOpaque())
      return unsafe pulse_stream_connect_playback(stream.pointer, device, &buffer, Int32(flags), nil, nil)
    }
    // Another thread may have asked meanwhile, when there was nothing to be paused.
    if isPaused.load(ordering: .acquiring) != beginsPaused { applyPause() }
  }

  /// Fills the server's memory. On libpulse's thread: no allocation, no lock, no waiting.
  private static let soundWanted: lyrebird_pulse_stream_request = { stream, wanted, user in
    guard let stream = unsafe stream, let user = unsafe user else { return }
    // The owner keeps the source until no callback can come, so this thread need not count references, an atomic
    // operation on memory that other threads use: with `takeUnretainedValue()`, Scripts/check-callbacks sees it do so.
    unsafe Unmanaged<RenderSource>.fromOpaque(user)._withUnsafeGuaranteedRef { source in
      let bytesPerFrame = source.format.bytesPerFrame
      var left = wanted - wanted % bytesPerFrame
      while left > 0 {
        // The server lends memory of at least the count that it returns, until it is written.
        var memory: UnsafeMutableRawPointer?
        var count = left
        guard unsafe pulse_stream_begin_write(stream, &memory, &count) >= 0, let memory = unsafe memory else { return }
        count = min(count, left)
        count -= count % bytesPerFrame
        guard count > 0 else { return }
        _ = unsafe source.fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        guard unsafe pulse_stream_write(stream, memory, count, nil, 0, 0) >= 0 else { return }
        left -= count
      }
    }
  }

  func setPaused(_ isPaused: Bool) {
    self.isPaused.store(isPaused, ordering: .releasing)
    applyPause()
  }

  /// Of several threads, the last one under the lock sees what was asked for last.
  private func applyPause() { use { $0.setPaused(isPaused.load(ordering: .acquiring)) } }

  func stop() {
    // Asked while it still has a time.
    _ = heardFrames
    let opened = stream.withLock { stream in
      defer { stream = nil }
      return stream
    }
    opened?.0.close()
  }

  @discardableResult
  private func use<Result: Sendable>(_ body: (borrowing LockedStream) -> Result) -> Result? {
    stream.withLock { $0?.0 }?.use(body)
  }

  /// A stream that is gone has no time: then it is what was heard last.
  var heardFrames: Int64 {
    heard.max(format.frames(inMicroseconds: use { $0.time } ?? 0), ordering: .relaxed).newValue
  }

  var latencyFrames: Int { Int(format.frames(inMicroseconds: use { $0.latency } ?? 0)) }
}
