import Foundation
import MediaCore
import PCM
import TestSupport
import Testing

/// Files that other programs write, read as they read them.
@Suite(.inTurn) struct PCMFileTests {
  /// Containers, and their codecs by ffmpeg's names.
  private static let kinds: [(ending: String, codecs: [String])] = [
    ("wav", ["pcm_alaw", "pcm_mulaw"]),
    (
      "aiff",
      [
        "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_s16le", "pcm_f32be", "pcm_f64be", "pcm_alaw", "pcm_mulaw",
      ]
    ),
    (
      "caf",
      [
        "pcm_s8", "pcm_s16be", "pcm_s24be", "pcm_s32be", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32be",
        "pcm_f32le", "pcm_f64be", "pcm_f64le", "pcm_alaw", "pcm_mulaw",
      ]
    ),
  ]
  private static let cases = kinds.flatMap { kind in
    kind.codecs.enumerated().map { (kind.ending, $1, [1, 2, 6][$0 % 3]) }
  }

  /// What ffmpeg reads, as numbers of 32 bits.
  private func expected(_ path: String, isFloat: Bool) throws -> [UInt32] {
    let raw = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-f", isFloat ? "f32le" : "s32le", "-"])
    return unsafe raw.output.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt32.self)) }
  }

  private func read(_ wav: inout PCMFileReader, isFloat: Bool) throws -> [UInt32] {
    let buffers = try wav.all(by: 1000)
    return isFloat
      ? buffers.floats.map(\.bitPattern) : buffers.flatMap(\.int32s).map { UInt32(bitPattern: $0) }
  }

  @Test("what ffmpeg writes is read bit for bit, from files and pipes", .needs(.ffmpeg), arguments: cases)
  func ffmpegWrites(ending: String, codec: String, channels: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a." + ending)
    try MadeMedia.make(
      ["-f", "lavfi", "-i", "anoisesrc=d=0.2:r=44100:seed=7:a=0.9", "-ac", "\(channels)", "-c:a", codec, path])
    let isFloat = codec.contains("_f")
    let expected = try expected(path, isFloat: isFloat)
    var file = try PCMFileReader(path: path)
    #expect("pcm_" + file.fileFormat.coding.name == codec.replacing("mulaw", with: "ulaw"))
    #expect(file.format.sampleRate == 44_100)
    #expect(file.format.layout == ChannelLayout(channels: channels))
    #expect(file.frameCount == 8820 && file.missingBytes == 0)
    #expect(try read(&file, isFloat: isFloat) == expected)
    var piped = try PCMFileReader(SourceReader(PipedBytes(Array(try Data(contentsOf: URL(fileURLWithPath: path))))))
    #expect(try read(&piped, isFloat: isFloat) == expected)
    #expect(piped.missingBytes == 0 && piped.frameCount == 8820)
  }

  @Test(
    "what sox writes is read bit for bit", .needs(.ffmpeg, .sox), arguments: ["aiff", "aifc", "caf"], [8, 16, 24, 32])
  func soxWrites(ending: String, bits: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a." + ending)
    let made = ["-n", "-r", "48000", "-b", "\(bits)", "-c", "2", path, "synth", "0.1", "sine", "300", "sine", "1000"]
    _ = try Tool.sox.run(made)
    var file = try PCMFileReader(path: path)
    #expect(file.fileTypeName == ending && file.fileFormat.coding.byteCount == bits / 8)
    #expect(file.frameCount == 4800 && file.missingBytes == 0)
    #expect(try read(&file, isFloat: false) == expected(path, isFloat: false))
  }

  @Test("from a pipe, sizes that sox and ffmpeg left open mean: to the end", .needs(.ffmpeg, .sox))
  func openSizes() throws {
    let folder = try TemporaryFolder()
    let samples = folder.path("a.wav")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=0.3:seed=5", "-ac", "2", samples])
    let expected = try expected(samples, isFloat: false)
    let commands = [
      "sox \(samples) -t aiff -", "ffmpeg -v error -i \(samples) -f aiff -", "ffmpeg -v error -i \(samples) -f caf -",
    ]
    for command in commands {
      let bytes = try Tool(name: "sh").run(["-c", command + " | cat"]).output
      var stream = try PCMFileReader(SourceReader(PipedBytes(Array(bytes))))
      #expect(try read(&stream, isFloat: false) == expected)
      #expect(stream.missingBytes == 0)
      var file = try PCMFileReader(Array(bytes))
      #expect(file.frameCount == UInt64(expected.count / 2) && file.missingBytes == 0)
      #expect(try read(&file, isFloat: false) == expected)
    }
  }

  @Test(
    "layouts are those that ffmpeg reads", .needs(.ffmpeg),
    arguments: [
      ("stereo", 0x3), ("4.0", 0x107), ("quad", 0x33), ("5.0", 0x37), ("5.1", 0x3F), ("7.1(wide)", 0xFF),
    ])
  func layouts(name: String, mask: UInt32) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.caf")
    try MadeMedia.make(
      [
        "-f", "lavfi", "-i", "anoisesrc=d=0.01:seed=1", "-af", "aformat=channel_layouts=\(name)", "-c:a", "pcm_s16le",
        path,
      ])
    #expect(try PCMFileReader(path: path).format.layout.mask == mask)
  }

  /// Each channel has the number of its loudspeaker in WAVE, counted from 1, as its samples.
  @Test(
    "channels in another order than WAVE's are brought into it",
    arguments: [
      (124 << 16 | 6, [3, 1, 2, 5, 6, 4]), (122 << 16 | 6, [1, 2, 5, 6, 3, 4]), (120 << 16 | 5, [3, 1, 2, 5, 6]),
      (128 << 16 | 8, [1, 2, 3, 4, 10, 11, 5, 6]), (121 << 16 | 6, [1, 2, 3, 4, 5, 6]),
    ] as [(UInt32, [Int16])])
  func orders(tag: UInt32, loudspeakers: [Int16]) throws {
    let count = UInt32(loudspeakers.count)
    let described = loudspeakers.flatMap { Plain.u32(UInt32($0)) + [UInt8](repeating: 0, count: 16) }
    let samples = (0..<1000).flatMap { _ in loudspeakers.flatMap { Plain.u16(UInt16($0)) } }
    let reversed = stride(from: 0, to: samples.count, by: 2).flatMap { [samples[$0 + 1], samples[$0]] }
    for chan in [Plain.u32(tag) + Plain.u64(0), Plain.u32(0) + Plain.u32(0) + Plain.u32(count) + described] {
      var files = [
        try PCMFileReader(
          PlainCAF.file(
            PlainCAF.desc(bytes: 2 * count, channels: count), PlainCAF.chunk("chan", chan), PlainCAF.data(samples))),
        try PCMFileReader(
          PlainAIFF.file(
            PlainAIFF.comm(channels: UInt16(count), frames: 1000), PlainAIFF.chunk("CHAN", chan),
            PlainAIFF.chunk("SSND", Plain.u64(0) + samples))),
        try PCMFileReader(
          PlainCAF.file(
            PlainCAF.desc(flags: 2, bytes: 2 * count, channels: count), PlainCAF.chunk("chan", chan),
            PlainCAF.data(reversed))),
      ]
      for index in files.indices {
        let mask = loudspeakers.reduce(0) { $0 | UInt32(1) << UInt32($1 - 1) }
        #expect(files[index].format.layout.mask == mask)
        files[index].seek(toFrame: 1)
        let read = try files[index].next(frames: 999)?.payload.int16s
        #expect(read == (0..<999).flatMap { _ in loudspeakers.sorted() })
      }
    }
  }

  @Test(
    "raw samples are read as they are said to be", .needs(.ffmpeg),
    arguments: ["s16le", "s24be", "f64le", "u8", "mulaw"])
  func raw(name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.raw")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=0.1:r=8000:seed=9", "-ac", "3", "-f", name, path])
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    let described = try RawPCMFormat(parsing: "\(name == "mulaw" ? "ulaw" : name):8000:3")
    let isFloat = name.hasPrefix("f")
    let output = try Tool.ffmpeg.run(
      ["-v", "error", "-f", name, "-ar", "8000", "-ac", "3", "-i", path, "-f", isFloat ? "f32le" : "s32le", "-"]).output
    let expected = unsafe output.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt32.self)) }
    // A last, incomplete frame is left out.
    for source in [MemorySource(bytes + [1]), PipedBytes(bytes + [1])] as [any ByteSource] {
      var file = try PCMFileReader(SourceReader(source), raw: described)
      #expect(file.fileType == .raw && file.format.channels == 3 && file.format.sampleRate == 8000)
      #expect(try read(&file, isFloat: isFloat) == expected)
      #expect(file.frameCount == 800 && file.missingBytes == 0)
    }
  }
}
