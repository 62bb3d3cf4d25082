import Foundation
import Lyrebird
import MP4
import MediaCore
import TestSupport
import Testing

/// Files of HE-AAC, as players trim them.
@Suite(.inTurn) struct HighEfficiencyFileTests {
  /// A file counts frames of the core, of which odd numbers of frames are no whole number.
  @Test(
    "an m4a has exactly the frames that went in, in their place", arguments: [0, 1, 1086, 1087, 2048, 40_961, 50_000],
    [MuxerOptions.Layout.fastStart, .fragmented(seconds: 2)])
  func trims(frames: Int, layout: MuxerOptions.Layout) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.m4a")
    let samples = (0..<frames).map { Float(0.4 * sin(Double($0) * Double($0) * 4e-6)) }
    var options = AudioWriter.Options()
    (options.codec, options.bitRate, options.layout) = (.highEfficiencyAAC, 32_000, layout)
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 1)
    let writer = try AudioWriter(path: path, format: format, options: options)
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
    let summary = try writer.finish()
    #expect(summary.priming == 2048 && summary.frames == UInt64(frames))
    #expect(Int(summary.packets) * 2048 == summary.priming + frames + summary.remainder)
    let reader = try AudioReader(path: path)
    var decoded: [Float] = []
    while let block = try reader.next() {
      guard case .float32(let floats) = block.payload.samples else { continue }
      // Mono may turn out to be parametric stereo at any time, so it is decoded as stereo.
      let channels = block.payload.format.channels
      decoded += stride(from: 0, to: floats.count, by: channels).map { floats[$0] }
    }
    #expect(decoded.count == frames)
    guard frames > 10_000 else { return }
    let noise = zip(samples, decoded).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
    let signal = samples.reduce(0.0) { $0 + Double($1 * $1) }
    #expect(10 * log10(signal / noise) > 15)
  }

  /// Its versions before 9 take the priming for one of the core whatever ticks the file counts, and so skipped twice as
  /// much as it is: the beginning was missing.
  @Test("ffmpeg loses nothing of the beginning of an m4a, which it plays 962 frames late", .needs(.ffmpeg))
  func beginning() throws {
    let folder = try TemporaryFolder()
    let decoded = try hiss(20_000, bitRate: 64_000, in: folder)
    let reference = try ffmpegDecoded(folder.path("whole.m4a"), options: [])
    let late = Array(reference.dropFirst(2 * 962))
    let common = min(late.count, decoded.count)
    #expect(common >= decoded.count - 2 * 962)
    let difference = Difference(Array(decoded[..<common]), Array(late[..<common]))
    #expect(difference.ratio > 80, "\(difference)")
  }

  /// A decoder yields sound 962 frames later than its packet: a cut needs the packet that brings the last of it.
  @Test("parts that are cut out are what the whole has there", arguments: [20_480, 40_000, 50_002])
  func cuts(start: Int64) throws {
    let folder = try TemporaryFolder()
    let whole = try hiss(120_001, in: folder)
    let movie = try MP4Demuxer(path: folder.path("whole.m4a"))
    func time(_ frame: Int64) -> MediaTime { MediaTime(value: frame, timescale: 44_100) }
    let clip = MovieClip(movie, from: time(start), to: time(start + 50_000))
    try MovieEditor(clip, to: folder.path("part.m4a")).run()
    let part = try AudioReader(path: folder.path("part.m4a")).read()
    #expect(part.count == 2 * 50_000)
    // The settings of the high band, which come with every tenth packet, are there from the first frame on.
    let difference = Difference(part, Array(whole[(2 * Int(start))...].prefix(part.count)))
    #expect(difference.ratio > 30, "\(difference)")
  }

  /// A part's last packets are shorter than what is decoded from them.
  @Test("joined parts follow each other to the frame")
  func joins() throws {
    let folder = try TemporaryFolder()
    let whole = try hiss(70_001, in: folder)
    let paths = Array(repeating: folder.path("whole.m4a"), count: 3)
    try MovieJoiner(paths.map { try MP4Demuxer(path: $0) }, to: folder.path("all.m4a")).run()
    let all = try AudioReader(path: folder.path("all.m4a")).read()
    #expect(all.count == 3 * whole.count)
    for part in 0..<3 {
      let difference = Difference(Array(all[(part * whole.count)...].prefix(whole.count)), whole)
      #expect(difference.ratio > 30, "part \(part): \(difference)")
    }
  }

  /// Writes HE-AAC of a hiss, and returns what it decodes to.
  private func hiss(_ frames: Int, bitRate: Int = 48_000, in folder: borrowing TemporaryFolder) throws -> [Float] {
    var noise = Noise(state: 5)
    var options = AudioWriter.Options()
    (options.codec, options.bitRate) = (.highEfficiencyAAC, bitRate)
    let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 2)
    let writer = try AudioWriter(path: folder.path("whole.m4a"), format: format, options: options)
    let samples = (0..<2 * frames).map { _ in Float.random(in: -0.3...0.3, using: &noise) }
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    try writer.finish()
    return try AudioReader(path: folder.path("whole.m4a")).read()
  }

  /// The six slots after a border that moved up are the decoder's business as well as the encoder's.
  @Test("a border that moves decodes to what ffmpeg makes of it", .needs(.ffmpeg))
  func movingBorder() throws {
    // A few tones, in which a hiss comes and goes: see `CrossoverChoice`.
    var noise = Noise(state: 3)
    let samples = (0..<5 * 44_100).flatMap { frame in
      let time = Double(frame) / 44_100
      let tones = [700.0, 2900, 7300, 8800].reduce(0) { $0 + 0.08 * sin(2 * .pi * $1 * time) }
      let hiss = (frame / 33_000).isMultiple(of: 2) ? 0 : Double.random(in: -0.2...0.2, using: &noise)
      return [Float(tones + hiss), Float(tones - hiss)]
    }
    let folder = try TemporaryFolder()
    let path = folder.path("out.aac")
    try HighEfficiencyEncoderTests.encoded(samples, rate: 44_100, channels: 2, bitRate: 48_000).write(to: path)
    let (reader, reference) = (try AudioReader(path: path), try ffmpegDecoded(path, options: []))
    var decoded: [Float] = []
    while let block = try reader.next() { decoded += block.payload.floats }
    #expect(decoded.count == reference.count)
    let difference = Difference(decoded, reference)
    #expect(difference.ratio > 80, "\(difference)")
  }
}
