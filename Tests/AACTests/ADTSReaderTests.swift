import AAC
import Foundation
import MediaCore
import TestSupport
import Testing

@Suite("ADTSReader", .inTurn)
struct ADTSReaderTests {
  @Test(
    "Real files give exactly the frames that an independent reader lists",
    .needs(.corpus), arguments: ADTSFacts.all())
  func corpus(facts: ADTSFacts) throws {
    let path = Shared.corpus.appendingPathComponent(facts.path).path
    let source = SourceReader(try FileSource(path: path))
    #expect(try ADTSReader.looksLikeADTS(source))
    let (samples, reader) = try readAll(source)
    let payload = try samples.flatMap { try $0.payload.load() }
    #expect(samples.count == facts.frames)
    #expect(payload.count == facts.payloadBytes)
    #expect(try md5(payload) == facts.payloadMD5)
    let report = reader.report
    #expect(report.junkBytes == facts.junk)
    // The facts count tags at the beginning alone; what else is not a frame is accounted for by the file's size.
    #expect(report.tagBytes == Int(source.size) - facts.frameBytes - facts.junk - facts.tail)
    #expect(report.tagBytes >= facts.id3)
    #expect(report.tailBytes == facts.tail)
    #expect(report.headerChanges == facts.headerChanges)
    let track = reader.track
    #expect(track.timescale == facts.rate)
    #expect(track.mediaDuration.value == Int64(facts.frames * 1024))
    let config = try AudioSpecificConfig(try #require(track.audioFormat).decoderConfiguration)
    #expect(config.objectType == facts.objectType)
    #expect(config.channelConfiguration == facts.channelConfiguration)
  }

  @Test("The corpus has ADTS files", .needs(.corpus))
  func corpusIsThere() {
    #expect(ADTSFacts.all().count >= 10)
  }

  @Test("Packets lie after their headers, and last 1024 ticks of the sampling rate each")
  func timing() throws {
    let (samples, reader) = try readAll(frame(payload: [1, 2, 3]) + frame(payload: [4, 5]))
    #expect(samples.map(place) == [7..<10, 17..<19])
    #expect(samples.map(\.timing.decodeTime) == [0, 1024])
    #expect(samples.map(\.timing.duration) == [1024, 1024])
    #expect(samples.allSatisfy { $0.isSync && $0.timing.timescale == 44100 && $0.trackID == reader.track.id })
    #expect(reader.track.descriptions.map(\.codecString) == ["mp4a.40.2"])
    #expect(reader.track.audioFormat?.decoderConfiguration == bytes("1210"))
    #expect(reader.track.sampleCount == 2 && reader.report.payloadBytes == 5)
  }

  @Test("MPEG-2 and MPEG-4 frames are both read")
  func bothStandards() throws {
    for id in UInt32(0)...1 {
      let (samples, reader) = try readAll(frame(id: id, payload: [1]) + frame(id: id, payload: [2]))
      #expect(samples.count == 2)
      #expect(reader.report.headerChanges == 0)
    }
  }

  @Test("A checksum is left out of the packet")
  func checksum() throws {
    let (samples, reader) = try readAll(frame(payload: [1, 2], errorCheck: [0xAB, 0xCD]))
    #expect(samples.map(place) == [9..<11])
    #expect(reader.report.framesWithChecksum == 1)
  }

  @Test("Several packets without checksums cannot be told apart: they are one sample that lasts as long as all")
  func severalPackets() throws {
    let (samples, reader) = try readAll(frame(payload: [1, 2, 3], blocks: 3) + frame(payload: [4]))
    #expect(reader.report.unsplitFrames == 1)
    #expect(samples.map(\.timing.duration) == [3072, 1024])
    #expect(samples.map(\.timing.decodeTime) == [0, 3072])
  }

  @Test("Several packets with checksums are delivered one by one")
  func protectedPackets() throws {
    let payload: [UInt8] = [1, 2, 3, 0xC1, 0xC1, 4, 0xC2, 0xC2, 5, 6, 0xC3, 0xC3]
    let data = frame(payload: payload, blocks: 3, errorCheck: [0, 5, 0, 8, 0xAB, 0xCD])
    let (samples, reader) = try readAll(data + frame(payload: [7]))
    #expect(try samples.map { Array(try $0.payload.load()) } == [[1, 2, 3], [4], [5, 6], [7]])
    #expect(samples.map(\.timing.decodeTime) == [0, 1024, 2048, 3072])
    #expect(reader.report.frames == 2 && reader.report.packets == 4)
  }

  @Test(
    "Positions that make no sense leave the frame whole", arguments: [[UInt8](), [0, 1], [0, 200], [0xFF, 0xFF]])
  func damagedPositions(position: [UInt8]) throws {
    let data = frame(payload: [], blocks: 2, errorCheck: position + [0xAB, 0xCD]) + frame(payload: [7])
    let (samples, reader) = try readAll(data)
    #expect(samples.count == 2)
    #expect(samples.map(\.timing.duration) == [2048, 1024])
    #expect(reader.report.unsplitFrames == 1)
  }

  @Test("an ID3v2 tag whose size has eight bits in each byte, against the standard, is skipped as it is read")
  func wideSize() throws {
    let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 3, 0x80] + [UInt8](repeating: 0, count: 0x380)
    let header = try #require(ID3Header(tag))
    #expect(header.size == UInt64(tag.count))
    #expect(ID3Header([0x49, 0x44, 0x33, 4, 0, 0x10, 0, 0, 1, 0])?.size == 128 + 20)
    #expect(ID3Header(Array("ID3".utf8)) == nil)
  }

  @Test("ID3v2 tags are skipped wherever they stand")
  func id3() throws {
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 0xFF, count: 130)
    let footed = Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 3] + [UInt8](repeating: 0xFF, count: 13)
    let (samples, reader) = try readAll(tag + footed + frame(payload: [1]) + tag + frame(payload: [2]))
    #expect(samples.count == 2)
    #expect(reader.report.tagBytes == 140 + 23 + 140)
    #expect(reader.report.junkBytes == 0)
  }

  /// Tags with something in them that looks like a frame: ID3v1, the same enhanced, APE with and without a header.
  static let endTags: [[UInt8]] = [
    Array("TAG".utf8) + frame(payload: [9]) + [UInt8](repeating: 0, count: 117),
    Array("TAG+".utf8) + frame(payload: [9]) + [UInt8](repeating: 0, count: 215),
    Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0] + [UInt8](repeating: 0, count: 8)
      + frame(payload: [9]) + [UInt8](repeating: 0, count: 52),
    Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80] + [UInt8](repeating: 0, count: 8),
  ]

  @Test("ID3v1 and APE tags end a stream, whatever is in them", arguments: endTags)
  func closingTags(tag: [UInt8]) throws {
    let (samples, reader) = try readAll(frame(payload: [1]) + frame(payload: [2]) + tag)
    #expect(samples.count == 2)
    #expect(reader.report.tailBytes == UInt64(tag.count) && reader.report.junkBytes == 0)
    #expect(try ADTSReader.looksLikeADTS(SourceReader(MemorySource(frame(payload: [1]) + tag))))
  }

  @Test("files with ID3v1 or APE tags, put one after another, are read to the end", arguments: endTags)
  func tagsBetweenFiles(tag: [UInt8]) throws {
    let file = frame(payload: [1]) + frame(payload: [2]) + tag
    let (samples, reader) = try readAll(file + file)
    #expect(try samples.map { Array(try $0.payload.load()) } == [[1], [2], [1], [2]])
    #expect(reader.report.tagBytes == UInt64(tag.count) && reader.report.tailBytes == UInt64(tag.count))
    #expect(reader.report.junkBytes == 0)
  }

  @Test("the first letters of a tag among junk end nothing")
  func tagInJunk() throws {
    let junk: [UInt8] = [0, 0x54, 0x41, 0x47, 0]
    let (samples, reader) = try readAll(frame(payload: [1]) + junk + frame(payload: [2]))
    #expect(samples.count == 2 && reader.report.junkBytes == 5)
  }

  @Test("what looks like a header by chance before a stream is no frame")
  func chanceHeader() throws {
    let chance = frame(rate: 0, channels: 1, payload: [UInt8](repeating: 0, count: 200)).prefix(30)
    let stream = (0..<40).flatMap { frame(payload: [UInt8(truncatingIfNeeded: $0), 0, 0, 0, 0, 0, 0, 0]) }
    let (samples, reader) = try readAll([0, 0, 0] + chance + stream)
    #expect(samples.count == 40 && reader.report.headerChanges == 0 && reader.track.timescale == 44100)
    #expect(reader.report.junkBytes == 33)
  }

  @Test("Junk is passed over and counted")
  func junk() throws {
    let junk: [UInt8] = [0xFF, 0x49, 0x44, 0xFF, 0xF1, 0xFF, 0x54, 0x00] + [UInt8](repeating: 7, count: 3000)
    let first = frame(payload: [1]) + frame(payload: [2])
    let (samples, reader) = try readAll(junk + first + junk + frame(payload: [3]) + junk)
    #expect(samples.compactMap(place).map(\.count) == [1, 1, 1])
    // The last six bytes are fewer than a header: tail, not junk.
    #expect(reader.report.junkBytes == UInt64(3 * junk.count - 6))
    #expect(reader.report.tailBytes == 6)
  }

  @Test("A frame that is cut off is reported with what it lacks, and all whole ones are delivered")
  func truncation() throws {
    let whole = frame(payload: [1, 2, 3]) + frame(payload: [4, 5, 6])
    let cut = frame(payload: [UInt8](repeating: 1, count: 50)).dropLast(20)
    let (samples, reader) = try readAll(whole + cut)
    #expect(samples.count == 2)
    #expect(reader.report.isTruncated && reader.report.missingBytes == 20)
    #expect(try !readAll(whole).reader.report.isTruncated)
    // A header of another stream in the tail is chance, not a cut frame.
    let other = frame(rate: 3, payload: [UInt8](repeating: 1, count: 50)).dropLast(20)
    #expect(try !readAll(whole + other).reader.report.isTruncated)
  }

  @Test("A stream that changes on the way gets a description for each coding, in the first one's ticks")
  func changes() throws {
    let data = frame(payload: [1]) + frame(rate: 7, channels: 1, payload: [2]) + frame(id: 1, payload: [3])
    let (samples, reader) = try readAll(data)
    #expect(samples.map(\.descriptionIndex) == [0, 1, 0])
    #expect(samples.map(\.timing.duration) == [1024, 2048, 1024])
    #expect(reader.report.headerChanges == 2)
    #expect(reader.track.descriptions.count == 2)
  }

  @Test("Channel configuration 0 takes its channels from the packet")
  func programConfiguration() throws {
    // The first frame of ffmpeg's quadraphonic stream.
    let first = bytes("fff1 5000 06ff fca0 a080 8004 220d") + Array("Lavc59.37.100".utf8) + bytes("de02 004c")
    var data = first + [UInt8](repeating: 0, count: 0x37 - first.count)
    data += frame(channels: 0, payload: [1])
    let (samples, reader) = try readAll(data)
    #expect(samples.count == 2)
    #expect(reader.track.audioFormat?.channels == 4)
    let config = try AudioSpecificConfig(try #require(reader.track.audioFormat).decoderConfiguration)
    #expect(config.programConfig?.comment == Array("Lavc59.37.100".utf8))
  }

  @Test("A copy of a reader is a reader of its own")
  func copies() throws {
    var one = try ADTSReader(SourceReader(MemorySource(frame(payload: [1]) + frame(payload: [2]))))
    _ = try one.next()
    var two = one
    #expect(try one.next() != nil)
    #expect(try one.next() == nil)
    #expect(try two.next().flatMap(place) == 15..<16)
  }

  @Test("What is not ADTS is refused, and does not look like it")
  func otherFiles() throws {
    let movie = bytes("0000 0018 6674 7970") + Array("isom".utf8) + [UInt8](repeating: 0, count: 40_000)
    for data in [[], [0xFF], movie, Array("RIFF WAVE".utf8), [UInt8](repeating: 0xFF, count: 50_000)] {
      let source = SourceReader(MemorySource(data))
      #expect(try !ADTSReader.looksLikeADTS(source))
      #expect(throws: AACError(.noFrames, file: "memory")) { _ = try ADTSReader(source) }
    }
    // One header by chance is not enough.
    let chance = frame(payload: [1, 2, 3]) + [UInt8](repeating: 0, count: 1000)
    #expect(try !ADTSReader.looksLikeADTS(SourceReader(MemorySource(chance))))
    let pair = frame(payload: [1, 2, 3]) + frame(payload: [1, 2, 3]) + [UInt8](repeating: 0, count: 1000)
    #expect(try !ADTSReader.looksLikeADTS(SourceReader(MemorySource(pair))))
    // Nor does it matter what comes after the part that is looked at.
    let late = [UInt8](repeating: 0, count: 20_000) + frame(payload: [1]) + frame(payload: [2])
    #expect(try !ADTSReader.looksLikeADTS(SourceReader(MemorySource(late))))
  }

  @Test("Short and cut streams look like ADTS too")
  func sniffing() throws {
    let cut = frame(payload: [UInt8](repeating: 1, count: 50)).dropLast(20)
    let many = [UInt8]((0..<9).map { frame(payload: [$0]) }.joined())
    let zeros = [UInt8](repeating: 0, count: 5000)
    for data in [frame(payload: [1]), frame(payload: [1]) + cut, zeros + many + zeros, many.dropLast(3) + []] {
      #expect(try ADTSReader.looksLikeADTS(SourceReader(MemorySource(data))))
    }
  }

  @Test("No movie of the corpus looks like ADTS", .needs(.corpus))
  func movies() throws {
    for file in try Shared.corpusFiles() where file.expectation == "read" {
      #expect(try !ADTSReader.looksLikeADTS(SourceReader(try FileSource(path: file.url.path))), "\(file)")
    }
  }

  @Test("A source that fails is an error that says where")
  func failingSource() throws {
    struct Failing: ByteSource {
      let size: UInt64 = 100_000
      let name = "failing"
      func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
        throw SourceError(.system(5), name: name, offset: offset)
      }
      func reopen() throws(SourceError) {}
    }
    let error = #expect(throws: AACError.self) { _ = try ADTSReader(SourceReader(Failing())) }
    #expect(error?.code == .source(SourceError(.system(5), name: "failing", offset: 0)))
  }
}
