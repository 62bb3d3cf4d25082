internal import CPulse
internal import MediaCore

/// A microphone of the sound server.
final class PulseCapture: CaptureBackend {
  let format: AudioFormat
  private let device: String?
  private let options: AudioOptions
  private let stream = Lock<(PulseStream, Listener)?>(nil)

  /// What the read callback talks to.
  private final class Listener: Sendable {
    let queue: CaptureQueue
    let format: AudioFormat

    init(_ queue: CaptureQueue) {
      self.queue = queue
      format = queue.format
    }

    /// Hands over everything that has arrived. On libpulse's thread: no allocation, no lock, no waiting.
    func read(_ stream: OpaquePointer) {
      while true {
        var data: UnsafeRawPointer?
        var count = 0
        guard pulse_stream_peek(stream, &data, &count) >= 0, count > 0 else { return }
        if let data {
          queue.deliver(UnsafeRawBufferPointer(start: data, count: count), measured: RealClock().now - age(of: stream))
        } else {
          // A hole: the server knows that something is missing.
          queue.lose(frames: count / format.bytesPerFrame)
        }
        pulse_stream_drop(stream)
      }
    }

    /// How long ago the sound to be read next was heard, in nanoseconds.
    private func age(of stream: OpaquePointer) -> Int64 {
      var microseconds: UInt64 = 0
      var isNegative: Int32 = 0
      guard pulse_stream_get_latency(stream, &microseconds, &isNegative) >= 0, isNegative == 0 else { return 0 }
      return Int64(min(microseconds, 3_600_000_000)) * 1000
    }
  }

  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`, `.noDevice`.
  init(device: String?, format: AudioFormat?, options: AudioOptions) throws(AudioIOError) {
    self.device = device
    self.options = options
    if let format {
      self.format = format
    } else {
      let found = try AudioDevice.all(server: options.server).first {
        $0.direction == .capture && (device == nil ? $0.isDefault : $0.id == device)
      }
      guard let found else { throw AudioIOError(.noDevice, device: device ?? "default") }
      self.format = found.format
    }
  }

  func start(_ queue: CaptureQueue) throws(AudioIOError) {
    let properties = options.voiceProcessing ? ["filter.want": "echo-cancel"] : [:]
    let listener = Listener(queue)
    let opened = try PulseStream(
      try PulseConnection(server: options.server), name: "record", format: format, properties: properties,
      onEnd: { queue.end($0) })
    stream.withLock { $0 = (opened, listener) }
    var buffer = lyrebird_pulse_buffer()
    buffer.maxlength = .max
    buffer.fragsize = format.bytes(of: options.buffer)
    var flags = LYREBIRD_PULSE_INTERPOLATE_TIMING | LYREBIRD_PULSE_AUTO_TIMING_UPDATE
    flags |= LYREBIRD_PULSE_ADJUST_LATENCY
    // A device that was named must not be replaced; the default one may be.
    if device != nil { flags |= LYREBIRD_PULSE_DONT_MOVE }
    try opened.connect(device: device) { stream in
      pulse_stream_set_read_callback(stream, soundCame, Unmanaged.passUnretained(listener).toOpaque())
      return pulse_stream_connect_record(stream, device, &buffer, Int32(flags))
    }
  }

  private let soundCame: lyrebird_pulse_stream_request = { stream, _, user in
    guard let stream, let user else { return }
    // Without reference counting: see `PulseRenderer`.
    Unmanaged<Listener>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.read(stream) }
  }

  func stop() {
    // The listener is kept alive until no callback can come.
    let opened = stream.withLock { stream in
      defer { stream = nil }
      return stream
    }
    opened?.0.close()
  }
}
