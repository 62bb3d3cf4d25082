import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct ExtractTests {
  @Test(
    "extract gives the bytes that ffmpeg gives",
    .needs(.ffmpeg),
    arguments: [(8000, 1), (22050, 2), (44100, 2), (48000, 6), (96000, 2)])
  func extractEqualsFFmpeg(rate: Int, channels: Int) throws {
    let folder = try TemporaryFolder()
    for (name, options) in [
      ("last.mp4", []), ("first.mp4", ["-movflags", "+faststart"]),
      ("pieces.mp4", ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]), ("quicktime.mov", []),
    ] as [(String, [String])] {
      let movie = folder.path(name)
      try MadeMedia.movie(movie, rate: rate, channels: channels, options: options)
      let (ours, theirs) = (folder.path("ours.aac"), folder.path("theirs.aac"))
      let result = try Command.run("extract", movie, ours)
      try #require(result.status == 0, "\(name): \(result.errors)")
      try MadeMedia.make(["-i", movie, "-map", "0:a", "-c:a", "copy", "-f", "adts", theirs])
      let (got, wanted) = (
        try Data(contentsOf: URL(fileURLWithPath: ours)), try Data(contentsOf: URL(fileURLWithPath: theirs))
      )
      #expect(got == wanted, "\(name)")
      #expect(got.count > 1000)
    }
  }

  @Test(
    "extract gives the bytes that ffmpeg gives on every AAC movie of the corpus that both can extract",
    .needs(.corpus, .ffmpeg))
  func extractEqualsFFmpegOnTheCorpus() throws {
    let folder = try TemporaryFolder()
    let (ours, theirs) = (folder.path("ours.aac"), folder.path("theirs.aac"))
    var compared = 0
    for file in try Shared.corpusFiles() where file.expectation == "read" && file.codecs.contains("mp4a[") {
      guard try Command.run("extract", file.url.path, ours).status == 0 else { continue }
      // Edit lists make ffmpeg leave out packets that the presentation does not use; we copy the track as it is.
      let ffmpeg = try Tool.ffmpeg.run([
        "-nostdin", "-v", "error", "-y", "-ignore_editlist", "1", "-i", file.url.path, "-map", "0:a:0", "-c:a", "copy",
        "-f",
        "adts", theirs,
      ])
      guard ffmpeg.status == 0, !file.features.contains("encrypted") else { continue }
      let (got, wanted) = (
        try Data(contentsOf: URL(fileURLWithPath: ours)), try Data(contentsOf: URL(fileURLWithPath: theirs))
      )
      #expect(got == wanted, "\(file)")
      compared += 1
    }
    #expect(compared > 50)
  }

  @Test("extract to - writes the same bytes to standard output")
  func extractToStandardOutput() throws {
    let (folder, movie) = try Demo.movie()
    let result = try Command.run("extract", movie, "-")
    try #require(try Command.run("extract", movie, folder.path("out.aac")).status == 0)
    #expect(result.status == 0)
    #expect(try result.output == Data(contentsOf: URL(fileURLWithPath: folder.path("out.aac"))))
    #expect(result.output.prefix(2) == Data([0xFF, 0xF1]))
  }

  @Test("a codec that is not AAC gets no ADTS header", .needs(.ffmpeg))
  func otherCodecsAreRefused() throws {
    let folder = try TemporaryFolder()
    for (codec, word) in [("libmp3lame", "MP3"), ("alac", "Lossless"), ("ac3", "AC-3"), ("libopus", "Opus")] {
      let movie = folder.path("\(codec).mp4")
      try MadeMedia.make([
        "-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", "0.5", "-c:a", codec, "-strict", "-2", movie,
      ])
      let result = try Command.run("extract", movie, folder.path("out.aac"))
      #expect(result.status == 65)
      #expect(result.errors.contains(word), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path("out.aac")))
    }
  }

  @Test("the old output lives until the new one is whole, and longer if there is none")
  func oldOutputSurvivesFailure() throws {
    let (folder, movie) = try Demo.movie()
    let output = folder.path("out.aac")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: output))
    // Cut in the middle of the media: the header promises more than there is.
    let cut = folder.path("cut.mp4")
    try Data(contentsOf: URL(fileURLWithPath: movie)).prefix(30_000).write(to: URL(fileURLWithPath: cut))
    let result = try Command.run("extract", cut, output)
    #expect(result.status == 65)
    #expect(result.errors.contains("cut short"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data("precious".utf8))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
        "cut.mp4", "demo.mp4", "out.aac",
      ])
  }

  @Test("a full disk is exit 74, an impossible output 73, and --no-clobber keeps what is there")
  func outputErrors() throws {
    let (folder, movie) = try Demo.movie()
    #expect(try Command.run("extract", movie, "/dev/full").status == 74)
    #expect(try Command.run("extract", movie, folder.path("no/such/folder.aac")).status == 73)
    let output = folder.path("out.aac")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: output))
    #expect(try Command.run("extract", movie, output, "--no-clobber").status == 73)
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data("precious".utf8))
    #expect(try Command.run("extract", movie, "/dev/null").status == 0)
  }

  @Test("a track that is not there is named, with those that are")
  func missingTrack() throws {
    let (folder, movie) = try Demo.movie()
    let result = try Command.run("extract", movie, folder.path("out.aac"), "--track", "9")
    #expect(result.status == 65)
    #expect(result.errors.contains("no track 9; the tracks are 1, 2, 3"), "\(result.errors)")
  }
}

/// The movie of the demo.
enum Demo {
  static let path = Shared.packageFolder.appendingPathComponent("Sources/lyrebird-cli/Resources/demo.mp4").path

  /// A copy in a folder of the test's own, which lives as long as somebody holds it.
  static func movie() throws -> (TemporaryFolder, String) {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: URL(fileURLWithPath: folder.path("demo.mp4")))
    return (folder, folder.path("demo.mp4"))
  }

  /// Its sound as an .aac file: four seconds and a bit.
  static func stream(_ folder: TemporaryFolder) throws -> String {
    #expect(try Command.run("extract", path, folder.path("demo.aac")).status == 0)
    return folder.path("demo.aac")
  }
}
