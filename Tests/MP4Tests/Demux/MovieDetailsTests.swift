import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Chapters, tags and dates, of whole and of damaged movies.
@Suite(.inTurn) struct MovieDetailsTests {
  // MARK: Chapters

  private static func text(_ title: String) -> [UInt8] { Plain.u16(UInt16(title.utf8.count)) + Array(title.utf8) }

  /// A movie with a chapter track of these samples, ten seconds each, and a list of chapters in `chpl`.
  private func movie(samples: [[UInt8]], listed: [String], sizes: [UInt32]? = nil, at place: UInt64? = nil) throws
    -> MP4Demuxer
  {
    let start = MovieMaker.mediaStart
    var text = MadeTrack(id: 2, samples: sizes ?? samples.map { UInt32($0.count) }, at: place ?? start, delta: 10_000)
    text.handler = "text"
    text.entries = [Plain.box("text", [0, 0, 0, 0, 0, 0], Plain.u16(1), [UInt8](repeating: 0, count: 43))]
    var video = MadeTrack(id: 1, samples: [4], at: start)
    video.references = [("chap", [2])]
    let list = listed.enumerated().flatMap { index, title in
      Plain.u64(UInt64(index) * 100_000_000) + [UInt8(title.utf8.count)] + Array(title.utf8)
    }
    let user =
      listed.isEmpty
      ? [] : Plain.box("udta", Plain.fullBox("chpl", version: 1, [0], Plain.u32(UInt32(listed.count)), list))
    let media = samples.flatMap { $0 } + [UInt8](repeating: 0, count: 64)
    return try MP4Demuxer(
      source: MemorySource(MovieMaker.progressive([video, text], media: media, more: user), name: "made.mp4"))
  }

  @Test("a chapter sample that is shorter than it says costs that chapter alone")
  func badChapter() throws {
    let samples = [MovieDetailsTests.text("one"), Plain.u16(500) + [0x61], [0], MovieDetailsTests.text("four")]
    let chapters = try movie(samples: samples, listed: []).chapters()
    #expect(chapters.map(\.title) == ["one", "four"])
    #expect(chapters.map(\.start.seconds) == [0, 30])
  }

  @Test("a chapter track whose samples lie outside the file does not take what is before them, or the list")
  func cutChapterTrack() throws {
    let samples = [MovieDetailsTests.text("one"), MovieDetailsTests.text("two")]
    let cut = try movie(samples: samples, listed: [], sizes: [5, 5, 100_000, 5])
    #expect(try cut.chapters().map(\.title) == ["one", "two"])
    let nowhere = try movie(samples: samples, listed: ["list 1", "list 2"], at: 1 << 30)
    #expect(try nowhere.chapters().map(\.title) == ["list 1", "list 2"])
    #expect(try nowhere.chapters().map(\.start.seconds) == [0, 10])
  }

  @Test("the list of chapters stands in where the chapter track is broken and has no more, and not otherwise")
  func fallsBackToList() throws {
    let broken = [MovieDetailsTests.text("one"), Plain.u16(500)]
    #expect(try movie(samples: broken, listed: ["list 1", "list 2"]).chapters().map(\.title) == ["list 1", "list 2"])
    let whole = [MovieDetailsTests.text("one"), MovieDetailsTests.text("two")]
    #expect(try movie(samples: whole, listed: ["list 1", "list 2"]).chapters().map(\.title) == ["one", "two"])
    #expect(try movie(samples: whole + broken, listed: ["list 1"]).chapters().map(\.title) == ["one", "two", "one"])
  }

  // MARK: Tags

  private func tags(_ items: [UInt8]...) throws -> [MovieMetadata.Tag] {
    let list = Plain.box("ilst", items.flatMap { $0 })
    let meta = Plain.fullBox(
      "meta", Plain.fullBox("hdlr", Plain.u32(0), Plain.type("mdir"), [UInt8](repeating: 0, count: 13)), list)
    let track = MadeTrack(samples: [1], at: MovieMaker.mediaStart)
    let bytes = MovieMaker.progressive([track], media: [0], more: Plain.box("udta", meta))
    return try MP4Demuxer(source: MemorySource(bytes, name: "made.mp4")).metadata.tags
  }

  private func item(_ type: String, kind: UInt32, _ value: [UInt8]) -> [UInt8] {
    Plain.box(type, Plain.box("data", Plain.u32(kind), Plain.u32(0), value))
  }

  @Test(
    "a genre's number is shown as its name, counted from 1; one without a name as the number",
    arguments: [
      (10, "Metal"), (1, "Blues"), (80, "Hard Rock"), (192, "Psybient"), (193, "193"), (0, "0"), (65_535, "65535"),
    ])
  func genre(number: UInt16, name: String) throws {
    let tag = try #require(try tags(item("gnre", kind: 0, Plain.u16(number))).first)
    #expect(tag.name == "genre" && tag.identifier == "gnre" && tag.value == name)
  }

  @Test("who encoded a file, and with what, are two things")
  func encoders() throws {
    let tags = try tags(
      item("\u{A9}enc", kind: 1, Array("Ann".utf8)), item("\u{A9}too", kind: 1, Array("Lavf59.27.100".utf8)))
    #expect(tags.map(\.name) == ["encoded by", "encoder"])
    #expect(tags.map(\.value) == ["Ann", "Lavf59.27.100"])
  }

  @Test("a genre that has a number is written as it, and read back by its name")
  func genreRoundTrip() throws {
    var options = MuxerOptions()
    options.metadata.tags = [.init("gnre", "Metal"), .init("gnre", "Whale song")]
    let sink = MemorySink()
    let description = SampleDescription(
      entryType: "sowt", codec: "sowt", codecName: "PCM", codecString: "sowt", format: .other,
      entry: MadeEntry.audio("sowt"))
    let muxer = try MP4Muxer(
      to: sink, tracks: [MuxerTrack(audio: description, timescale: 8000, id: 1)], options: options)
    try muxer.append(
      EncodedSample(
        trackID: 1, timing: SampleTiming(decodeTime: 0, presentationTime: 0, duration: 1, timescale: 8000),
        isSync: true,
        payload: .bytes([1, 2, 3, 4])))
    _ = try muxer.finish()
    let tags = try MP4Demuxer(source: MemorySource(sink.bytes, name: "made.mp4")).metadata.tags
    #expect(tags.filter { $0.identifier == "gnre" }.map(\.value) == ["Metal"])
    // Players read whatever is in `gnre` as a number.
    #expect(tags.filter { $0.identifier == "©gen" }.map(\.value) == ["Whale song"])
    #expect(
      sink.bytes.contains(
        Array("gnre".utf8) + Plain.u32(18) + Plain.type("data") + [UInt8](repeating: 0, count: 8) + [0, 10]))
  }

  // MARK: Dates

  private func creationTime(_ time: UInt64, wide: Bool) throws -> Int64? {
    let times =
      wide
      ? Plain.u64(time) + Plain.u64(0) + Plain.u32(600) + Plain.u64(0)
      : Plain.u32(UInt32(truncatingIfNeeded: time)) + Plain.u32(0) + Plain.u32(600) + Plain.u32(0)
    let header = Plain.fullBox(
      "mvhd", version: wide ? 1 : 0, times, Plain.u32(0x10000), Plain.u16(0x100), [UInt8](repeating: 0, count: 10),
      Plain.matrix,
      [UInt8](repeating: 0, count: 24), Plain.u32(2))
    let bytes = MovieMaker.fileType + Plain.box("moov", header, MadeTrack(samples: [], at: 0).bytes)
    return try MP4Demuxer(source: MemorySource(bytes, name: "made.mp4")).creationTime
  }

  @Test("the time of creation counts from 1904, or from 1970 where that is the only sense it makes")
  func creationTimes() throws {
    // 2 000 000 000 s after 1970 is 2033-05-18T03:33:20Z.
    #expect(try creationTime(2_082_844_800 + 2_000_000_000, wide: false) == 2_000_000_000)
    #expect(try creationTime(2_082_844_800, wide: true) == 0)
    #expect(try creationTime(1_700_000_000, wide: false) == 1_700_000_000)
    #expect(try creationTime(0, wide: false) == nil)
    #expect(try creationTime(.max, wide: true) == nil)
    #expect(try creationTime(2_082_844_800 + 253_402_300_799, wide: true) == 253_402_300_799)
    #expect(try creationTime(2_082_844_800 + 253_402_300_800, wide: true) == nil)
  }
}

extension [UInt8] {
  fileprivate func contains(_ bytes: [UInt8]) -> Bool { Data(self).range(of: Data(bytes)) != nil }
}
