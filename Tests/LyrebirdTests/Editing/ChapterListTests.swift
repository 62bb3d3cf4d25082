import Foundation
import Lyrebird
import TestSupport
import Testing

@Suite(.inTurn) struct ChapterListTests {
  private static let chapters = [(0, "Intro"), (62_500, "a=b; #1 \\ \"q\" <x> & y"), (3_725_001, "Ünïcode 你好")].map {
    Chapter(start: MediaTime(value: $0.0, timescale: 1000), title: $0.1)
  }
  private static let duration = MediaTime(value: 4000, timescale: 1)

  @Test("each kind is read as what was written", arguments: ChapterList.allCases)
  func roundTrip(kind: ChapterList) throws {
    let text = kind.written(Self.chapters, duration: Self.duration)
    #expect(try ChapterList.read(text) == Self.chapters, "\(text)")
    // As an editor on Windows leaves it.
    #expect(try ChapterList.read("\u{FEFF}" + text.replacing("\n", with: "\r\n")) == Self.chapters)
  }

  @Test("a title may begin with a mark that is combined with what stands before it", arguments: ChapterList.allCases)
  func combiningMarks(kind: ChapterList) throws {
    for title in [
      "\u{301}a", "\u{65F}mpe", "=\u{338}b", "<\u{338}c", "\\\u{301}", "a\"\u{301}", "&\u{301}lt;", "\u{FE0F}",
    ] {
      let list = kind.written([Chapter(start: .zero, title: title)], duration: MediaTime(value: 1, timescale: 1))
      let again = try ChapterList.read(list).map { Array($0.title.unicodeScalars) }
      #expect(again == [Array(title.unicodeScalars)], "\(list)")
    }
  }

  @Test(
    "a title that ends with a line break does not take the next chapter with it", arguments: ChapterList.allCases,
    ["T\r", "T\n", "T\r\n", "\u{2028}", "\\\r"])
  func lineBreaks(kind: ChapterList, title: String) throws {
    let seconds = [0, 1].map { MediaTime(value: $0, timescale: 1) }
    let chapters = [Chapter(start: seconds[0], title: title), Chapter(start: seconds[1], title: "Two")]
    let again = try ChapterList.read(kind.written(chapters, duration: MediaTime(value: 2, timescale: 1)))
    #expect(again.map(\.start) == seconds && again.last?.title == "Two")
  }

  @Test("ffmpeg reads the metadata file, and we read ffmpeg's", .needs(.ffmpeg))
  func ffmpeg() throws {
    let folder = try TemporaryFolder()
    let (list, movie, back) = (folder.path("in.ffmeta"), folder.path("out.m4a"), folder.path("back.ffmeta"))
    let text = ChapterList.ffmetadata.written(Self.chapters, duration: Self.duration)
    try text.write(toFile: list, atomically: true, encoding: .utf8)
    try MadeMedia.make([
      "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=4000", "-i", list, "-map", "0", "-map_metadata", "1", "-c:a",
      "aac", "-b:a", "8k", movie,
    ])
    #expect(try MP4Demuxer(path: movie).chapters() == Self.chapters)
    try MadeMedia.make(["-i", movie, "-f", "ffmetadata", back])
    #expect(try ChapterList.read(String(contentsOfFile: back, encoding: .utf8)) == Self.chapters)
  }

  @Test("what people write is understood, in any order")
  func loose() throws {
    let text = "# my chapters\n1:05,5 Second\n\n  0:00   First one  \n90\n"
    let read = try ChapterList.read(text)
    #expect(read.map(\.title) == ["First one", "Second", ""])
    #expect(read.map(\.start.seconds) == [0, 65.5, 90])
    let cues = "WEBVTT - a title\n\nNOTE none\n\n1\n00:00.000 --> 00:05.000 align:start\n<b>One</b>\n&amp; half\n"
    #expect(try ChapterList.read(cues).map(\.title) == ["One & half"])
    // Without a time base, ffmpeg counts nanoseconds.
    let metadata = ";FFMETADATA1\n[CHAPTER]\nSTART=1500000000\ntitle=A\n[CHAPTER]\nTIMEBASE=1/10\nSTART=-5\n"
    #expect(try ChapterList.read(metadata).map(\.start.seconds) == [0, 1.5])
    let objects = #"{"chapters":[{"id":1,"title":"Öne\n","start":1.5,"tags":{"start":"x"}},{"start":"2:00"}]}"#
    #expect(try ChapterList.read(objects).map(\.start.seconds).last == 120)
    // Only what is in the list itself is a chapter.
    let nested =
      #"{"format":{"start":7,"title":"no"},"streams":[{"start":3}],"chapters":[{"start":1,"x":{"start":2}}]}"#
    #expect(try ChapterList.read(nested).map(\.start.seconds) == [1])
  }

  @Test("ffprobe's JSON is read, whose start is in ticks and whose title is in an object of its own", .needs(.ffprobe))
  func ffprobe() throws {
    let folder = try TemporaryFolder()
    let (wav, movie) = (folder.path("in.wav"), folder.path("out.m4a"))
    try MadeMedia.make(["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=100", wav])
    let reader = try AudioReader(path: wav)
    var options = AudioWriter.Options()
    options.chapters = Array(Self.chapters.prefix(2))
    let writer = try AudioWriter(path: movie, format: reader.format, options: options)
    while let block = try reader.next() { try writer.append(block) }
    try writer.finish()
    let probe = try Tool.ffprobe.run(["-v", "error", "-show_chapters", "-of", "json", movie])
    #expect(try ChapterList.read(String(decoding: probe.output, as: UTF8.self)) == options.chapters)
  }

  /// As Python's json module writes them, and podcasts: RFC 8259, 7, and "JSON Chapters" of podcastindex.org.
  @Test("characters in two escapes, exponents and chapters of podcasts are read")
  func foreignJSON() throws {
    let objects = [
      #"{"startTime":1.5e1,"title":"\ud83d\udc26 \u00e9","img":{"title":"no"}}"#,
      #"{"title":"\ud83d","startTime":-0.5}"#,
    ]
    let text = #"{"version":"1.2.0","chapters":["# + objects.joined(separator: ",") + "]}"
    let read = try ChapterList.read(text)
    #expect(read.map(\.title) == ["\u{FFFD}", "\u{1F426} é"] && read.map(\.start.seconds) == [0, 15])
  }

  @Test("what is no list is refused, with its line")
  func refused() {
    for (text, code, line) in [
      ("hello", ChapterListError.Code.unknown, 1), ("0:00 One\nTwo", .noTime, 2), ("", .empty, nil),
      ("277777:46:40 x", .unknown, 1), (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000000000000", .noTime, nil),
      (";FFMETADATA1\n[CHAPTER]\nSTART=0\n[CHAPTER]\nSTART=x", .noTime, 4), (";FFMETADATA1\n[CHAPTER]\n", .noTime, 2),
      (";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/0\nSTART=1", .noTime, 2), (#"[{"start":"x","title":"C"}]"#, .noTime, nil),
      (#"[{"start":0,"title":"A"},{"start":3,"#, .unknown, nil), (#"[{"start":0]}"#, .unknown, nil),
      (#"[{"start":0,"title":"A"},{"title":"B"}]"#, .noTime, nil), (#"{"start":0,"title":"A"}"#, .empty, nil),
      (#"[{"start":5,"start_time":"N/A"}]"#, .noTime, nil),
      ("WEBVTT\n\nx --> y\nz", .noTime, 3), ("{\"title", .unknown, nil), ("9999999999999999999:00 x", .unknown, 1),
    ] as [(String, ChapterListError.Code, Int?)] {
      let error = #expect(throws: ChapterListError.self) { try ChapterList.read(text) }
      #expect(error?.code == code && error?.line == line, "\(text)")
    }
  }

  @Test("random text neither traps nor hangs")
  func noise() {
    var noise = Noise(seed: 8)
    let pieces = [
      "WEBVTT\n", ";FFMETADATA1\n", "[CHAPTER]\n", "TIMEBASE=", "1/0", "1/1000", "START=", "-9223372036854775808", "\\",
      "\n", "{", "}", "\"", "\\u12", "start", "title", ":", "0:0", "-->", "99999999", ".", ",", "é", " ", "=",
    ]
    for _ in 0..<3000 {
      let text = (0..<12).map { _ in pieces.randomElement(using: &noise) ?? "" }.joined()
      _ = try? ChapterList.read(text)
    }
  }

  @Test("chapters of a movie are replaced and removed, and its samples stay", .needs(.ffmpeg))
  func replaced() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("movie.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=s=64x48:r=20:d=4", "-f", "lavfi", "-i", "sine=d=4", "-c:v", "mpeg4", "-c:a", "aac",
      path,
    ])
    let sums = try packets(path)
    for chapters in [Array(Self.chapters.prefix(1)), [], Self.chapters.prefix(1) + [Chapter(start: .zero, title: "")]] {
      for layout in [MovieLayout.fastStart, .moovLast] {
        var options = Remuxer.Options()
        (options.chapters, options.layout) = (Array(chapters), layout)
        try Remuxer(from: try MP4Demuxer(path: path), to: path, options: options).run()
        let movie = try MP4Demuxer(path: path)
        #expect(try movie.chapters() == Array(chapters) && movie.metadata.listedChapters == Array(chapters))
        #expect(movie.tracks.count == (chapters.isEmpty ? 2 : 3) && movie.issues.isEmpty)
        #expect(try packets(path) == sums)
      }
    }
  }

  private func packets(_ path: String) throws -> [String] {
    let arguments = [
      "-nostdin", "-v", "error", "-i", path, "-map", "0:v", "-map", "0:a", "-c", "copy", "-f", "framemd5", "-",
    ]
    let result = try Tool.ffmpeg.run(arguments)
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map(String.init)
  }
}
