import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// Encoding with SBR: what decoders, ours and others, make of it.
@Suite(.inTurn) struct HighEfficiencyEncoderTests {
  /// A sound with something in the high band: noise, attacks and a tone.
  static func sound(frames: Int, channels: Int, rate: Int) -> [Float] {
    var noise = Noise(state: 5)
    var samples = Sound.music(frames: frames, channels: channels, rate: rate)
    for frame in 0..<frames {
      let time = Double(frame) / Double(rate)
      let burst = exp(-80 * (time * 3).truncatingRemainder(dividingBy: 1))
      let tone = 0.02 * sin(2 * .pi * 0.31 * Double(rate) * time)
      for channel in 0..<channels {
        let hiss = Double.random(in: -1...1, using: &noise) * (0.3 * burst + 0.01 * Double(1 + channel))
        samples[frame * channels + channel] += Float(hiss + tone)
      }
    }
    return samples
  }

  /// The packets of a sound.
  static func encoded(_ samples: [Float], rate: Int, channels: Int, bitRate: Int?) throws -> Encoded {
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
    return try Encoded(
      samples, format: format, encoder: AACEncoder(format: format, profile: .highEfficiency, bitRate: bitRate))
  }

  static let rates = [16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000]

  @Test(
    "ffmpeg and faad decode every kind of stream without a message",
    .needs(.ffmpeg, .faad), arguments: rates, [1, 2])
  func decodes(rate: Int, channels: Int) throws {
    let folder = try TemporaryFolder()
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
    let range = AACEncoder.bitRates(for: format, profile: .highEfficiency)
    let frames = EncoderDecodingTests.isThorough ? 30_000 : 12_000
    let samples = HighEfficiencyEncoderTests.sound(frames: frames, channels: channels, rate: rate)
    for bitRate in [range.lowerBound, min(24_000 * channels, range.upperBound)] {
      let path = folder.path("\(bitRate).aac")
      let made = try HighEfficiencyEncoderTests.encoded(samples, rate: rate, channels: channels, bitRate: bitRate)
      try made.write(to: path)
      let (ffmpeg, messages) = try ffmpegReads(path)
      #expect(ffmpeg.status == 0 && messages.isEmpty, "\(bitRate): \(ffmpeg.errors)")
      #expect(made.packets.count == (frames + 962 + 2047) / 2048 + 1)
      // Of a stream that does not say whether there is PS, ffmpeg makes two channels.
      #expect(ffmpeg.output.count == made.packets.count * 2048 * 4 * 2, "\(bitRate)")
      let faad = try Tool.faad.run(["-q", "-o", folder.path("out.wav"), path])
      #expect(faad.status == 0 && faad.errors.isEmpty, "\(bitRate): \(faad.errors)")
    }
  }

  @Test("there is a division of the spectrum for every rate and bit rate", arguments: rates, [1, 2])
  func plans(rate: Int, channels: Int) throws {
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
    let range = AACEncoder.bitRates(for: format, profile: .highEfficiency)
    for bitRate in stride(from: range.lowerBound, through: min(range.upperBound, 128_000), by: 4000) {
      let crossovers = SBRPlan.choices(rate: rate, bitRate: bitRate, channels: channels).map(\.crossover)
      let (lowest, highest) = (try #require(crossovers.first), try #require(crossovers.last))
      #expect(lowest > 1500 && highest < rate / 4 && crossovers == crossovers.sorted(), "\(bitRate): \(crossovers)")
    }
  }

  @Test("of a simple sound, the core reaches higher: tones come out as they were", .needs(.ffmpeg), arguments: [1, 2])
  func higherCore(channels: Int) throws {
    // The border is at 6.5 kHz usually; copies of the lower two would not hit the upper two.
    let (rate, tones) = (44_100.0, [(1208.0, 0.2), (2314, 0.2), (7211, 0.05), (8377, 0.05)])
    func value(_ tone: (frequency: Double, level: Double), _ frame: Int) -> Double {
      tone.level * sin(2 * .pi * tone.frequency * Double(frame) / rate)
    }
    let sound = (0..<88_200).flatMap { frame in
      [Float](repeating: Float(tones.reduce(0) { $0 + value($1, frame) }), count: channels)
    }
    let folder = try TemporaryFolder()
    let path = folder.path("bell.aac")
    try HighEfficiencyEncoderTests.encoded(sound, rate: 44_100, channels: channels, bitRate: 24_000 * channels)
      .write(to: path)
    // Of mono, ffmpeg makes two channels, too.
    let decoded = try ffmpegDecoded(path, options: [])
    for tone in tones {
      // Over a second, other tones cancel out.
      let frames = 22_050..<66_150
      let share = frames.reduce(0) { $0 + value(tone, $1) * Double(decoded[2 * ($1 + 2048 + 962)]) }
      let level = share / (tone.1 * Double(frames.count) / 2)
      #expect(abs(level / tone.1 - 1) < 0.05, "\(tone.0) Hz: \(level)")
    }
  }

  /// It was up to 4 dB louder: decoders make up for the subbands beside a tone, which stay empty.
  @Test(
    "a tone that decoders add is as loud as in the sound", .needs(.ffmpeg),
    arguments: [12_900.0, 14_300, 15_800], [1, 2])
  func levelOfTone(frequency: Double, channels: Int) throws {
    // So far above the hum that a copy of it has nothing there.
    let (tone, frames) = (0.004, 88_200)
    let sound = (0..<frames).flatMap { frame in
      let time = 2 * Double.pi * Double(frame) / 44_100
      let hum = (1...10).reduce(0) { $0 + 0.1 * sin(time * 100 * Double($1)) / Double($1) }
      return [Float](repeating: Float(hum + tone * sin(time * frequency)), count: channels)
    }
    let folder = try TemporaryFolder()
    let path = folder.path("hum.aac")
    try HighEfficiencyEncoderTests.encoded(sound, rate: 44_100, channels: channels, bitRate: 24_000 * channels)
      .write(to: path)
    let high = "pan=1c|c0=c0,highpass=f=6000,highpass=f=6000"
    let energies = try energies(["-i", path], filter: high)[(frames / 4)..<(frames / 4 * 3)]
    let change = 10 * log10(energies.reduce(0, +) / Double(energies.count) / (tone * tone / 2))
    // Levels come in steps of 1.5 dB.
    #expect(abs(change) < 1.2, "\(change) dB")
  }

  /// A frame of 46 ms had one or two levels for each band. The hiss was 1.6 dB off in the mean.
  @Test("the high band gets louder and softer as fast as in the sound", .needs(.ffmpeg))
  func swayingHiss() throws {
    // Too slow for an attack: 8 dB up and down 20 times a second.
    let (rate, frames) = (44_100, 88_200)
    func level(_ frame: Int) -> Double { pow(10, 0.2 * sin(2 * .pi * 20 * Double(frame) / Double(rate))) }
    var noise = Noise(state: 4)
    let samples = (0..<frames).map { Float(Double.random(in: -0.1...0.1, using: &noise) * level($0)) }
    let folder = try TemporaryFolder()
    let path = folder.path("hiss.aac")
    try HighEfficiencyEncoderTests.encoded(samples, rate: rate, channels: 1, bitRate: 24_000)
      .write(to: path)
    let high = "pan=1c|c0=c0,highpass=f=9000,highpass=f=9000"
    let decoded = try energies(["-i", path], filter: high).dropFirst(2048 + 962)
    // Blocks of 5 ms, ten to a swell.
    let block = 220
    let places = stride(from: frames / 4, to: frames / 4 * 3, by: block)
    let changes = places.map { place in
      let made = decoded.dropFirst(place).prefix(block).reduce(0, +)
      let wanted = (place..<place + block).reduce(0) { $0 + level($1) * level($1) }
      return 10 * log10(made / wanted)
    }
    let mean = changes.reduce(0, +) / Double(changes.count)
    let deviation = (changes.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(changes.count)).squareRoot()
    #expect(deviation < 1.3, "\(deviation) dB")
  }

  @Test("the high band comes where it is in the sound, as loud as it is", .needs(.ffmpeg), arguments: [1, 2])
  func clicks(channels: Int) throws {
    // Bursts of noise.
    let (rate, frames) = (44_100, 88_200)
    var (noise, samples) = (Noise(state: 9), [Float](repeating: 0, count: frames * channels))
    let places = [9000, 23_456, 40_001, 61_777]
    for place in places {
      for frame in 0..<1500 {
        let value = Double.random(in: -0.3...0.3, using: &noise) * exp(-Double(frame) / 300)
        for channel in 0..<channels { samples[(place + frame) * channels + channel] = Float(value) }
      }
    }
    let folder = try TemporaryFolder()
    let (path, raw) = (folder.path("clicks.aac"), folder.path("clicks.raw"))
    try HighEfficiencyEncoderTests.encoded(samples, rate: rate, channels: channels, bitRate: 24_000 * channels)
      .write(to: path)
    let bytes = samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }
    try Data(bytes).write(to: URL(fileURLWithPath: raw))
    let before = try energies(["-f", "f32le", "-ar", "\(rate)", "-ac", "\(channels)", "-i", raw])
    let after = try energies(["-i", path])
    let delay = 2048 + 962
    for place in places {
      // Half of the energy has come at the same time, as far as noise has one: of the high band, the copy is another
      // noise than the original. The energy of a burst falls by e in 150 frames, in which 6 kHz have some 20
      // independent samples: so the median of one burst scatters by 150 / sqrt(2 * 20) frames or so, and, as energies
      // of noise scatter themselves, by root 2 more; two bursts, by root 2 again: 47. This allows for twice that.
      let first = before[(place - 800)..<(place + 1500)]
      let second = after[(place - 800 + delay)..<(place + 1500 + delay)]
      #expect(abs(median(first) - median(second)) < 100, "\(place): \(median(first)) \(median(second))")
      let change = 10 * log10(second.reduce(0, +) / first.reduce(0, +))
      // Levels come in steps of 3 dB, so they are off by half of it at most. A burst that begins too late in a slot to
      // be found in it begins before the envelope with its level, and loses up to 64 frames: in them are 1 -
      // exp(-64/150) of its energy, 1.9 dB. Together 3.4, and 3.0 do occur.
      #expect(abs(change) < 3.5, "\(place): \(change) dB")
    }
  }

  /// The energies of the samples of an input of ffmpeg, by default from 8 to 14 kHz: all of that is described.
  private func energies(
    _ input: [String], filter: String = "highpass=f=8000,highpass=f=8000,lowpass=f=14000"
  ) throws -> [Double] {
    let options = ["-ac", "1", "-af", filter, "-f", "f32le", "-"]
    let output = try Tool.ffmpeg.run(["-nostdin", "-v", "error"] + input + options).output
    return stride(from: 0, to: output.count, by: 4).map { at in
      let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(output[at + $1]) << UInt32(8 * $1) }
      return Double(Float(bitPattern: bits)) * Double(Float(bitPattern: bits))
    }
  }

  private func median(_ energies: ArraySlice<Double>) -> Int {
    var sum = 0.0
    let half = energies.reduce(0, +) / 2
    for (index, energy) in energies.enumerated() {
      sum += energy
      if sum > half { return index }
    }
    return energies.count
  }

  @Test("the rate is what was asked for, with the layer", arguments: [(24_000, 2), (48_000, 2), (20_000, 1)])
  func keepsRate(bitRate: Int, channels: Int) throws {
    let frames = 10 * 44_100
    let samples = HighEfficiencyEncoderTests.sound(frames: frames, channels: channels, rate: 44_100)
    let made = try HighEfficiencyEncoderTests.encoded(samples, rate: 44_100, channels: channels, bitRate: bitRate)
    #expect(abs(made.rate(frames: frames, sampleRate: 44_100) / Double(bitRate) - 1) < 0.02)
  }

  /// The layer takes bits in silence, too; that is no reason to lower the price of lines.
  @Test("after silence, a sound takes what silence has saved, and borrows no more", arguments: [24_000, 32_000])
  func bitsAfterSilence(bitRate: Int) throws {
    let frames = 2 * 44_100
    var noise = Noise(state: 9)
    let sound = (0..<2 * frames).map { _ in Float.random(in: -0.1...0.1, using: &noise) }
    let silence = [Float](repeating: 0, count: 3 * frames)
    let made = try HighEfficiencyEncoderTests.encoded(
      sound + silence + sound, rate: 44_100, channels: 2, bitRate: bitRate)
    let first = 5 * frames / 2 / 2048 + 1
    let bytes = made.packets[first..<first + 10].map(\.payload.count).reduce(0, +)
    let share = Double(bytes * 8) * 44_100 / Double(bitRate * 10 * 2048)
    // Four packets were saved.
    #expect((1.3...1.6).contains(share), "\(share)")
  }

  @Test("no sound is too strange", arguments: [Float.nan, .infinity, -.infinity, 1e30, 1e-30])
  func strange(value: Float) throws {
    var samples = HighEfficiencyEncoderTests.sound(frames: 20_000, channels: 2, rate: 44_100)
    for index in stride(from: 0, to: samples.count, by: 7) { samples[index] = value }
    let made = try HighEfficiencyEncoderTests.encoded(samples, rate: 44_100, channels: 2, bitRate: 32_000)
    let decoder = try AACDecoder(configuration: made.configuration)
    for payload in try made.payloads { #expect(unsafe decoder.decode(payload.span.bytes) == .decoded) }
  }

  @Test("the configuration says that there is a layer, before the core's rate")
  func configuration() throws {
    let made = try HighEfficiencyEncoderTests.encoded([], rate: 44_100, channels: 2, bitRate: nil)
    // Object type 5, 22 050 Hz, two channels, 44 100 Hz, object type 2.
    #expect(try made.configuration.written == [0x2B, 0x92, 0x08, 0x00])
    #expect(made.configuration.name == "HE-AAC" && made.configuration.codecString == "mp4a.40.5")
  }

  @Test("formats that HE-AAC is not made of are refused")
  func refuses() {
    for (rate, channels) in [(44_100, 6), (8000, 1), (12_000, 2)] {
      let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: channels)
      let error = #expect(throws: AACError.self) {
        _ = try AACEncoder(format: format, profile: .highEfficiency, bitRate: 20_000).format
      }
      #expect(error?.code == .cannotEncode(.highEfficiency(format)))
    }
  }
}
