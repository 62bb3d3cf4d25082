import Foundation
import MediaCore
import TestSupport
import Testing
import PCM

/// Headers as they are found in the wild, and what is read after them.
@Suite(.inTurn) struct WAVEFileTests {
  private let samples: [Int16] = [1, -2, 300, -32768, 32767]

  private func file(_ before: [UInt8]..., data: [UInt8]? = nil, dataSize: UInt32? = nil, size: UInt32? = nil) -> [UInt8]
  {
    let data = PlainWAV.chunk("data", data ?? PlainWAV.bytes(samples), claiming: dataSize)
    return PlainWAV.file(PlainWAV.chunk("fmt ", PlainWAV.fmt()), before.flatMap { $0 }, data, claiming: size)
  }

  @Test("the samples of a plain file are read, in pieces of any length", arguments: [1, 2, 3, 4096])
  func pieces(frames: Int) throws {
    var wav = try PCMFileReader(file())
    #expect(wav.format == AudioFormat(sampleRate: 8000, layout: .mono))
    #expect(wav.frameCount == 5)
    let buffers = try wav.all(by: frames)
    #expect(buffers.int16s == samples)
    #expect(buffers.dropLast().allSatisfy { $0.frameCount == frames })
    #expect(wav.missingBytes == 0)
  }

  @Test("each way to write a sample is read as what it stands for")
  func encodings() throws {
    let cases: [(tag: UInt16, bits: UInt16, bytes: [UInt8], floats: [Float])] = [
      (1, 8, [0, 128, 255], [-1, 0, 127 / 128]),
      (1, 24, [0, 0, 0x80, 1, 0, 0, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF], [-1, 0x1p-23, 1 - 0x1p-23, -0x1p-23]),
      (1, 20, [0x10, 0, 0, 0, 0, 0xC0], [0x1p-19, -0.5]),
      (1, 32, PlainWAV.u32(0x8000_0000) + PlainWAV.u32(0x4000_0000) + PlainWAV.u32(256), [-1, 0.5, 0x1p-23]),
      (3, 32, PlainWAV.u32(Float(-1.5).bitPattern) + PlainWAV.u32(Float(0.1).bitPattern), [-1.5, 0.1]),
      (3, 64, PlainWAV.u64(0.1.bitPattern) + PlainWAV.u64((-2.0).bitPattern), [0.1, -2]),
    ]
    for (tag, bits, bytes, floats) in cases {
      let file = PlainWAV.file(
        PlainWAV.chunk("fmt ", PlainWAV.fmt(tag: tag, bits: bits)), PlainWAV.chunk("data", bytes))
      var wav = try PCMFileReader(file)
      let depth: AudioFormat.SampleFormat = tag == 3 ? .float32 : bits == 8 ? .int16 : bits == 32 ? .int32 : .int24
      #expect(wav.format.sampleFormat == depth)
      #expect(try wav.all(by: 1).floats == floats, "\(bits) bits, tag \(tag)")
    }
  }

  @Test("chunks that are not known are passed over, with the padding of odd ones")
  func unknownChunks() throws {
    var wav = try PCMFileReader(file(PlainWAV.chunk("LIST", [1, 2, 3]), PlainWAV.chunk("bext", [])))
    #expect(try wav.all().int16s == samples)
  }

  /// sox and arecord write such sizes, and more may come than they say.
  @Test("a size that its writer did not know limits nothing", arguments: [0x7FFF_F000, 0x8000_0000] as [UInt32])
  func placeholder(size: UInt32) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("long.wav")
    let head = PlainWAV.file(PlainWAV.chunk("fmt ", PlainWAV.fmt(tag: 1, bits: 16)))
    for (riff, isTrue) in [(size + 36, false), (UInt32(0x8800_0000 - 8), true)] {
      let bytes =
        Array("RIFF".utf8) + PlainWAV.u32(riff) + head[8...] + Array("data".utf8) + PlainWAV.u32(size)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      // It has no blocks on the disk.
      try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 0x8800_0000)
      let wav = try PCMFileReader(path: path)
      #expect(wav.frameCount == (isTrue ? UInt64(size) : 0x8800_0000 - UInt64(bytes.count)) / 2)
    }
  }

  @Test("what follows the samples is not taken for samples")
  func trailingChunk() throws {
    var wav = try PCMFileReader(file() + PlainWAV.chunk("LIST", [9, 9, 9, 9]))
    #expect(try wav.all().int16s == samples)
  }

  @Test(
    "sizes that a live writer left open mean: to the end",
    arguments: [(UInt32.max, UInt32.max), (0, 0), (36, 0), (.max, 0)])
  func live(size: UInt32, dataSize: UInt32) throws {
    var wav = try PCMFileReader(file(dataSize: dataSize, size: size))
    #expect(wav.frameCount == 5)
    #expect(try wav.all().int16s == samples)
    #expect(wav.missingBytes == 0)
  }

  @Test("a file without any sample is empty, whatever follows")
  func empty() throws {
    let bytes = PlainWAV.file(
      PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", []), PlainWAV.chunk("LIST", [1, 2, 3, 4]))
    var wav = try PCMFileReader(bytes)
    #expect(wav.frameCount == 0)
    #expect(try wav.next() == nil)
  }

  @Test("a truncated file is read to its end, and says what is missing")
  func truncated() throws {
    var wav = try PCMFileReader(Array(file().dropLast(3)))
    #expect(wav.missingBytes == 3)
    #expect(wav.frameCount == 3)
    #expect(try wav.all().int16s == Array(samples.prefix(3)))
  }

  @Test("RF64 takes its sizes from the ds64 chunk, and only where they are needed", arguments: ["RF64", "BW64"])
  func rf64(type: String) throws {
    let ds64 = PlainWAV.chunk("ds64", PlainWAV.u64(0) + PlainWAV.u64(6) + PlainWAV.u64(3) + PlainWAV.u32(0))
    for (claimed, count) in [(UInt32.max, 3), (10, 5)] {
      let bytes = PlainWAV.file(
        ds64, PlainWAV.chunk("fmt ", PlainWAV.fmt()),
        PlainWAV.chunk("data", PlainWAV.bytes(samples), claiming: claimed), claiming: .max, type: type)
      var wav = try PCMFileReader(bytes)
      #expect(try wav.all().int16s == Array(samples.prefix(count)))
    }
  }

  @Test("the extensible form tells codec and loudspeakers")
  func extensible() throws {
    let guidTail: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    let extra = PlainWAV.u16(22) + PlainWAV.u16(16) + PlainWAV.u32(0x30) + PlainWAV.u16(1) + guidTail
    let fmt = PlainWAV.fmt(tag: 0xFFFE, channels: 2) + extra
    let bytes = PlainWAV.file(PlainWAV.chunk("fmt ", fmt), PlainWAV.chunk("data", PlainWAV.bytes([1, 2, 3, 4])))
    var wav = try PCMFileReader(bytes)
    #expect(wav.format.layout == ChannelLayout(channels: 2, mask: 0x30))
    #expect(try wav.all().int16s == [1, 2, 3, 4])
    var other = bytes
    other[12 + 8 + 26] = 1
    #expect(fileError { _ = try PCMFileReader(other) }?.field == "SubFormat")
  }

  @Test("seeking goes to a frame, and after the end is the end")
  func seek() throws {
    var wav = try PCMFileReader(file())
    wav.seek(toFrame: 3)
    #expect(wav.position == 3)
    var copy = wav
    #expect(try wav.all().int16s == [-32768, 32767])
    copy.seek(toFrame: 1)
    let sound = try #require(try copy.next(frames: 2))
    #expect(sound.payload.int16s == [-2, 300])
    // Its time is its place in the file.
    let rate = UInt32(wav.format.sampleRate)
    #expect(sound.timing == SampleTiming(decodeTime: 1, presentationTime: 1, duration: 2, timescale: rate))
    copy.seek(toFrame: .max)
    #expect(try copy.next() == nil)
  }

  @Test("a read that fails can be asked again")
  func recovery() throws {
    let source = FaultySource(MemorySource(file()), .failing(2))
    var wav = try PCMFileReader(SourceReader(source, attempts: 0))
    #expect(
      fileError { _ = try wav.next() }?.code
        == .source(SourceError(FaultySource.failure, name: source.name, offset: 44))
    )
    try source.reopen()
    #expect(try wav.all().int16s == samples)
  }

  @Test("what is not PCM, or makes no sense, is refused with its place")
  func refused() {
    let data = PlainWAV.chunk("data", [0, 0])
    func code(_ fmt: [UInt8]) -> PCMFileError? {
      fileError { _ = try PCMFileReader(PlainWAV.file(PlainWAV.chunk("fmt ", fmt), data)) }
    }
    #expect(code(PlainWAV.fmt(tag: 0x55))?.code == .notPCM("MP3"))
    #expect(code(PlainWAV.fmt(tag: 0xFFFE))?.code == .notPCM("format 0xfffe"))
    #expect(
      code(PlainWAV.fmt(channels: 0)) == PCMFileError(.invalidValue(0), field: "nChannels", offset: 22, file: "memory"))
    #expect(
      code(PlainWAV.fmt(rate: 0)) == PCMFileError(.invalidValue(0), field: "nSamplesPerSec", offset: 24, file: "memory")
    )
    #expect(
      code(PlainWAV.fmt(align: 3)) == PCMFileError(.invalidValue(3), field: "nBlockAlign", offset: 32, file: "memory"))
    #expect(code(PlainWAV.fmt(bits: 0))?.code == .unsupportedBits(0, isFloat: false))
    #expect(code(PlainWAV.fmt(tag: 3, bits: 16))?.code == .unsupportedBits(16, isFloat: true))
    #expect(code(PlainWAV.fmt(bits: 65535))?.code == .unsupportedBits(65535, isFloat: false))
    #expect(code(Array(PlainWAV.fmt().prefix(15)))?.code == .truncated)
    #expect(fileError { _ = try PCMFileReader([]) }?.code == .notPCMFile)
    #expect(fileError { _ = try PCMFileReader(PlainWAV.file(type: "RIFX")) }?.code == .notPCMFile)
    #expect(fileError { _ = try PCMFileReader(PlainWAV.file(data)) }?.code == .missingChunk("fmt "))
    #expect(fileError { _ = try PCMFileReader(PlainWAV.file()) }?.code == .missingChunk("data"))
  }

  @Test("a file that was changed or that grew while it was read says so when it is asked")
  func changedWhileRead() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("in.wav")
    let bytes = PlainWAV.file(PlainWAV.chunk("fmt ", PlainWAV.fmt()), PlainWAV.chunk("data", [1, 2, 3, 4]))
    for offset in [bytes.count - 1, bytes.count] {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      var reader = try PCMFileReader(path: path)
      while try reader.next() != nil {}
      try reader.checkUnchanged()
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data([9]))
      try file.close()
      #expect(throws: PCMFileError(.source(SourceError(.changed, name: path)))) { try reader.checkUnchanged() }
    }
  }

  @Test("a file of nothing but small chunks ends with an error, soon")
  func manyChunks() {
    let bytes = PlainWAV.file(Array(repeating: PlainWAV.chunk("junk", []), count: 20_000).flatMap { $0 })
    #expect(fileError { _ = try PCMFileReader(bytes) }?.code == .tooManyChunks)
  }

  @Test("rates and channels that no sound has are refused, and those at the limit read")
  func boundsOfTheFormat() throws {
    let (rates, channels): ([UInt32], [UInt16]) = ([6_144_001, .max], [257, .max])
    for rate in rates {
      let error = fileError { _ = try PCMFileReader(self.format(PlainWAV.fmt(rate: rate))) }
      #expect(error?.code == .invalidValue(UInt64(rate)) && error?.field == "nSamplesPerSec" && error?.offset == 24)
    }
    for number in channels {
      let error = fileError { _ = try PCMFileReader(self.format(PlainWAV.fmt(channels: number, bits: 8))) }
      #expect(error?.code == .invalidValue(UInt64(number)) && error?.field == "nChannels" && error?.offset == 22)
    }
    #expect(try PCMFileReader(format(PlainWAV.fmt(channels: 256, rate: 6_144_000, bits: 64))).format.channels == 256)
  }

  private func format(_ fmt: [UInt8]) -> [UInt8] {
    let isFloat = fmt[14] == 64
    let content = isFloat ? PlainWAV.u16(3) + fmt.dropFirst(2) : fmt
    return PlainWAV.file(PlainWAV.chunk("fmt ", content), PlainWAV.chunk("data", []))
  }

  @Test("a block size of 0 is computed, and B-format is PCM for no loudspeaker")
  func oddFormats() throws {
    var fmt = PlainWAV.fmt()
    fmt.replaceSubrange(12..<14, with: [0, 0])
    let data = PlainWAV.chunk("data", PlainWAV.bytes([1, 2, 3]))
    var reader = try PCMFileReader(PlainWAV.file(PlainWAV.chunk("fmt ", fmt), data))
    #expect(try reader.all().int16s == [1, 2, 3])
    let tail: [UInt8] = [0, 0, 0x21, 7, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0, 0, 0]
    let format = PlainWAV.fmt(tag: 0xFFFE, channels: 4) + [22, 0, 16, 0, 0, 0, 0, 0, 1, 0] + tail
    let four = PlainWAV.chunk("data", PlainWAV.bytes([1, 2, 3, 4]))
    var ambisonic = try PCMFileReader(PlainWAV.file(PlainWAV.chunk("fmt ", format), four))
    #expect(ambisonic.format.layout == ChannelLayout(channels: 4, mask: 0))
    #expect(try ambisonic.all().int16s == [1, 2, 3, 4])
  }
}
