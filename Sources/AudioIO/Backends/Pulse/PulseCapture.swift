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
    func read(_ stream: borrowing LockedStream) {
      // The server's memory is valid, and as long as it says, until it is dropped.
      while true {
        var data: UnsafeRawPointer?
        var count = 0
        guard unsafe pulse_stream_peek(stream.pointer, &data, &count) >= 0, count > 0 else { return }
        if let data = unsafe data {
          // What is to be read next was heard some time ago.
          let heard = RealClock().now - Int64(stream.latency) * 1000
          unsafe queue.deliver(UnsafeRawBufferPointer(start: data, count: count).bytes, measured: heard)
        } else {
          // A hole: the server knows that something is missing.
          queue.lose(frames: count / format.bytesPerFrame)
        }
        unsafe pulse_stream_drop(stream.pointer)
      }
    }
  }

  /// - Throws: `AudioIOError`: `.noLibrary`, `.noServer`, `.noDevice`, `.wrongDirection`, `.refused`.
  init(device: String?, format: AudioFormat?, options: AudioOptions) throws(AudioIOError) {
    self.device = device
    self.options = options
    if let format {
      self.format = format
    } else {
      let devices = try AudioDevice.all(server: options.server)
      let found = devices.first {
        $0.direction == .capture && (device == nil ? $0.isDefault : $0.id == device)
      }
      guard let found else { throw AudioIOError(missing: device, for: .capture, among: devices) }
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
    // Channels for no loudspeaker in particular come as they are: by number.
    if format.layout.mask == 0 { flags |= LYREBIRD_PULSE_NO_REMAP_CHANNELS }
    // The listener, above, is kept as long as the stream.
    try opened.connect(device: device, for: .capture) { stream in
      unsafe pulse_stream_set_read_callback(
        stream.pointer, PulseCapture.soundCame, Unmanaged.passUnretained(listener).toOpaque())
      return unsafe pulse_stream_connect_record(stream.pointer, device, &buffer, Int32(flags))
    }
  }

  private static let soundCame: lyrebird_pulse_stream_request = { stream, _, user in
    guard let stream = unsafe stream, let user = unsafe user else { return }
    // Without reference counting: see `PulseRenderer`.
    unsafe Unmanaged<Listener>.fromOpaque(user)._withUnsafeGuaranteedRef { unsafe $0.read(LockedStream(stream)) }
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
