import Foundation
import ISOBMFF
@testable import MP4
import MediaCore
import TestSupport
import Testing

/// The index of fragments (`sidx`) that remuxing writes.
@Suite(.inTurn)
struct SegmentIndexTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Remuxes into fragments.
  private func fragmented(_ source: String, fragment seconds: Double? = nil) throws -> String {
    var options = Remuxer.Options()
    options.layout = .fragmented
    options.fragmentDuration = seconds
    let path = folder.path("fragments.mp4")
    try Remuxer(from: try MP4Demuxer(path: source), to: path, options: options).run()
    return path
  }

  /// Boxes at the top of a file: type and size, by their headers alone.
  private func boxes(_ path: String) throws -> [(type: String, bytes: [UInt8])] {
    let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var found: [(String, [UInt8])] = []
    var place = 0
    while place < file.count {
      let size = file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      found.append(
        (String(decoding: file[(place + 4)..<(place + 8)], as: UTF8.self), Array(file[place..<(place + size)])))
      place += size
    }
    return found
  }

  /// 32-bit words of a box after its header.
  private func words(_ box: [UInt8]) -> [Int] {
    stride(from: 8, to: box.count, by: 4).map { place in box[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } }
  }

  @Test(
    "the index names the bytes and the time of each fragment, as the file has them and ffmpeg shows them",
    .needs(.ffmpeg))
  func matchesTheFile() throws {
    let source = folder.path("source.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc=d=5:r=25:s=64x64", "-f", "lavfi", "-i", "sine=d=5", "-c:v", "libx264", "-g", "25",
      "-bf", "2", "-video_track_timescale", "12800", "-c:a", "aac", source,
    ])
    let found = try boxes(fragmented(source, fragment: 1))
    #expect(found.map(\.type) == ["ftyp", "moov", "sidx"] + (0..<5).flatMap { _ in ["moof", "mdat"] })
    let media = found.dropFirst(3).map(\.bytes.count)
    let sizes = stride(from: 0, to: media.count, by: 2).map { media[$0] + media[$0 + 1] }
    let index = words(found[2].bytes)
    // Version 1; track 1, 12800 ticks a second; the presentation begins at 0, the fragments right after; five.
    #expect(Array(index.prefix(8)) == [0x0100_0000, 1, 12800, 0, 0, 0, 0, 5])
    let references = stride(from: 8, to: index.count, by: 3).map { Array(index[$0..<($0 + 3)]) }
    // Each second begins with a picture that is shown first: an access point of type 1.
    #expect(references == sizes.map { [$0, 12800, 0x9000_0000] })
  }

  @Test(
    "ffmpeg decrypts every fragment of an encrypted movie that was cut into them: it found keys for the first one only",
    .needs(.ffmpeg))
  func encrypted() throws {
    let key = "76a6c65c5ea762046bd749a2e632ccbb"
    let source = folder.path("source.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc=d=7:r=25:s=64x64", "-f", "lavfi", "-i", "sine=d=7", "-c:v", "libx264", "-g", "25",
      "-c:a", "aac", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key", key,
      "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8", source,
    ])
    func sums(_ path: String) throws -> String {
      let result = try Tool.ffmpeg.run([
        "-v", "error", "-decryption_key", key, "-i", path, "-map", "0", "-c", "copy", "-f", "streamhash", "-",
      ])
      #expect(result.errors.isEmpty)
      return String(decoding: result.output, as: UTF8.self)
    }
    let expected = try sums(source)
    for seconds in [0.5, 2, 60] {
      #expect(try sums(fragmented(source, fragment: seconds)) == expected, "fragments of \(seconds) s")
    }
  }

  /// A track of 1000 ticks a second.
  private static let leader = SegmentIndexBuilder.Leader(Track(id: 7, kind: .video, timescale: 1000), edits: [])

  private static func sample(_ time: Int64, isSync: Bool = true) -> SampleRecord {
    SampleRecord(
      number: 0, offset: 0, size: 1, decodeTime: time, presentationTime: time, duration: 10, isSync: isSync,
      descriptionIndex: 0)
  }

  @Test("more fragments than the index can name are named several at once, none left out")
  func manyFragments() throws {
    var builder = SegmentIndexBuilder(Self.leader)
    for number in 0..<150_000 { builder.add(100, [Self.sample(Int64(number) * 10)], of: Self.leader) }
    let references = try #require(builder.box?.references.entries)
    #expect(references.count == 50_000)
    #expect(references.allSatisfy { $0.typeAndSize == 300 && $0.subsegmentDuration == 30 })
  }

  @Test(
    "fragments without pictures, or that go back in time, take no time; one that begins in mid-scene is no access point"
  )
  func oddFragments() throws {
    var builder = SegmentIndexBuilder(Self.leader)
    builder.add(1, [Self.sample(100), Self.sample(110)], of: Self.leader)
    builder.add(2, [Self.sample(50, isSync: false)], of: Self.leader)
    builder.add(3, [Self.sample(120)], of: Self.leader)
    builder.add(4, [], of: Self.leader)
    let references = try #require(builder.box?.references.entries)
    #expect(references.map(\.typeAndSize) == [1, 2, 3, 4])
    #expect(references.map(\.subsegmentDuration) == [0, 20, 10, 0])
    #expect(references.map(\.streamAccessPoint) == [0x9000_0000, 0, 0x9000_0000, 0])
  }

  @Test("a fragment of more bytes or time than the fields hold means that there is no index")
  func tooLarge() {
    var bytes = SegmentIndexBuilder(Self.leader)
    bytes.add(1 << 31, [Self.sample(0)], of: Self.leader)
    #expect(bytes.box == nil)
    var time = SegmentIndexBuilder(Self.leader)
    time.add(1, [Self.sample(0)], of: Self.leader)
    time.add(1, [Self.sample(.max)], of: Self.leader)
    #expect(time.box == nil)
  }
}
