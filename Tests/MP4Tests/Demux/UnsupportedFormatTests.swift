import MP4
import MediaCore
import TestSupport
import Testing

/// Against files that ffmpeg writes.
@Suite("Files of other formats", .inTurn)
struct UnsupportedFormatTests {
  private static let sound = ["-f", "lavfi", "-i", "sine=r=44100:d=1"]
  private static let picture = ["-f", "lavfi", "-i", "testsrc=d=1:s=64x48:r=5"]

  @Test(
    "a file that another program wrote is named",
    .needs(.ffmpeg),
    arguments: [
      (sound, "out.mp3", .mp3), (sound + ["-id3v2_version", "0", "-write_xing", "0"], "out.mp3", .mp3),
      (sound, "out.mp2", .mp3), (sound, "out.flac", .flac), (sound, "out.ogg", .ogg), (sound, "out.mka", .matroska),
      (sound, "out.wma", .asf), (sound, "out.au", .au), (sound, "out.ac3", .ac3), (sound, "out.w64", .wave64),
      (sound, "out.voc", .creativeVoice), (sound, "out.wv", .wavPack), (sound + ["-strict", "-2"], "out.dts", .dts),
      (picture, "out.webm", .matroska),
      (picture, "out.avi", .avi), (picture, "out.ts", .transportStream), (picture, "out.m2ts", .transportStream),
      (picture + ["-r", "25"], "out.mpg", .programStream), (picture, "out.flv", .flashVideo),
      (picture, "out.h264", .nalUnits),
      (picture + ["-x265-params", "log-level=none"], "out.h265", .nalUnits), (picture, "out.gif", .picture),
      (picture + ["-frames:v", "1"], "out.png", .picture), (picture + ["-frames:v", "1"], "out.jpg", .picture),
    ] as [([String], String, UnsupportedFormat)])
  func named(options: [String], name: String, format: UnsupportedFormat) throws {
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    try MadeMedia.make(options + [path])
    let error = #expect(throws: MP4Error.self) { try MP4Demuxer(path: path) }
    #expect(error?.code == .noMovie(.unsupported(format)))
    #expect(error?.description.contains("which is not supported") == true)
  }

  @Test("what begins with a word is named; other text and a 64-bit box are not")
  func text() {
    for (text, format) in [
      ("\n <!DOCTYPE HTML>", .webPage), ("<html lang=\"en\">", .webPage), ("#EXTM3U\n", .playlist),
      ("NIST_1A\n   1024\n", .sphere), ("ADIF", .adif), ("MAC ", .monkeysAudio), ("DSD ", .dsf), ("MThd", .midi),
      ("plain text", nil), ("", nil), ("\u{0}\u{0}\u{0}\u{1}free", nil), ("G", nil),
    ] as [(String, UnsupportedFormat?)] {
      let error = #expect(throws: MP4Error.self) { try MP4Demuxer(source: MemorySource(Array(text.utf8))) }
      #expect(error?.code == .noMovie(text.isEmpty ? .empty : format.map { .unsupported($0) } ?? .unknown))
    }
  }
}
