/// How a device is opened.
public struct AudioOptions: Sendable, Hashable {
  /// How much sound is buffered between the device and us: little for low latency, much to ride out a busy computer. 10
  /// ms is little.
  public var buffer: Duration
  /// Whether the server should remove the loudspeaker's sound from the microphone's: echo cancellation. It is for
  /// capturing from a sound server: renderers and virtual devices ignore it.
  public var voiceProcessing: Bool

  /// The sound server's address in PulseAudio's syntax, as `unix:/path`; `nil` for this session's or that in
  /// PULSE_SERVER.
  public var server: String?

  /// Options: by default 50 ms, no processing, this session's server.
  public init(buffer: Duration = .milliseconds(50), voiceProcessing: Bool = false, server: String? = nil) {
    self.buffer = buffer
    self.voiceProcessing = voiceProcessing
    self.server = server
  }
}
