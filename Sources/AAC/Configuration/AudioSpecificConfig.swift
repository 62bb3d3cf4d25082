internal import MediaCore

/// How the packets of an MPEG-4 audio track are coded: what a decoder needs to know before the first one.
///
/// It is two to a few dozen bytes long and is stored in the `esds` box of a movie.
///
/// High-efficiency AAC is an AAC core at half the rate plus a spectral band replication layer (SBR) that decoders may
/// ignore, and for mono cores a layer that turns them into stereo (PS). Three ways to announce the layers are in use:
/// *explicit* (the object type is SBR's, and the core's follows), *backward compatible* (the core's configuration,
/// followed by an extension that old decoders do not read) and *implicit*: not at all. The last cannot be detected
/// here, only in the packets. If `hasSBR` is `nil`, nothing was announced.
///
/// Source: ISO/IEC 14496-3, 1.6.2.1 and 4.4.1.
public struct AudioSpecificConfig: Sendable, Hashable {
  /// How SBR and PS are announced.
  public enum ExtensionSignalling: Sendable, Hashable {
    /// Not at all.
    case none
    /// Before the core's configuration: decoders that do not support SBR cannot play the track.
    case explicit
    /// After it: such decoders play the core.
    case backwardCompatible
  }

  /// The audio object type of the core, that is, without SBR and PS: 2 is AAC-LC. 1 to 95.
  public var objectType: UInt8
  /// Sampling rate of the core in Hz: 1 to 16 777 215.
  public var sampleRate: UInt32
  /// The channel configuration, 0 to 15; 0 means that `programConfig` describes the channels.
  public var channelConfiguration: UInt8
  /// Samples per channel in a packet of the core, if the configuration says: 1024 or 960, 512 or 480 for low delay,
  /// more for USAC.
  public var frameLength: Int?
  /// The delay of the core coder that the stream depends on, in samples, 0 to 16 383; `nil` if it depends on none.
  public var coreCoderDelay: UInt16?
  /// Which elements carry which channels, if `channelConfiguration` is 0.
  public var programConfig: ProgramConfig?
  /// How SBR and PS are announced.
  public var extensionSignalling = ExtensionSignalling.none
  /// Whether there is an SBR layer; `nil` if not announced.
  public var hasSBR: Bool?
  /// Whether there is a PS layer; `nil` if not announced.
  public var hasPS: Bool?
  /// Sampling rate in Hz with SBR, if an SBR layer is announced.
  public var extensionSampleRate: UInt32?

  /// A configuration without SBR.
  ///
  /// - Parameters:
  ///   - objectType: the audio object type; 2 is AAC-LC.
  ///   - sampleRate: in Hz, 1 to 16 777 215.
  ///   - channelConfiguration: 1 to 7; 0 with a `programConfig`.
  ///   - programConfig: which element each loudspeaker gets, where no channel configuration fits.
  public init(
    objectType: UInt8 = 2, sampleRate: UInt32, channelConfiguration: UInt8, programConfig: ProgramConfig? = nil
  ) {
    self.objectType = objectType
    self.sampleRate = sampleRate
    self.channelConfiguration = channelConfiguration
    self.programConfig = programConfig
    frameLength = 1024
  }
}

// What follows from the fields.
extension AudioSpecificConfig {
  /// The code of the core's sampling rate, 0 to 12, if it has one.
  public var samplingFrequencyIndex: UInt8? { SamplingFrequency.index(of: sampleRate) }

  /// Whether the stream depends on a core coder's stream.
  public var dependsOnCoreCoder: Bool { coreCoderDelay != nil }

  /// Number of coded channels; 0 for a reserved configuration or a missing program configuration.
  ///
  /// Source: ISO/IEC 14496-3, table 1.19.
  public var channels: Int {
    switch channelConfiguration {
    case 0: programConfig?.channels ?? 0
    case 1...6: Int(channelConfiguration)
    case 7, 12, 14: 8
    case 11: 7
    case 13: 24
    default: 0
    }
  }

  /// Number of output channels: PS turns one into two.
  public var outputChannels: Int { hasPS == true && channels == 1 ? 2 : channels }

  /// Sampling rate of the output in Hz: with SBR, usually twice the core's.
  public var outputSampleRate: UInt32 { extensionSampleRate ?? sampleRate }

  /// The object type that the configuration begins with: 5 or 29 where SBR or PS is announced explicitly.
  public var signalledObjectType: UInt8 {
    guard extensionSignalling == .explicit else { return objectType }
    return hasPS == true ? 29 : 5
  }

  /// The codec string for web pages: `mp4a.40.2`. Source: RFC 6381, 3.3.
  public var codecString: String { "mp4a.40.\(signalledObjectType)" }

  /// The human-readable name of the codec: `AAC-LC`, `HE-AAC v2`, `xHE-AAC (USAC)`.
  public var name: String {
    let core = AudioObjectType.name(objectType)
    switch (hasSBR, hasPS, objectType) {
    case (true, true, 2): return "HE-AAC v2"
    case (true, _, 2): return "HE-AAC"
    case (true, true, _): return core + " with SBR and PS"
    case (true, _, _): return core + " with SBR"
    default: return core
    }
  }
}
