internal import CPulse
internal import MediaCore

/// A loudspeaker of the sound server.
final class PulseRenderer: RenderBackend {
  private let device: String?
  private let format: AudioFormat
  private let options: AudioOptions
  private let stream = Lock<(PulseStream, RenderSource)?>(nil)

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
    try opened.connect(device: device) { stream in
      pulse_stream_set_write_callback(stream, soundWanted, Unmanaged.passUnretained(source).toOpaque())
      return pulse_stream_connect_playback(stream, device, &buffer, Int32(flags), nil, nil)
    }
  }

  /// Fills the server's memory. On libpulse's thread: no allocation, no lock, no waiting.
  private let soundWanted: lyrebird_pulse_stream_request = { stream, wanted, user in
    guard let stream, let user else { return }
    // The owner keeps the source alive until no callback can come, so this thread need not count references, an atomic
    // operation on memory that other threads use: `takeUnretainedValue()` would.
    Unmanaged<RenderSource>.fromOpaque(user)._withUnsafeGuaranteedRef { source in
      let bytesPerFrame = source.format.bytesPerFrame
      var left = wanted - wanted % bytesPerFrame
      while left > 0 {
        var memory: UnsafeMutableRawPointer?
        var count = left
        guard pulse_stream_begin_write(stream, &memory, &count) >= 0, let memory else { return }
        count = min(count, left)
        count -= count % bytesPerFrame
        guard count > 0 else { return }
        _ = source.fill(UnsafeMutableRawBufferPointer(start: memory, count: count))
        guard pulse_stream_write(stream, memory, count, nil, 0, 0) >= 0 else { return }
        left -= count
      }
    }
  }

  func setPaused(_ isPaused: Bool) {
    use { stream in
      if let operation = pulse_stream_cork(stream, isPaused ? 1 : 0, nil, nil) { pulse_operation_unref(operation) }
    }
  }

  func stop() {
    let opened = stream.withLock { stream in
      defer { stream = nil }
      return stream
    }
    opened?.0.close()
  }

  @discardableResult
  private func use<Result: Sendable>(_ body: (OpaquePointer) -> Result) -> Result? {
    stream.withLock { $0?.0 }?.use(body)
  }

  var heardFrames: Int64 {
    let microseconds = use { stream -> UInt64 in
      var time: UInt64 = 0
      return pulse_stream_get_time(stream, &time) >= 0 ? time : 0
    }
    return format.frames(inMicroseconds: microseconds ?? 0)
  }

  var latencyFrames: Int {
    let microseconds = use { stream -> UInt64 in
      var time: UInt64 = 0
      var isNegative: Int32 = 0
      return pulse_stream_get_latency(stream, &time, &isNegative) >= 0 && isNegative == 0 ? time : 0
    }
    return Int(format.frames(inMicroseconds: min(microseconds ?? 0, 3_600_000_000)))
  }
}
