import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Sound into files.
@Suite(.inTurn)
struct AudioWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func noise(_ frames: Int, _ format: AudioFormat, level: Float = 0.2) -> PCMBuffer {
    var generator = Noise(seed: 8)
    let samples = (0..<(frames * format.channels)).map { _ in Float.random(in: -level...level, using: &generator) }
    return PCMBuffer(samples, sampleRate: format.sampleRate, layout: format.layout).converted(to: format.sampleFormat)
  }

  private func write(
    _ name: String, _ buffer: PCMBuffer, _ options: AudioWriter.Options = AudioWriter.Options()
  ) throws -> AudioWriter.Summary {
    let writer = try AudioWriter(path: folder.path(name), format: buffer.format, options: options)
    for start in stride(from: 0, to: buffer.frameCount, by: 5000) {
      try writer.append(buffer.slice(start..<min(start + 5000, buffer.frameCount)))
    }
    return try writer.finish()
  }

  @Test(
    "rates that AAC does not have become the nearest that loses nothing",
    arguments: [
      (192_000, 96_000), (176_400, 88_200), (384_000, 96_000), (37_800, 44_100), (7350, 8000), (11_000, 11_025),
      (48_000, 48_000), (100_000, 96_000), (200_000, 96_000), (132_300, 44_100),
    ])
  func rates(rate: Int, expected: Int) throws {
    let format = AudioFormat.int16(rate, .mono)
    #expect(try AudioWriter.encodable(format, as: .aac).sampleRate == expected)
    #expect(try AudioWriter.encodable(format, as: .wav) == format)
    let summary = try write("a.m4a", noise(rate / 4, format))
    #expect(summary.frames == UInt64((rate / 4 * expected + rate / 2) / rate))
    let reader = try AudioReader(path: folder.path("a.m4a"))
    #expect(reader.format.sampleRate == expected && reader.frameCount == Int64(summary.frames))
  }

  @Test(
    "every file kind keeps the number of frames, and lossless ones every bit",
    arguments: [
      ("a.wav", AudioFormat.SampleFormat.int24), ("b.wav", .float32), ("a.m4a", .int16), ("b.m4a", .int24),
      ("c.m4a", .int32),
    ])
  func lossless(name: String, sampleFormat: AudioFormat.SampleFormat) throws {
    var options = AudioWriter.Options()
    options.codec = .appleLossless
    let buffer = noise(12_345, AudioFormat(sampleRate: 48_000, sampleFormat: sampleFormat, layout: .stereo))
    let summary = try write(name, buffer, options)
    #expect(summary.frames == 12_345)
    let reader = try AudioReader(path: folder.path(name))
    #expect(reader.format == buffer.format)
    #expect(try reader.next(frames: .max)?.payload == buffer)
  }

  @Test("floats become Apple Lossless of 24 bits")
  func floats() throws {
    var options = AudioWriter.Options()
    options.codec = .appleLossless
    let buffer = noise(5000, .float32(44_100, .stereo))
    _ = try write("a.m4a", buffer, options)
    let reader = try AudioReader(path: folder.path("a.m4a"))
    #expect(reader.fileFormat.sampleFormat == .int24)
    #expect(try reader.next(frames: .max)?.payload == buffer.converted(to: .int24))
  }

  @Test(
    "a low delay of HE-AAC is an error, and an older file stays",
    arguments: [AudioWriter.Codec.highEfficiencyAAC, .highEfficiencyAACv2])
  func lowDelay(codec: AudioWriter.Codec) throws {
    var options = AudioWriter.Options()
    (options.codec, options.lowDelay) = (codec, true)
    let path = folder.path("a.m4a")
    try Data("older".utf8).write(to: URL(fileURLWithPath: path))
    #expect(throws: AudioWritingError.aac(AACError(.cannotEncode(.lowDelay)))) {
      try AudioWriter(path: path, format: .int16(44_100, .stereo), options: options)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "older")
  }

  @Test(
    "a constant quality of HE-AAC is an error", arguments: [AudioWriter.Codec.highEfficiencyAAC, .highEfficiencyAACv2])
  func highEfficiencyQuality(codec: AudioWriter.Codec) throws {
    var options = AudioWriter.Options()
    (options.codec, options.quality) = (codec, 3)
    #expect(throws: AudioWritingError.aac(AACError(.cannotEncode(.constantQuality)))) {
      try AudioWriter(path: folder.path("a.m4a"), format: .int16(44_100, .stereo), options: options)
    }
  }

  @Test("Apple Lossless takes the depth that is asked for", arguments: [16, 20, 24, 32])
  func depth(bits: Int) throws {
    var options = AudioWriter.Options()
    (options.codec, options.bitDepth) = (.appleLossless, bits)
    let buffer = noise(5000, AudioFormat(sampleRate: 48_000, sampleFormat: .int32, channels: 2))
    _ = try write("a.m4a", buffer, options)
    let movie = try MP4Demuxer(path: folder.path("a.m4a"))
    #expect(movie.audioTrack?.audioFormat?.bitsPerSample == bits)
    let reader = try AudioReader(path: folder.path("a.m4a"))
    let samples = try #require(try reader.next(frames: .max)).payload.int32s
    // Noise before 16 bits, otherwise half a step.
    let most = Double(1 << (32 - bits)) * (bits == 16 ? 1.5 : 0.5)
    #expect(zip(samples, buffer.int32s).allSatisfy { abs(Double($0) - Double($1)) <= most })
  }

  @Test("what cannot be written leaves no file, and an old one as it was")
  func refused() throws {
    let path = folder.path("a.m4a")
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    #expect(throws: AudioWritingError.self) {
      try AudioWriter(path: path, format: AudioFormat(sampleRate: 48_000, channels: 12))
    }
    #expect(throws: AudioWritingError.unknownType(file: "a.ogg")) {
      try AudioWriter(path: "a.ogg", format: AudioFormat())
    }
    do {
      let writer = try AudioWriter(path: path, format: AudioFormat())
      try writer.append(noise(5000, AudioFormat()))
      #expect(throws: AudioWritingError.self) { try writer.append(noise(5, .int16(8000, .stereo))) }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
    var options = AudioWriter.Options()
    options.clobber = false
    #expect(throws: AudioWritingError.self) { try AudioWriter(path: path, format: AudioFormat(), options: options) }
  }

  @Test("after finishing, the same is said again, and nothing more is taken")
  func finished() throws {
    let writer = try AudioWriter(path: folder.path("a.wav"), format: AudioFormat())
    try writer.append(noise(100, AudioFormat()))
    let summary = try writer.finish()
    #expect(try writer.finish() == summary)
    #expect(throws: AudioWritingError.finished(file: folder.path("a.wav"))) {
      try writer.append(noise(1, AudioFormat()))
    }
  }

  // MARK: Loudness

  private func meter(_ name: String) throws -> LoudnessMeter {
    let reader = try AudioReader(path: folder.path(name))
    var meter = try LoudnessMeter(sampleRate: reader.format.sampleRate, layout: reader.format.layout)
    while let sound = try reader.next() { try meter.add(sound.payload) }
    meter.finish()
    return meter
  }

  @Test("a cancelled writer leaves the old file and takes nothing more", arguments: ["a.wav", "a.m4a", "a.aac"])
  func cancelled(name: String) throws {
    let path = folder.path(name)
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    let buffer = noise(20_000, .int16(48_000, .mono))
    let writer = try AudioWriter(path: path, format: buffer.format)
    try writer.append(buffer)
    writer.cancel()
    writer.cancel()
    #expect(throws: AudioWritingError.stopped) { try writer.append(buffer) }
    #expect(throws: AudioWritingError.stopped) { try writer.finish() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
    let other = try AudioWriter(path: path, format: buffer.format)
    try other.append(buffer)
    let summary = try other.finish()
    other.cancel()
    #expect(try other.finish() == summary)
    #expect(try AudioReader(path: path).format.sampleRate == 48_000)
  }

  @Test("sound is made as loud as wanted, softer or louder, by a gain alone", arguments: [-30.0, -23, -16])
  func loudness(target: Double) throws {
    var options = AudioWriter.Options()
    options.loudness = LoudnessTarget(integrated: target)
    let buffer = noise(60_000, .int16(48_000, .stereo), level: 0.1)
    let summary = try write("a.wav", buffer, options)
    let change = try #require(summary.loudness)
    #expect(!change.isLimited && summary.frames == 60_000)
    #expect(abs(try #require(try meter("a.wav").integrated) - target) < 0.05)
    #expect(abs(try #require(change.before) + change.gain - target) < 1e-9)
  }

  /// The samples of a file less those of a buffer made louder, in steps of so many bits.
  private func errors(_ name: String, _ buffer: PCMBuffer, gain: Double, bits: Int) throws -> [Double] {
    let written = try #require(try AudioReader(path: folder.path(name)).next(frames: .max)).payload.int32s
    let (factor, step) = (pow(10, gain / 20), Double(1 << (32 - bits)))
    return zip(written, buffer.floats).map { (Double($0) - Double($1) * 2_147_483_648 * factor) / step }
  }

  private func power(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } / Double(values.count) }

  @Test("sound made louder gets noise before it is rounded to 16 bits")
  func loudnessIsDithered() throws {
    var options = AudioWriter.Options()
    options.loudness = LoudnessTarget(integrated: -20)
    let buffer = noise(60_000, .int16(48_000, .mono), level: 0.01)
    let change = try #require(try write("a.wav", buffer, options).loudness)
    let errors = try errors("a.wav", buffer, gain: change.gain, bits: 16)
    // Rounding has a power of 1/12 of a step squared, the noise of two uniform numbers 2/12.
    #expect(abs(power(errors) - 0.25) < 0.01)
    #expect(abs(errors.reduce(0, +) / Double(errors.count)) < 0.01)
  }

  @Test("sound made louder is rounded for Apple Lossless, not cut off", arguments: [20, 24])
  func loudnessIsRounded(bits: Int) throws {
    var options = AudioWriter.Options()
    (options.codec, options.bitDepth) = (.appleLossless, bits)
    options.loudness = LoudnessTarget(integrated: -30)
    let buffer = noise(60_000, .float32(48_000, .mono), level: 0.01)
    let change = try #require(try write("a.m4a", buffer, options).loudness)
    let errors = try errors("a.m4a", buffer, gain: change.gain, bits: bits)
    #expect(power(errors) < 0.1)
    #expect(abs(errors.reduce(0, +) / Double(errors.count)) < 0.01)
  }

  @Test("peaks are limited, between samples too, and the sound is as loud as wanted nonetheless")
  func limitedPeaks() throws {
    // Soft noise, and now and then a loud wave whose peaks lie between its samples.
    var samples = noise(120_000, .float32(44_100, .mono), level: 0.05).floats
    for start in stride(from: 10_000, to: 50_000, by: 10_000) {
      for frame in 0..<200 {
        let value = Float(
          0.9 * sin(Double.pi / 2 * Double(frame) + Double.pi / 4) * sin(Double.pi * Double(frame) / 200))
        samples[start + frame] += value
      }
    }
    var options = AudioWriter.Options()
    options.loudness = LoudnessTarget(integrated: -16, truePeak: -1)
    let buffer = PCMBuffer(samples, sampleRate: 44_100, layout: .mono)
    let change = try #require(try write("a.wav", buffer, options).loudness)
    #expect(change.isLimited)
    let after = try meter("a.wav")
    #expect(try #require(after.truePeaks.compactMap { $0 }.max()) < -0.9)
    #expect(abs(try #require(after.integrated) + 16) < 0.2)
    #expect(abs(try #require(change.after) - (try #require(after.integrated))) < 0.01)
    // Away from the peaks, it is the same sound with a gain.
    let ours = try AudioReader(path: folder.path("a.wav")).read()
    #expect(ours.count == samples.count)
    let ratio = ours[110_000] / samples[110_000]
    #expect((110_000..<110_100).allSatisfy { abs(ours[$0] - samples[$0] * ratio) < 1e-4 })
  }

  @Test("an infinite sample is silence, and makes nothing around it softer")
  func infinity() throws {
    var samples = (0..<3 * 48_000).map { Float(0.5 * sin(Double($0) * 0.1)) }
    samples[70_000] = .infinity
    samples[80_000] = .nan
    var options = AudioWriter.Options()
    (options.codec, options.loudness) = (.appleLossless, LoudnessTarget(integrated: -10))
    let writer = try AudioWriter(
      path: folder.path("a.m4a"), format: AudioFormat(sampleRate: 48_000, sampleFormat: .float32, layout: .mono),
      options: options)
    try writer.append(PCMBuffer(samples, sampleRate: 48_000, layout: .mono))
    try writer.finish()
    let made = try AudioReader(path: folder.path("a.m4a")).read()
    func level(_ range: Range<Int>) -> Float { made[range].map(\.magnitude).max() ?? 0 }
    #expect(abs(level(70_010..<70_500) - level(40_000..<40_500)) < 0.01)
    #expect(made[70_000].magnitude < 0.001 && made[80_000].magnitude < 0.001, "\(made[70_000]), \(made[80_000])")
  }

  @Test("silence, and sound too short to measure, stay as they are", arguments: [0, 1, 1000, 48_000])
  func silence(frames: Int) throws {
    var options = AudioWriter.Options()
    options.loudness = LoudnessTarget(integrated: -16)
    let buffer = noise(frames, .int16(48_000, .mono), level: frames == 48_000 ? 0 : 0.3)
    let summary = try write("a.wav", buffer, options)
    #expect(summary.loudness?.gain == 0 && summary.loudness?.before == nil)
    #expect(try AudioReader(path: folder.path("a.wav")).next(frames: .max)?.payload.int16s ?? [] == buffer.int16s)
  }

  @Test("a chapter after the end does not make the movie longer", .needs(.ffprobe), arguments: [1, 99])
  func lateChapter(second: Int64) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.m4a")
    var options = AudioWriter.Options()
    options.chapters = [0, second, second + 1].map {
      Chapter(start: MediaTime(value: $0, timescale: 1), title: "\($0)")
    }
    let buffer = PCMBuffer([Float](repeating: 0, count: 3 * 8000), sampleRate: 8000, layout: .mono)
    let writer = try AudioWriter(path: path, format: buffer.format, options: options)
    try writer.append(buffer)
    try writer.finish()
    #expect(try MP4Demuxer(path: path).duration.seconds == 3)
    let probe = try Tool.ffprobe.run(["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
    #expect(String(decoding: probe.output, as: UTF8.self) == "3.000000\n")
  }
}
