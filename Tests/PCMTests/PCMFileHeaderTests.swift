import MediaCore
import PCM
import TestSupport
import Testing

/// Headers of AIFF and CAF that are unusual, untrue or hostile.
@Suite(.inTurn) struct PCMFileHeaderTests {
  private let samples: [UInt8] = [0, 1, 0xFF, 0xFE, 1, 44]
  private let numbers: [Int16] = [1, -2, 300]

  @Test("chunks of AIFF come in any order, on a file; from a pipe that cannot be")
  func order() throws {
    let bytes = PlainAIFF.file(
      PlainAIFF.ssnd(samples, offset: 5), PlainAIFF.chunk("NAME", [65]), PlainAIFF.comm(frames: 3))
    var file = try PCMFileReader(bytes)
    #expect(try file.all().int16s == numbers)
    #expect(fileError { _ = try PCMFileReader(SourceReader(PipedBytes(bytes))) }?.code == .missingChunk("COMM"))
  }

  @Test("the other spellings of AIFF-C are read")
  func spellings() throws {
    let cases: [(type: String, bits: UInt16, bytes: [UInt8], numbers: [Int32])] = [
      ("raw ", 8, [0, 0x80, 0xFF], [.min, 0, 127 << 24]), ("NONE", 12, [0x7F, 0xF0], [0x7FF0_0000]),
      ("in24", 24, [1, 2, 3], [0x0102_0300]), ("42ni", 24, [1, 2, 3], [0x0302_0100]),
      ("in32", 32, [1, 2, 3, 4], [0x0102_0304]), ("23ni", 32, [1, 2, 3, 4], [0x0403_0201]),
      ("sowt", 24, [1, 2, 3], [0x0302_0100]), ("twos", 16, [1, 2], [0x0102_0000]),
      ("ULAW", 16, [0xFF, 0], [0, -32124 << 16]), ("ALAW", 16, [0xD5], [8 << 16]),
      ("FL32", 32, Plain.u32(Float(0.5).bitPattern), [1 << 30]),
      ("FL64", 64, Plain.u64((-0.5).bitPattern), [-1 << 30]),
    ]
    for (type, bits, bytes, numbers) in cases {
      var file = try PCMFileReader(
        PlainAIFF.file(
          PlainAIFF.comm(frames: UInt32(numbers.count), bits: bits, type: type), PlainAIFF.ssnd(bytes), type: "AIFC"))
      #expect(try file.all().flatMap(\.int32s) == numbers, "\(type)")
      #expect(file.fileTypeName == "aifc")
    }
  }

  @Test("sizes of AIFF that are not true are not believed")
  func untrueSizes() throws {
    // (frames, size of SSND, size of FORM): how many frames are read, bytes that are missing.
    let cases: [(UInt32, UInt32?, UInt32?, UInt64, UInt64)] = [
      (3, nil, nil, 3, 0), (2, nil, nil, 2, 0), (9, nil, nil, 3, 0), (0, nil, 0, 3, 0), (0, 0, 0, 3, 0),
      (3, 0, 0, 3, 0),
      (5, 18, nil, 3, 4), (0, .max, .max, 3, 0), (0x3F80_0000, 0x7F00_0008, nil, 3, 0), (0, 8, nil, 0, 0),
    ]
    for (frames, sound, form, read, missing) in cases {
      let bytes = PlainAIFF.file(
        PlainAIFF.comm(frames: frames), PlainAIFF.ssnd(samples, claiming: sound), claiming: form)
      var file = try PCMFileReader(bytes)
      #expect(file.frameCount == read, "\(frames) \(String(describing: sound))")
      #expect(file.missingBytes == missing)
      #expect(try file.all().int16s == Array(numbers.prefix(Int(read))))
    }
  }

  @Test("CAF of a size that is unknown, or more than there is")
  func caf() throws {
    for (size, missing) in [(Int64(-1), UInt64(0)), (10, 0), (20, 10)] {
      var file = try PCMFileReader(
        PlainCAF.file(PlainCAF.desc(), PlainCAF.chunk("free", [1, 2, 3]), PlainCAF.data(samples, claiming: size)))
      #expect(file.missingBytes == missing && file.frameCount == 3)
      #expect(try file.all().int16s == numbers)
    }
  }

  @Test("what is not PCM is refused by its name")
  func refused() {
    func caf(_ desc: [UInt8], _ rest: [UInt8] = PlainCAF.data([])) -> PCMFileError? {
      fileError { _ = try PCMFileReader(PlainCAF.file(desc, rest)) }
    }
    #expect(caf(PlainCAF.desc("alac"))?.code == .notPCM("Apple Lossless"))
    #expect(caf(PlainCAF.desc("aac "))?.code == .notPCM("AAC"))
    #expect(caf(PlainCAF.desc("aac "))?.description.contains("AAC, not PCM") == true)
    #expect(caf(PlainCAF.desc(rate: .nan))?.field == "mSampleRate")
    #expect(caf(PlainCAF.desc(rate: 1e300))?.code == .invalidValue(.max))
    #expect(caf(PlainCAF.desc(channels: .max))?.field == "mChannelsPerFrame")
    #expect(caf(PlainCAF.desc(bytes: 3))?.field == "mBytesPerPacket")
    #expect(caf(PlainCAF.desc(frames: 2))?.field == "mFramesPerPacket")
    #expect(caf(PlainCAF.desc(flags: 1))?.code == .unsupportedBits(16, isFloat: true))
    #expect(caf(PlainCAF.desc(bits: .max))?.code == .unsupportedBits(Int(UInt32.max), isFloat: false))
    #expect(caf(PlainCAF.desc(), PlainCAF.data([], claiming: -2))?.field == "mChunkSize")
    #expect(caf(PlainCAF.desc(), PlainCAF.chunk("free", [], claiming: .min))?.field == "mChunkSize")
    #expect(caf(PlainCAF.desc(), PlainCAF.chunk("free", [], claiming: .max))?.code == .missingChunk("data"))
    func aiff(_ type: String, _ comm: [UInt8]) -> PCMFileError? {
      fileError { _ = try PCMFileReader(PlainAIFF.file(comm, PlainAIFF.ssnd([]), type: type)) }
    }
    #expect(aiff("AIFC", PlainAIFF.comm(frames: 0, type: "ima4"))?.code == .notPCM("IMA ADPCM"))
    #expect(aiff("AIFC", PlainAIFF.comm(frames: 0, type: "\u{1}abc"))?.description.contains("\u{1}") == false)
    #expect(aiff("AIFC", PlainAIFF.comm(frames: 0))?.code == .truncated)
    #expect(aiff("AIFF", PlainAIFF.comm(channels: 0, frames: 0))?.field == "numChannels")
    #expect(aiff("AIFF", PlainAIFF.comm(frames: 0, bits: 33))?.code == .unsupportedBits(33, isFloat: false))
    for rate in [
      [UInt8](repeating: 0, count: 10), [UInt8](repeating: 0xFF, count: 10),
      [0x7F] + [UInt8](repeating: 0xFF, count: 9),
    ] {
      #expect(aiff("AIFF", PlainAIFF.comm(frames: 0, rate: rate))?.field == "sampleRate")
    }
  }

  @Test("headers with random bytes in them never trap, and what is read stays within the file")
  func damaged() throws {
    var noise = Noise(seed: 80)
    let sound = noise.bytes(400)
    let seeds = [
      PlainAIFF.file(
        PlainAIFF.comm(channels: 2, frames: 100), PlainAIFF.chunk("CHAN", [0, 1, 0, 0] + Plain.u64(3 << 32)),
        PlainAIFF.ssnd(sound)),
      PlainAIFF.file(PlainAIFF.comm(frames: 100, bits: 32, type: "fl32"), PlainAIFF.ssnd(sound), type: "AIFC"),
      PlainCAF.file(
        PlainCAF.desc(flags: 2), PlainCAF.chunk("chan", Plain.u32(0) + Plain.u64(2) + noise.bytes(40)),
        PlainCAF.data(sound)),
      PlainWAV.file(PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", sound)),
    ]
    let extremes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    for _ in 0..<20_000 {
      var bytes = seeds.randomElement(using: &noise) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &noise) {
        let place = Int.random(in: 0..<min(bytes.count, 120), using: &noise)
        bytes[place] = extremes.randomElement(using: &noise) ?? 0
      }
      if noise.once(in: 8) { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &noise))) }
      let sources: [any ByteSource] = [MemorySource(bytes), PipedBytes(bytes)]
      for source in sources {
        guard var file = try? PCMFileReader(SourceReader(source)) else { continue }
        var frames: UInt64 = 0
        while let sound = try file.next(frames: 64) { frames += UInt64(sound.payload.frameCount) }
        #expect(frames * UInt64(file.fileFormat.bytesPerFrame) <= bytes.count && file.frameCount == frames)
      }
    }
  }

  @Test("a wrong description of raw samples says which part is wrong, and what to write")
  func rawFormats() throws {
    for (text, coding) in [
      ("s16:44100:2", PCMCoding(.signed, byteCount: 2, isLittleEndian: true)),
      ("s24be:8000:256", PCMCoding(.signed, byteCount: 3)),
      ("f64le:6144000:1", PCMCoding(.float, byteCount: 8, isLittleEndian: true)),
      ("alaw:8000:1", PCMCoding(.aLaw, byteCount: 1, isLittleEndian: true)),
    ] {
      #expect(try RawPCMFormat(parsing: text).coding == coding)
    }
    let wrong: [(String, String?)] = [
      ("", nil), ("s16le", nil), ("s16le:44100", nil), ("s16le:44100:2:1", nil), ("s17:44100:2", "encoding"),
      ("u8be:44100:2", "encoding"), ("ulawle:8000:1", "encoding"), ("s16:0:2", "rate"), ("s16:6144001:2", "rate"),
      ("s16:x:2", "rate"), ("s16:99999999999999999999:2", "rate"), ("s16:44100:0", "channels"),
      ("s16:44100:257", "channels"), ("s16:44100:-1", "channels"),
    ]
    for (text, field) in wrong {
      let error = fileError { _ = try RawPCMFormat(parsing: text) }
      #expect(error?.field == field && error?.kind == .misuse, "\(text)")
      #expect(error?.description.contains("s16le:44100:2") == true)
    }
  }
}
