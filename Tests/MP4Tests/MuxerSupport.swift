import Foundation
import MP4
import MediaCore
import TestSupport

/// How a muxed file is laid out, in the words of the command.
enum MuxedLayout: String, CaseIterable, Sendable {
  case fastStart = "fast-start"
  case moovLast = "moov-last"
  case fragmented

  var options: MuxerOptions {
    var options = MuxerOptions()
    options.layout =
      switch self {
      case .fastStart: .fastStart
      case .moovLast: .moovLast
      case .fragmented: .fragmented(seconds: 0.5)
      }
    return options
  }

  var movie: MovieLayout {
    switch self {
    case .fastStart: .fastStart
    case .moovLast: .moovLast
    case .fragmented: .fragmented
    }
  }
}

/// Packets as an encoder delivers them: noise of a seeded generator, since nothing here looks into them.
struct MadeSound {
  /// Ticks that are not to be heard, a frame of the codec in ticks, and the ticks that are.
  var priming: Int64 = 2112
  var frame: Int64 = 1024
  var heard: Int64
  var timescale: UInt32 = 44100
  var id: UInt32 = 1

  static let config: [UInt8] = [0x12, 0x10]

  var track: MuxerTrack {
    MuxerTrack(
      audio: .aac(audioSpecificConfig: MadeSound.config, sampleRate: 44100, channels: 2), timescale: timescale,
      priming: priming, id: id)
  }

  /// The packets: the last one is as much shorter as the encoder had to fill up.
  var packets: [EncodedSample] {
    var noise = Noise(seed: UInt64(heard) + 7)
    var time = -priming
    var packets: [EncodedSample] = []
    while time < heard || packets.isEmpty {
      let bytes = (0..<(100 + noise.next() % 200)).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
      packets.append(
        EncodedSample(
          trackID: id,
          timing: SampleTiming(
            decodeTime: time, presentationTime: time, duration: min(frame, heard - time), timescale: timescale),
          isSync: true, payload: .bytes(bytes[...])))
      time += frame
    }
    return packets
  }
}
