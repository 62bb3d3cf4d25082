internal import MediaCore

/// How the packets of an MPEG-4 audio track are coded: what a decoder has to know before the first one.
///
/// It is two to a few dozen bytes long and lies in the `esds` box of a movie.
///
/// High-efficiency AAC is an AAC core at half the rate plus a band replication layer (SBR) that decoders may leave
/// out, and for mono cores a layer that makes stereo of them (PS). Three ways to announce the layers are in use:
/// *explicit* (the object type says SBR, and the core's follows), *backward compatible* (the core's configuration
/// with an extension behind it, that old decoders do not read) and *implicit*: not at all. The last cannot be seen
/// here: only the packets tell. Where `hasSBR` is `nil`, nothing was said.
///
/// Source: ISO/IEC 14496-3, 1.6.2.1 and 4.4.1.
public struct AudioSpecificConfig: Sendable, Hashable {
  /// How SBR and PS are announced.
  public enum ExtensionSignalling: Sendable, Hashable {
    /// Not at all.
    case none
    /// Ahead of the core's configuration: decoders that do not know SBR cannot play the track.
    case explicit
    /// Behind it: they play the core.
    case backwardCompatible
  }

  /// The audio object type of the core, that is, without SBR and PS: 2 is AAC-LC. 1 to 95.
  public var objectType: UInt8
  /// Samples a second of the core, in Hz: 1 to 16 777 215.
  public var samplingFrequency: UInt32
  /// Loudspeakers as a number, 0 to 15; 0 means that `programConfig` tells.
  public var channelConfiguration: UInt8
  /// Samples of each channel in a packet of the core, where the configuration tells: 1024 or 960, 512 or 480 for
  /// low delay, more for USAC.
  public var frameLength: Int?
  /// The delay of the core coder that the stream builds on; `nil`: it stands on its own.
  public var coreCoderDelay: UInt16?
  /// Which elements make which channels, where `channelConfiguration` is 0.
  public var programConfig: ProgramConfig?
  /// How SBR and PS are announced.
  public var extensionSignalling = ExtensionSignalling.none
  /// Whether there is an SBR layer; `nil`: not said.
  public var hasSBR: Bool?
  /// Whether there is a PS layer; `nil`: not said.
  public var hasPS: Bool?
  /// Samples a second with SBR, in Hz, where an SBR layer is announced.
  public var extensionSamplingFrequency: UInt32?

  /// A configuration without SBR.
  ///
  /// - Parameters:
  ///   - objectType: the audio object type; 2 is AAC-LC.
  ///   - samplingFrequency: in Hz, 1 to 16 777 215.
  ///   - channelConfiguration: 1 to 7; 0 with a `programConfig`.
  public init(
    objectType: UInt8 = 2, samplingFrequency: UInt32, channelConfiguration: UInt8, programConfig: ProgramConfig? = nil
  ) {
    self.objectType = objectType
    self.samplingFrequency = samplingFrequency
    self.channelConfiguration = channelConfiguration
    self.programConfig = programConfig
    frameLength = 1024
  }
}

// What follows from the fields.
extension AudioSpecificConfig {
  /// The code of the core's sampling rate, 0 to 12, if it has one.
  public var samplingFrequencyIndex: UInt8? { SamplingFrequency.index(of: samplingFrequency) }

  /// Whether the stream builds on a core coder's stream.
  public var dependsOnCoreCoder: Bool { coreCoderDelay != nil }

  /// Channels as coded; 0 where a reserved configuration or a missing program configuration leaves it open.
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

  /// Channels as heard: PS makes two of one.
  public var outputChannels: Int { hasPS == true && channels == 1 ? 2 : channels }

  /// Samples a second as heard, in Hz: with SBR, usually twice the core's.
  public var outputSampleRate: UInt32 { extensionSamplingFrequency ?? samplingFrequency }

  /// The object type that the configuration begins with: 5 or 29 where SBR or PS is announced explicitly.
  public var signalledObjectType: UInt8 {
    guard extensionSignalling == .explicit else { return objectType }
    return hasPS == true ? 29 : 5
  }

  /// The codec as web pages name it: `mp4a.40.2`. Source: RFC 6381, 3.3.
  public var codecString: String { "mp4a.40.\(signalledObjectType)" }

  /// The codec in words: `AAC-LC`, `HE-AAC v2`, `xHE-AAC (USAC)`.
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
