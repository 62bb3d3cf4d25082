/// How a device is opened.
public struct AudioOptions: Sendable, Hashable {
  /// How much sound lies between the device and us: short is quick, long rides out a busy computer. 10 ms is short.
  public var buffer: Duration
  /// Whether the server is to remove what the loudspeaker plays from what the microphone hears.
  public var voiceProcessing: Bool

  /// The sound server, in PulseAudio's words, as `unix:/path`; `nil` for the one of this session or of PULSE_SERVER.
  public var server: String?

  /// Options: 50 ms, no processing, this session's server unless said otherwise.
  public init(buffer: Duration = .milliseconds(50), voiceProcessing: Bool = false, server: String? = nil) {
    self.buffer = buffer
    self.voiceProcessing = voiceProcessing
    self.server = server
  }
}
