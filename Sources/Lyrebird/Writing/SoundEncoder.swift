internal import AAC
internal import ALAC
internal import MP4
internal import MediaCore

/// Makes packets of PCM: what the encoders have in common.
protocol SoundEncoder: AnyObject {
  /// Frames that a decoder yields before the sound.
  var priming: Int { get }

  /// Frames of a packet.
  var frameLength: Int { get }

  /// Samples that could not be encoded as they are; see `AACEncoder.alteredSamples`.
  var alteredSamples: Int64 { get }

  /// The track of the packets.
  func track() throws -> MuxerTrack

  /// Encodes sound, directly after that before.
  func encode(_ sound: PCMSample) throws -> [EncodedSample]

  /// Encodes the rest.
  func finishPackets() -> (packets: [EncodedSample], remainder: Int)
}

/// AAC.
final class AACSoundEncoder: SoundEncoder {
  private var encoder: AACEncoder
  private let averageBitRate: Int

  init(_ encoder: consuming AACEncoder, averageBitRate: Int = 0) {
    self.encoder = encoder
    self.averageBitRate = averageBitRate
  }

  var configuration: AudioSpecificConfig { encoder.configuration }
  var priming: Int { encoder.priming }
  var frameLength: Int { encoder.frameLength }
  var alteredSamples: Int64 { encoder.alteredSamples }
  func track() throws -> MuxerTrack { try MuxerTrack(encoder, averageBitRate: averageBitRate) }
  func encode(_ sound: PCMSample) throws -> [EncodedSample] { try encoder.encode(sound) }
  func finishPackets() -> (packets: [EncodedSample], remainder: Int) {
    let ending = encoder.finish()
    return (ending.packets, ending.remainder)
  }
}

extension ALACEncoder: SoundEncoder {
  var priming: Int { 0 }
  var frameLength: Int { configuration.frameLength }
  var alteredSamples: Int64 { 0 }
  func track() -> MuxerTrack { MuxerTrack(self) }
  func finishPackets() -> (packets: [EncodedSample], remainder: Int) { (finish(), 0) }
}
