import Foundation
import Lyrebird
import TestSupport
import Testing

/// What a decoder makes of all packets of a track, nothing trimmed.
struct Decoded {
  var samples: [Float] = []
  var format: AudioFormat
  var concealed: UInt64 = 0
  var frames: Int { samples.count / format.channels }

  /// Decodes the audio track of a movie packet by packet: all of it, or its beginning.
  init(movie path: String, coreOnly: Bool = false, packets limit: Int = .max) throws {
    let movie = try MP4Demuxer(path: path)
    guard let track = movie.audioTrack, let description = track.descriptions.first else { throw AACError(.noFrames) }
    var config = try AudioSpecificConfig(description)
    var packets = movie.samples(of: track)
    config.settle { try packets.next() }
    let decoder = try AACDecoder(configuration: config, coreOnly: coreOnly)
    format = decoder.format
    packets = movie.samples(of: track)
    var left = limit
    while left > 0, let packet = try packets.next() {
      samples += try decoder.decode(packet).payload.floats
      left -= 1
    }
    concealed = decoder.concealedPackets
  }
}

/// How one signal differs from another.
struct Difference: CustomStringConvertible {
  /// Largest difference of two samples, in steps of 16-bit PCM.
  var largest = 0.0
  /// Energy of the signal over that of the difference, in dB.
  var ratio = 0.0
  var description: String { "largest error \(largest) steps, SNR \(ratio) dB" }

  init(_ samples: [Float], _ reference: [Float]) {
    var (signal, noise) = (0.0, 0.0)
    for (sample, expected) in zip(samples, reference) {
      let error = Double(sample) - Double(expected)
      largest = max(largest, abs(error) * 32768)
      signal += Double(expected) * Double(expected)
      noise += error * error
    }
    ratio = noise == 0 ? .infinity : 10 * log10(signal / noise)
  }
}

/// What ffmpeg makes of a file, as floats.
func ffmpegDecoded(_ path: String, options: [String] = ["-ignore_editlist", "1"]) throws -> [Float] {
  let folder = try TemporaryFolder()
  let output = folder.path("reference.f32")
  try MadeMedia.make(options + ["-i", path, "-map", "0:a:0", "-f", "f32le", "-c:a", "pcm_f32le", output])
  let bytes = try Data(contentsOf: URL(fileURLWithPath: output))
  return unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
}

/// What ffmpeg makes of an ADTS stream, as the bytes of floats, and what it has to say about it.
func ffmpegReads(_ path: String) throws -> (
  ffmpeg: (status: Int32, output: Data, errors: String), messages: [Substring]
) {
  let ffmpeg = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-f", "aac", "-i", path, "-f", "f32le", "-"])
  // The demuxer says of every raw stream that its length is a guess.
  return (ffmpeg, ffmpeg.errors.split(separator: "\n").filter { !$0.contains("Estimating duration") })
}

/// A stream for the decoder to prove itself on.
struct MadeStream: Sendable, CustomTestStringConvertible {
  var rate = 44100
  var channels = 2
  var bitRate = 96
  var seconds = 0.6
  var options: [String] = []
  var testDescription: String { "\(rate) Hz, \(channels) channels, \(bitRate) kb/s, \(seconds) s \(options)" }

  /// Tones that glide, clicks that need short windows, and noise that differs from channel to channel.
  func make(_ path: String) throws {
    let channel = (0..<channels).map { number in
      "0.3*sin(\(200 + 150 * number)*t*(1+t))+0.4*gt(sin(\(7 + number)*t),0.999)*sin(3000*t)+0.1*(random(\(number))-0.5)"
    }
    let expression = channel.joined(separator: "|")
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "aevalsrc='\(expression)':s=\(rate):d=\(seconds)", "-c:a", "aac", "-b:a", "\(bitRate)k"]
        + ["-aac_pns", "0"] + options + [path])
  }
}
