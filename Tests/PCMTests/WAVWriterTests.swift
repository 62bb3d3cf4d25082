import Foundation
import MediaCore
import TestSupport
import Testing
import PCM

/// What is written, read by ours and by ffmpeg.
@Suite(.inTurn) struct WAVWriterTests {
  /// A sink that cannot go back, as a pipe.
  private final class Pipe: ByteSink {
    var bytes: [UInt8] = []
    func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) { unsafe self.bytes.append(contentsOf: bytes) }
    func finish() throws(SinkError) {}
  }

  /// A sink that keeps the header only, for files that would fill the disk.
  private final class Large: ByteSink {
    var head: [UInt8] = []
    var count: UInt64 = 0
    var canPatch: Bool { true }
    func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
      if count == 0 { head = unsafe Array(bytes) }
      count += UInt64(bytes.count)
    }
    func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
      head.replaceSubrange(Int(offset)..<Int(offset) + bytes.count, with: bytes)
    }
    func finish() throws(SinkError) {}
  }

  private func noise(_ count: Int, seed: UInt64) -> [Int16] {
    var noise = Noise(seed: seed)
    return (0..<count).map { _ in Int16(truncatingIfNeeded: noise.next()) }
  }

  @Test("what is written reads as it was, in all formats and with any number of channels", arguments: 1...9)
  func roundTrip(channels: Int) throws {
    let layout = ChannelLayout(channels: channels)
    let samples = noise(70_000 * channels, seed: UInt64(channels))
    let buffer = PCMBuffer(samples, sampleRate: 48_000, layout: layout)
    for sampleFormat in [AudioFormat.SampleFormat.int16, .int24, .int32, .float32] {
      let format = AudioFormat(sampleRate: 48_000, sampleFormat: sampleFormat, layout: layout)
      let sink = MemorySink()
      var writer = try WAVWriter(sink: sink, format: format)
      // Pieces below and above what is gathered.
      for range in [0..<1, 1..<1025, 1025..<69_999, 69_999..<70_000] {
        let part = Array(samples[(range.lowerBound * channels)..<(range.upperBound * channels)])
        try writer.append(PCMBuffer(part, sampleRate: 48_000, layout: layout))
      }
      let summary = try writer.finish()
      #expect(summary.frames == 70_000 && summary.bytes == sink.bytes.count)
      var reader = try PCMFileReader(sink.bytes)
      #expect(reader.format == format)
      #expect(reader.missingBytes == 0)
      #expect(try reader.all().int16s == buffer.int16s)
    }
  }

  @Test("floats are clipped and rounded where 16 bits are asked for")
  func conversion() throws {
    let sink = MemorySink()
    var writer = try WAVWriter(sink: sink, format: AudioFormat(sampleRate: 8000, layout: .mono))
    try writer.append(PCMBuffer([0.5, 2, -2, .nan] as [Float], sampleRate: 8000, layout: .mono))
    _ = try writer.finish()
    var reader = try PCMFileReader(sink.bytes)
    #expect(try reader.all().int16s == [16384, .max, .min, 0])
  }

  @Test("integers become fewer bits by rounding to the nearest, ties to even, and clipping")
  func rounding() throws {
    func written(_ samples: [Int32], _ sampleFormat: AudioFormat.SampleFormat) throws -> [Int32] {
      let sink = MemorySink()
      var writer = try WAVWriter(
        sink: sink, format: AudioFormat(sampleRate: 8000, sampleFormat: sampleFormat, layout: .mono))
      try writer.append(PCMBuffer(samples, sampleRate: 8000, layout: .mono))
      _ = try writer.finish()
      var reader = try PCMFileReader(sink.bytes)
      return try reader.all().flatMap(\.int32s)
    }
    let half: Int32 = 0x8000
    #expect(
      try written([half, half + 1, 3 * half, -half, -3 * half, .max, .min], .int16)
        == [0, 1, 2, 0, -2, 32_767, -32_768].map { $0 << 16 })
    #expect(try written([0x80, 0x81, 0x180, .max, -0x80], .int24) == [0, 0x100, 0x200, .max & ~0xFF, 0])
    #expect(try written([0x1234_5678, .max, .min, -1], .int32) == [0x1234_5678, .max, .min, -1])
  }

  @Test("a file of 24 bits is copied byte for byte")
  func copy() throws {
    var noise = Noise(seed: 24)
    let data = noise.bytes(3 * 2 * 5000)
    var wav = try PCMFileReader(
      PlainWAV.file(
        PlainWAV.chunk("fmt ", PlainWAV.fmt(channels: 2, bits: 24)), PlainWAV.chunk("data", data)))
    let sink = MemorySink()
    var writer = try WAVWriter(sink: sink, format: wav.format)
    while let sound = try wav.next(frames: 777) { try writer.append(sound) }
    _ = try writer.finish()
    #expect(sink.bytes.suffix(data.count) == data[...])
  }

  @Test("into a pipe, sizes are left open")
  func pipe() throws {
    let sink = Pipe()
    var writer = try WAVWriter(sink: sink, format: AudioFormat(sampleRate: 8000, layout: .mono))
    try writer.append(PCMBuffer([1, 2, 3] as [Int16], sampleRate: 8000, layout: .mono))
    _ = try writer.finish()
    let expected = PlainWAV.file(
      PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", PlainWAV.bytes([1, 2, 3]), claiming: .max),
      claiming: .max)
    #expect(sink.bytes == expected)
  }

  @Test("above 4 GiB a file becomes RF64, with the true sizes, and below it does not")
  func large() throws {
    let piece = [Int16](repeating: 0, count: 32 << 20)
    for extra in [0, 1] {
      let sink = Large()
      var writer = try WAVWriter(
        sink: sink, format: AudioFormat(sampleRate: 96_000, layout: ChannelLayout(channels: 8)))
      let head = sink.head.count
      // The largest file that is not RF64 holds 2^32 - 2 bytes after its first eight, and then one frame more.
      let frames = (Int(UInt32.max) - 1 + 8 - head) / 16 + extra
      var left = frames * 8
      while left > 0 {
        let count = min(left, piece.count)
        try writer.append(piece.span.extracting(first: count))
        left -= count
      }
      _ = try writer.finish()
      #expect(sink.head.count == head)
      #expect(sink.count == UInt64(head + frames * 16))
      let isLarge = extra == 1
      #expect(Array(sink.head.prefix(4)) == Plain.type(isLarge ? "RF64" : "RIFF"))
      #expect(Array(sink.head[12..<16]) == Plain.type(isLarge ? "ds64" : "JUNK"))
      let sizes =
        isLarge ? PlainWAV.u64(sink.count - 8) + PlainWAV.u64(UInt64(frames * 16)) : PlainWAV.u64(0) + PlainWAV.u64(0)
      #expect(Array(sink.head[20..<36]) == sizes)
      #expect(Array(sink.head.suffix(4)) == PlainWAV.u32(isLarge ? .max : UInt32(frames * 16)))
    }
  }

  @Test("another rate or other channels, and formats that WAVE cannot hold, are refused")
  func refused() throws {
    var writer = try WAVWriter(sink: MemorySink(), format: AudioFormat())
    let mono = PCMBuffer([1] as [Int16], sampleRate: 44_100, layout: .mono)
    #expect(throws: PCMFileError(.formatChanged(AudioFormat(), to: mono.format))) { try writer.append(mono) }
    for format in [
      AudioFormat(sampleRate: 0), AudioFormat(sampleRate: Int(UInt32.max)),
      AudioFormat(sampleRate: 1, channels: 40_000),
    ] {
      #expect(throws: PCMFileError(.cannotWrite(format))) { _ = try WAVWriter(sink: MemorySink(), format: format) }
    }
  }

  @Test("a writer that goes away unfinished leaves no file")
  func unfinished() throws {
    let folder = try TemporaryFolder()
    do {
      var writer = try WAVWriter(path: folder.path("a.wav"), format: AudioFormat())
      try writer.append(PCMBuffer([1, 2] as [Int16], sampleRate: 44_100, layout: .stereo))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test(
    "ffmpeg reads the same samples, loudspeakers and length",
    .needs(.ffmpeg),
    arguments: [(1, "unknown"), (2, "unknown"), (6, "5.1"), (8, "7.1")])
  func ffmpegReads(channels: Int, name: String) throws {
    let folder = try TemporaryFolder()
    let samples = noise(3000 * channels, seed: 5)
    for sampleFormat in [AudioFormat.SampleFormat.int16, .int24, .int32, .float32] {
      let path = folder.path("a.wav")
      let format = AudioFormat(sampleRate: 32_000, sampleFormat: sampleFormat, channels: channels)
      var writer = try WAVWriter(path: path, format: format)
      try writer.append(PCMBuffer(samples, sampleRate: 32_000, layout: format.layout))
      _ = try writer.finish()
      let raw = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "s16le", "-"])
      #expect(raw.errors == "")
      #expect(Array(raw.output) == PlainWAV.bytes(samples))
      let probe = try Tool.ffprobe.run(
        [
          "-v", "error", "-show_entries", "stream=codec_name,sample_rate,channel_layout,duration_ts", "-of", "csv=p=0",
          path,
        ])
      let fields = String(decoding: probe.output, as: UTF8.self).split(whereSeparator: { ",\n".contains($0) })
      let codecs: [AudioFormat.SampleFormat: Substring] = [
        .int16: "pcm_s16le", .int24: "pcm_s24le", .int32: "pcm_s32le", .float32: "pcm_f32le",
      ]
      #expect(fields.first == codecs[sampleFormat])
      #expect(fields.contains("32000") && fields.contains("3000"))
      #expect(fields.contains { $0 == name }, "\(fields)")
    }
  }

  @Test(
    "what ffmpeg writes is read as ffmpeg reads it",
    .needs(.ffmpeg),
    arguments: ["pcm_u8", "pcm_alaw", "pcm_mulaw", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le"],
    [1, 6])
  func ffmpegWrites(codec: String, channels: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.wav")
    let options = codec == "pcm_s16le" ? ["-rf64", "always"] : []
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "anoisesrc=d=0.3:seed=7:a=0.9", "-ac", "\(channels)", "-c:a", codec] + options + [path])
    let raw = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", "f32le", "-"])
    var wav = try PCMFileReader(path: path)
    let floats = try wav.all(by: 1000).floats
    let expected = unsafe raw.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    #expect(floats == expected)
  }

  @Test("an odd number of bytes is filled up to an even one, as the sizes say")
  func padding() throws {
    for frames in [1001, 1000] {
      let sink = MemorySink()
      let format = AudioFormat(sampleRate: 8000, sampleFormat: .int24, layout: .mono)
      var writer = try WAVWriter(sink: sink, format: format)
      try writer.append(PCMBuffer([Int32](repeating: 7 << 8, count: frames), sampleRate: 8000, layout: .mono))
      try writer.checkpoint()
      let summary = try writer.finish()
      #expect(sink.bytes.count.isMultiple(of: 2) && summary.bytes == UInt64(sink.bytes.count))
      let size = sink.bytes[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(size == sink.bytes.count - 8)
      let data = sink.bytes.count - 3 * frames - frames % 2
      #expect(sink.bytes[(data - 4)..<data].reversed().reduce(0) { $0 << 8 | Int($1) } == 3 * frames)
      var reader = try PCMFileReader(sink.bytes)
      #expect(try reader.all().reduce(0) { $0 + $1.frameCount } == frames)
    }
  }

  @Test("floats have a format chunk of 18 bytes, as all but integers must")
  func floatExtension() throws {
    let sink = MemorySink()
    var writer = try WAVWriter(
      sink: sink, format: AudioFormat(sampleRate: 8000, sampleFormat: .float32, layout: .mono))
    try writer.append(PCMBuffer([0.5] as [Float], sampleRate: 8000, layout: .mono))
    _ = try writer.finish()
    let fmt = PlainWAV.chunk("fmt ", PlainWAV.fmt(tag: 3, bits: 32) + [0, 0])
    #expect(sink.bytes.indices.contains { sink.bytes[$0...].starts(with: fmt) })
  }
}
