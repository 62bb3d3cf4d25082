import AAC
import Foundation
import Lyrebird
import MediaCore
import TestSupport
import Testing

@Suite("LOASReader", .inTurn)
struct LOASReaderTests {
  /// Everything that a reader delivers.
  private func read(_ bytes: [UInt8]) throws -> (packets: [[UInt8]], reader: LOASReader) {
    var reader = try LOASReader(SourceReader(MemorySource(bytes)))
    var packets: [[UInt8]] = []
    while let sample = try reader.next() { packets.append(Array(try sample.payload.load())) }
    return (packets, reader)
  }

  /// Every form that is supported, by a maker of its own.
  private static let makers: [LOASMaker] = {
    var makers: [LOASMaker] = []
    for version in UInt32(0)...1 {
      for packets in [UInt32(1), 2, 5] {
        var maker = LOASMaker()
        (maker.version, maker.packetsPerFrame) = (version, packets)
        makers.append(maker)
        (maker.otherBits, maker.hasChecksum) = (version == 0 ? 13 : 300, true)
        makers.append(maker)
        (maker.lengthType, maker.excess) = (1, 2)
        makers.append(maker)
      }
    }
    return makers
  }()

  /// Packets that a maker can write: of 100 bytes where all have to have as many.
  private func packets(_ maker: LOASMaker, _ noise: inout Noise) -> [[UInt8]] {
    (0..<maker.packetsPerFrame).map { _ in
      noise.bytes(maker.lengthType == 1 ? 100 : Int.random(in: 0...700, using: &noise))
    }
  }

  @Test("All that is supported of the syntax is read, with a configuration in each frame or in the first alone")
  func syntax() throws {
    var noise = Noise(state: 1)
    for maker in LOASReaderTests.makers {
      for period in [1, 100] {
        let frames = (0..<7).map { _ in packets(maker, &noise) }
        let stream = frames.enumerated().flatMap { maker.frame($1, isConfigured: $0 % period == 0) }
        let (found, reader) = try read(stream)
        #expect(found == frames.flatMap { $0 }, "\(maker)")
        #expect(reader.report.frames == 7 && reader.report.packets == 7 * UInt64(maker.packetsPerFrame))
        #expect(reader.report.junkBytes == 0 && reader.report.tailBytes == 0 && !reader.report.isTruncated)
        #expect(reader.report.configurationChanges == 0 && reader.report.damagedFrames == 0)
        #expect(reader.track.audioFormat?.decoderConfiguration == [0x12, 0x10])
        #expect(reader.track.mediaDuration.value == 7 * 1024 * Int64(maker.packetsPerFrame))
        #expect(try LOASReader.looksLikeLOAS(SourceReader(MemorySource(stream))))
        #expect(try !ADTSReader.looksLikeADTS(SourceReader(MemorySource(stream))))
      }
    }
  }

  @Test("A configuration that begins in the middle of a byte and ends in another is read as it was written")
  func configurations() throws {
    var noise = Noise(state: 2)
    // Explicit SBR; channel configuration 0 with its program_config_element, whose padding counts from its own start.
    var program = ProgramConfig()
    program.front = [.init(isPair: true, tag: 0), .init(isPair: false, tag: 1)]
    program.comment = Array("a comment".utf8)
    let custom = AudioSpecificConfig(sampleRate: 48000, channelConfiguration: 0, programConfig: program)
    for (config, bits) in [
      (bytes("2b92 0800"), 25), (try custom.written, 8 * (try custom.written.count)), (bytes("1210 56e5 a0"), 37),
    ] {
      for version in UInt32(0)...1 where version == 1 || bits != 37 {
        var maker = LOASMaker()
        (maker.version, maker.config, maker.configBits) = (version, config, bits)
        let packet = noise.bytes(300)
        let (found, reader) = try read(maker.frame([packet]) + maker.frame([packet]))
        #expect(found == [packet, packet])
        let described = try AudioSpecificConfig(try #require(reader.track.audioFormat).decoderConfiguration)
        #expect(try described == AudioSpecificConfig(config), "version \(version)")
      }
    }
  }

  @Test("A stream is joined anywhere: what comes before the first configuration is left out and counted")
  func joining() throws {
    var noise = Noise(state: 3)
    let maker = LOASMaker()
    let frames = (0..<60).map { _ in noise.bytes(Int.random(in: 20...600, using: &noise)) }
    let stream = frames.enumerated().flatMap { maker.frame([$1], isConfigured: $0 % 10 == 0) }
    let configured = (0..<6).map { tenth in
      frames[..<(tenth * 10)].indices.reduce(0) { $0 + maker.frame([frames[$1]], isConfigured: $1 % 10 == 0).count }
    }
    for _ in 0..<200 {
      let cut = Int.random(in: 1..<(stream.count / 2), using: &noise)
      let (found, reader) = try read(Array(stream[cut...]))
      let tenth = try #require(configured.firstIndex { $0 >= cut })
      #expect(found == Array(frames[(tenth * 10)...]), "cut at \(cut)")
      let report = reader.report
      #expect(report.unconfiguredFrames + report.packets == report.frames)
      #expect(try LOASReader.looksLikeLOAS(SourceReader(MemorySource(Array(stream[cut...])))))
    }
  }

  @Test("A stream that ends inside a frame says how many bytes are missing")
  func cutting() throws {
    let maker = LOASMaker()
    let frames = (0..<5).map { [UInt8](repeating: UInt8(0x50 + $0), count: 100) }
    let stream = frames.flatMap { maker.frame([$0]) }
    let size = stream.count / 5
    for missing in 1..<size {
      let (found, reader) = try read(Array(stream.dropLast(missing)))
      #expect(found == Array(frames.dropLast()))
      // Less than a header does not say how long the frame was to be.
      #expect(reader.report.missingBytes == (size - missing >= 3 ? missing : 0))
      #expect(reader.report.junkBytes == 0 && reader.report.tailBytes == UInt64(size - missing))
    }
  }

  @Test("Damage costs the frames that it hits, and little more")
  func damage() throws {
    var noise = Noise(state: 4)
    let maker = LOASMaker()
    let frames = (0..<40).map { _ in noise.bytes(Int.random(in: 20...400, using: &noise)) }
    let stream = frames.enumerated().flatMap { maker.frame([$1], isConfigured: $0 % 4 == 0) }
    var lost = 0
    for _ in 0..<2000 {
      var damaged = stream
      damaged[Int.random(in: 3..<stream.count, using: &noise)] = noise.bytes(1)[0]
      guard let (found, _) = try? read(damaged) else {
        Issue.record("a byte cannot make a stream unreadable")
        continue
      }
      let intact = found.count { frames.contains($0) }
      lost += 40 - intact
      // A false configuration lasts up to the next one; a false length to the end of what it seems to hold.
      #expect(intact >= 8)
    }
    #expect(lost < 2000 * 2, "lost \(lost) packets by 2000 bytes")
  }

  @Test("Junk between frames is passed over, whatever looks like a sync word in it")
  func junk() throws {
    var noise = Noise(state: 5)
    let maker = LOASMaker()
    for _ in 0..<100 {
      let frames = (0..<12).map { _ in noise.bytes(Int.random(in: 20...400, using: &noise)) }
      let sync: [UInt8] = [0x56, 0xE0, 0x20, 1]
      let stream = frames.flatMap { noise.bytes(5) + sync + noise.bytes(300) + maker.frame([$0]) + maker.frame([$0]) }
      let (found, reader) = try read(stream + noise.bytes(50))
      #expect(found == frames.flatMap { [$0, $0] })
      // Of what looks like a frame after a frame, the header is not counted.
      #expect((12 * 300 + 50...12 * 309 + 50).contains(Int(reader.report.junkBytes + reader.report.tailBytes)))
    }
  }

  @Test("A new configuration is a new description, and one that comes back is the old one")
  func changes() throws {
    var (first, second) = (LOASMaker(), LOASMaker())
    first.config = [0x12, 0x10]
    second.config = [0x13, 0x88]  // 22 050 Hz, mono
    let packet = [UInt8](repeating: 7, count: 50)
    let stream = [first, second, second, first].flatMap { $0.frame([packet]) }
    var reader = try LOASReader(SourceReader(MemorySource(stream)))
    var samples: [EncodedSample] = []
    while let sample = try reader.next() { samples.append(sample) }
    #expect(samples.map(\.descriptionIndex) == [0, 1, 1, 0])
    #expect(samples.map(\.timing.duration) == [1024, 2048, 2048, 1024])
    #expect(samples.map(\.timing.decodeTime) == [0, 1024, 3072, 5120])
    #expect(reader.report.configurationChanges == 2 && reader.track.descriptions.count == 2)
  }

  @Test("What is not supported is refused by name")
  func refusals() throws {
    let changes: [(String, (inout LOASMaker) -> Void)] = [
      ("2 programs", { $0.programs = 2 }), ("3 layers", { $0.layers = 3 }),
      ("framing", { $0.hasSameFraming = false }), ("frameLengthType 4", { $0.lengthType = 4 }),
      ("audioMuxVersionA", { ($0.version, $0.versionA) = (1, 1) }),
      ("AAC-LD in LATM", { ($0.config, $0.configBits) = (bytes("ba10 00"), 20) }),
    ]
    for (name, change) in changes {
      var maker = LOASMaker()
      change(&maker)
      let stream = (0..<5).flatMap { _ in maker.frame([[1, 2, 3]]) }
      let error = #expect(throws: AACError.self) { try read(stream) }
      guard case .notDecodable(let what) = error?.code else {
        Issue.record("\(name): \(String(describing: error))")
        continue
      }
      #expect(what.contains(name) && error?.file == "memory", "\(what)")
    }
  }

  @Test("What is no LOAS is refused, and does not look like it")
  func otherFiles() throws {
    var noise = Noise(state: 6)
    let adts = (0..<9).flatMap { frame(payload: [UInt8](repeating: $0, count: 50)) }
    let samples: [[UInt8]] = [
      [], [0x56], [0x56, 0xE0, 0], adts, noise.bytes(100_000), [UInt8](repeating: 0x56, count: 9000),
    ]
    for data in samples {
      let source = SourceReader(MemorySource(data))
      #expect(try !LOASReader.looksLikeLOAS(source))
    }
    #expect(throws: AACError(.noFrames, file: "memory")) { _ = try read(adts) }
    let bare = (0..<9).flatMap { LOASMaker().frame([[$0]], isConfigured: false) }
    #expect(throws: AACError(.noConfiguration, file: "memory")) { _ = try read(bare) }
  }

  @Test("No file of the corpus looks like LOAS", .needs(.corpus))
  func corpus() throws {
    for file in try Shared.corpusFiles() {
      #expect(try !LOASReader.looksLikeLOAS(SourceReader(try FileSource(path: file.url.path))), "\(file)")
    }
  }

  @Test("A copy of a reader is a reader of its own")
  func copies() throws {
    var maker = LOASMaker()
    maker.packetsPerFrame = 2
    var one = try LOASReader(SourceReader(MemorySource(maker.frame([[1], [2]]) + maker.frame([[3], [4]]))))
    _ = try one.next()
    var two = one
    for reader in [2, 3, 4] { #expect(try one.next()?.payload.load() == [UInt8(reader)]) }
    #expect(try one.next() == nil && one.next() == nil)
    #expect(try two.next()?.payload.load() == [2])
    #expect(two.frameOffset == 0 && one.frameOffset > 0)
  }
}
