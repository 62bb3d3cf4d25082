import Foundation
import Lyrebird
import TestSupport
import Testing

/// What a decoder makes of a track, edits applied.
struct DecodedTrack {
  var format: AudioFormat
  var samples: [Int32] = []
  var frames: Int { samples.count / format.channels }

  init(_ path: String) throws {
    let decoder = try AudioTrackDecoder(path)
    format = decoder.format
    while let sound = try decoder.next() { samples += sound.payload.int32s }
    #expect(decoder.concealedPackets == 0)
  }
}

extension AudioTrackDecoder {
  /// A decoder of a movie's first audio track.
  convenience init(_ path: String) throws {
    let movie = try MP4Demuxer(path: path)
    try self.init(movie, track: try #require(movie.audioTrack))
  }

  /// What is left, as integers of 32 bits.
  func rest() throws -> [Int32] {
    var samples: [Int32] = []
    while let sound = try next() { samples += sound.payload.int32s }
    return samples
  }
}

/// What ffmpeg makes of a file, as integers of 32 bits.
func ffmpegInt32s(_ path: String, options: [String] = []) throws -> [Int32] {
  let folder = try TemporaryFolder()
  let output = folder.path("reference")
  try MadeMedia.make(options + ["-i", path, "-map", "0:a:0", "-f", "s32le", "-c:a", "pcm_s32le", output])
  return try unsafe Data(contentsOf: URL(fileURLWithPath: output)).withUnsafeBytes {
    unsafe Array($0.bindMemory(to: Int32.self))
  }
}

/// Sound that is hard on a lossless codec in turn: tones, silence, noise at full scale, a square wave.
func varied(channels: Int, rate: Int, seconds: Double) -> [String] {
  let expressions = (0..<channels).map { channel in
    "if(lt(t,0.2),0.7*sin(\(300 + 170 * channel)*t*(1+t)),if(lt(t,0.3),0,if(lt(t,0.4),2*random(\(channel))-1,"
      + "if(lt(t,0.5),0.99*sgn(sin(\(60 + channel)*t)),0.3*sin(2000*t)+0.05*random(\(channel))))))"
  }
  return ["-f", "lavfi", "-i", "aevalsrc='\(expressions.joined(separator: "|"))':s=\(rate):d=\(seconds)"]
}
