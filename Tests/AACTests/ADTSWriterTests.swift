import AAC
import Foundation
import MediaCore
import TestSupport
import Testing

@Suite("ADTSWriter", .inTurn)
struct ADTSWriterTests {
  static let plain = bytes("1210")

  /// Writes packets into memory.
  func written(_ track: Track, _ samples: [EncodedSample]) throws -> (bytes: [UInt8], summary: ADTSWriter.Summary) {
    let sink = MemorySink()
    var writer = try ADTSWriter(sink: sink, track: track)
    for sample in samples { try writer.append(sample) }
    let summary = try writer.finish()
    return (sink.bytes, summary)
  }

  @Test("Packets in memory get a header each")
  func memory() throws {
    let (data, summary) = try written(track(configuration: Self.plain), [packet([1, 2, 3]), packet([4])])
    #expect(data == frame(payload: [1, 2, 3]) + frame(payload: [4]))
    #expect(summary.packets == 2 && summary.bytes == 18 && summary.bytes == data.count)
  }

  @Test("Packets anywhere in any sources are written in order")
  func scattered() throws {
    var noise = Noise(state: 5)
    let contents = [noise.bytes(60_000), noise.bytes(50_000)]
    let sources = contents.map { SourceReader(MemorySource($0)) }
    var samples: [EncodedSample] = []
    var expected: [UInt8] = []
    var position = 0
    for index in 0..<20_000 {
      let which = index / 7 % 2
      let size = Int.random(in: 1...200, using: &noise)
      // Mostly one after another, as in a file; now and then elsewhere, or in memory.
      if index % 11 == 0 || position + size > 50_000 { position = Int.random(in: 0...49_000, using: &noise) }
      let payload = Array(contents[which][position..<(position + size)])
      samples.append(
        index % 13 == 0
          ? packet(payload) : packet(.range(sources[which], offset: UInt64(position), count: size)))
      expected += frame(payload: payload)
      position += size
    }
    #expect(try written(track(configuration: Self.plain), samples).bytes == expected)
  }

  @Test("Packets that lie one after another are read at once")
  func fewReads() throws {
    final class Counting: ByteSource {
      let size: UInt64 = 1_000_000
      let name = "counting"
      let reads = Counter()
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        reads.increment()
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 7)
        return buffer.count
      }
      func reopen() throws(SourceError) {}
    }
    let source = Counting()
    let reader = SourceReader(source)
    let samples = (0..<10_000).map { packet(.range(reader, offset: UInt64($0 * 100), count: 100)) }
    #expect(try written(track(configuration: Self.plain), samples).bytes.count == 1_070_000)
    // 64 KiB at once, and what is left of a batch.
    #expect(source.reads.value <= 20)
  }

  @Test("Packets of every size follow one another without a gap, whether in memory or not")
  func manyPackets() throws {
    let content = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
    let reader = SourceReader(MemorySource(content))
    var (samples, expected): ([EncodedSample], [UInt8]) = ([], [])
    var position = 0
    while position < 1_900_000 {
      let size = 1 + position % 8184
      let bytes = content[position..<(position + size)]
      samples.append(packet(size % 7 == 0 ? .bytes(bytes) : .range(reader, offset: UInt64(position), count: size)))
      expected += frame(payload: Array(bytes))
      position += size + (size % 3) * 2500
    }
    #expect(try written(track(configuration: Self.plain), samples).bytes == expected)
  }

  @Test("A sample without bytes is no packet")
  func empty() throws {
    let (data, summary) = try written(track(configuration: Self.plain), [packet([]), packet([1]), packet([])])
    #expect(data == frame(payload: [1]))
    #expect(summary.packets == 1 && summary.emptySamples == 2)
  }

  @Test("The largest frame is written, a larger one is refused by number")
  func largest() throws {
    let track = track(configuration: Self.plain)
    let largest = [UInt8](repeating: 5, count: 8184)
    #expect(try written(track, [packet(largest)]).bytes == frame(payload: largest))
    #expect(throws: AACError(.notInADTS(.frameBytes(8192)), field: "aac_frame_length", packet: 1)) {
      try written(track, [packet([1]), packet(largest + [5])])
    }
    let reader = SourceReader(MemorySource([]))
    #expect(throws: AACError.self) { try written(track, [packet(.range(reader, offset: .max, count: .max))]) }
  }

  @Test("A source that ends early is an error that names the place")
  func endedEarly() throws {
    let reader = SourceReader(MemorySource([1, 2, 3, 4, 5], name: "short.mp4"))
    let samples = [packet(.range(reader, offset: 0, count: 3)), packet(.range(reader, offset: 3, count: 3))]
    let error = #expect(throws: AACError.self) { try written(track(configuration: Self.plain), samples) }
    #expect(error?.code == .source(SourceError(.endedEarly, name: "short.mp4", offset: 5)))
    #expect(error?.description.contains("byte 5") == true)
  }

  @Test("A description that changes on the way changes the headers")
  func changes() throws {
    var both = track(configuration: Self.plain)
    both.descriptions += track(configuration: bytes("1390")).descriptions
    both.descriptions += track(configuration: [], codec: "alac", name: "Apple Lossless", objectType: nil).descriptions
    let samples = [packet([1]), packet([2], description: 1), packet([3])]
    let expected = frame(payload: [1]) + frame(rate: 7, payload: [2]) + frame(payload: [3])
    #expect(try written(both, samples).bytes == expected)
    #expect(throws: AACError(.notAAC("Apple Lossless"), packet: 1)) {
      try written(both, [packet([1]), packet([2], description: 2)])
    }
    #expect(throws: AACError(.noDescription(3), packet: 0)) { try written(both, [packet([2], description: 3)]) }
    #expect(throws: AACError(.noDescription(-1), packet: 0)) { try written(both, [packet([2], description: -1)]) }
  }

  @Test(
    "No header is put before what is not AAC; the codec is named",
    arguments: [
      ("mp4a", 0x6B, "MP3"), ("mp4a", 0x69, "MP3"), ("alac", nil, "Apple Lossless"), ("ac-3", nil, "AC-3"),
      ("Opus", nil, "Opus"), ("mp4a", 0xA9, "DTS"),
    ] as [(String, UInt8?, String)])
  func otherCodecs(code: String, objectType: UInt8?, name: String) throws {
    let number = code.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    let track = track(configuration: Self.plain, codec: FourCC(number), name: name, objectType: objectType)
    let folder = try TemporaryFolder()
    let error = #expect(throws: AACError.self) { _ = try ADTSWriter(path: folder.path("out.aac"), track: track) }
    #expect(error?.code == .notAAC(name))
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.aac")))
  }

  @Test("Encrypted packets and tracks without a configuration are refused")
  func refusals() {
    let protection = Protection(scheme: "cenc", defaultKeyID: [])
    #expect(throws: AACError(.encrypted("cenc"))) {
      try written(track(configuration: Self.plain, protection: protection), [])
    }
    #expect(throws: AACError(.noConfiguration)) { try written(track(configuration: []), []) }
    #expect(throws: AACError(.noConfiguration)) { try written(Track(id: 1, kind: .audio, timescale: 1), []) }
    #expect(throws: AACError(.notInADTS(.objectType(42)))) {
      try written(track(configuration: bytes("f948 2460")), [])
    }
  }

  @Test("MPEG-2 AAC without a configuration is described by its indication and its sample entry")
  func mpeg2() throws {
    let track = track(configuration: [], objectType: 0x66, channels: 6, rate: 48000)
    #expect(try written(track, [packet([1])]).bytes == frame(profile: 0, rate: 3, channels: 6, payload: [1]))
  }

  @Test("A file appears when it is finished, and not before")
  func files() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.aac")
    var writer = try ADTSWriter(path: path, track: track(configuration: Self.plain))
    try writer.append(packet([1, 2]))
    try writer.flush()
    #expect(!FileManager.default.fileExists(atPath: path))
    _ = try writer.finish()
    #expect(FileManager.default.contents(atPath: path).map { [UInt8]($0) } == frame(payload: [1, 2]))
    let error = #expect(throws: AACError.self) {
      _ = try ADTSWriter(path: path, track: track(configuration: Self.plain), clobber: false)
    }
    #expect(error?.code == .sink(SinkError(.exists, name: path)))
  }
}

@Suite("ADTSWriter and ffmpeg", .inTurn, .needs(.ffmpeg))
struct ADTSWriterPeerTests {
  /// An .aac file that ffmpeg makes.
  func ffmpeg(layout: String, rate: Int, folder: TemporaryFolder) throws -> String {
    let path = folder.path("peer.aac")
    let source = "anoisesrc=r=\(rate):d=2:a=0.3:seed=1,aformat=cl=\(layout)"
    let result = try Tool.ffmpeg.run(
      ["-v", "error", "-y", "-f", "lavfi", "-i", source, "-c:a", "aac", "-f", "adts", path])
    try #require(result.status == 0, Comment(rawValue: result.errors))
    return path
  }

  func rewritten(_ path: String, track given: Track? = nil, skipping: Int = 0) throws -> [UInt8] {
    var reader = try ADTSReader(SourceReader(try FileSource(path: path)))
    let sink = MemorySink()
    var writer = try ADTSWriter(sink: sink, track: given ?? reader.track)
    var skipped = skipping
    while var sample = try reader.next() {
      if skipped > 0, case .range(let source, let offset, let count) = sample.payload {
        sample.payload = .range(source, offset: offset + UInt64(skipped), count: count - skipped)
        skipped = 0
      }
      try writer.append(sample)
    }
    _ = try writer.finish()
    return sink.bytes
  }

  @Test(
    "A stream read and written again is the same, byte for byte",
    arguments: [("mono", 8000), ("stereo", 44100), ("5.1", 48000), ("7.1", 96000), ("stereo", 7350)])
  func identity(layout: String, rate: Int) throws {
    let folder = try TemporaryFolder()
    let path = try ffmpeg(layout: layout, rate: rate, folder: folder)
    let original = try #require(FileManager.default.contents(atPath: path))
    #expect(original.count > 1000)
    #expect(try rewritten(path) == [UInt8](original))
  }

  @Test("Channels that the header cannot name go ahead of the first packet, as ffmpeg has it")
  func programConfiguration() throws {
    let folder = try TemporaryFolder()
    let path = try ffmpeg(layout: "quad", rate: 44100, folder: folder)
    let original = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    // What a movie holds: the configuration in the sample description, and packets without it.
    let reader = try ADTSReader(SourceReader(MemorySource(original)))
    let configuration = try #require(reader.track.audioFormat).decoderConfiguration
    let program = try #require(try AudioSpecificConfig(configuration).programConfig)
    #expect(program.channels == 4)
    let movie = track(configuration: configuration)
    #expect(try rewritten(path, track: movie, skipping: program.packetElement.count) == original)
  }

  @Test("A stream that already carries the element is not given it twice")
  func noSecondElement() throws {
    let folder = try TemporaryFolder()
    let path = try ffmpeg(layout: "quad", rate: 44100, folder: folder)
    let original = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    #expect(try rewritten(path) == original)
  }
}

/// Counts from any thread.
final class Counter: Sendable {
  private let storage = NSLock()
  private nonisolated(unsafe) var count = 0

  // Only ever touched under the lock.
  var value: Int { storage.withLock { unsafe count } }

  func increment() { storage.withLock { unsafe count += 1 } }
}
