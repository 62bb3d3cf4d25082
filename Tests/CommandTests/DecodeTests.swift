import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct DecodeTests {
  private func made(_ name: String, _ folder: TemporaryFolder, seconds: Double = 0.5) throws -> String {
    let path = folder.path(name)
    try MadeMedia.make([
      "-f", "lavfi", "-i", "aevalsrc='0.6*sin(880*t)|0.4*sin(1320*t)':s=44100:d=\(seconds)", "-c:a", "aac",
      "-aac_pns", "0", path,
    ])
    return path
  }

  private func samples(_ path: String) throws -> [Int16] {
    let folder = try TemporaryFolder()
    try MadeMedia.make(["-i", path, "-f", "s16le", folder.path("raw")])
    return try unsafe Data(contentsOf: URL(fileURLWithPath: folder.path("raw"))).withUnsafeBytes {
      unsafe Array($0.bindMemory(to: Int16.self))
    }
  }

  @Test(
    "decode writes the frames that were encoded, as ffmpeg decodes them",
    .needs(.ffmpeg), arguments: ["s16", "f32"])
  func decode(format: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (try made("in.m4a", folder), folder.path("out.wav"))
    let result = try Command.run("decode", input, output, "--format", format)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("44100 Hz, 2 channels, 22050 frames"))
    let (ours, theirs) = (try samples(output), try samples(input))
    #expect(ours.count == 2 * 22050)
    #expect(zip(ours, theirs).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    #expect(ours.contains { abs(Int($0)) > 10_000 })
  }

  /// A movie of 5 seconds whose sound begins after one: silence up to 3 s, and then a constant.
  private func lateSound(_ folder: TemporaryFolder) throws -> String {
    let path = folder.path("late.mov")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc=d=5:s=160x120:r=25", "-itsoffset", "1", "-f", "lavfi", "-i",
      "aevalsrc='if(lt(t,2),0,0.5)':s=8000:d=4", "-c:v", "mpeg4", "-c:a", "pcm_s16le", path,
    ])
    return path
  }

  @Test(
    "times are those of the movie where its sound begins later than its pictures, as in ffmpeg", .needs(.ffmpeg),
    arguments: [("2", "4"), ("0.5", "3.5"), ("3.25", "4.75")])
  func lateSound(from: String, to: String) throws {
    let folder = try TemporaryFolder()
    let movie = try lateSound(folder)
    let ours = try Command.run("decode", movie, "-", "--no-header", "--from", from, "--to", to)
    let theirs = try Tool.ffmpeg.run([
      "-v", "error", "-ss", from, "-to", to, "-i", movie, "-vn", "-f", "s16le", "-c:a", "pcm_s16le", "-",
    ])
    #expect(ours.output == theirs.output && !ours.output.isEmpty, "\(ours.output.count) \(theirs.output.count)")
  }

  @Test("times count from the first of the fragments that were taken from a broadcast", .needs(.ffmpeg))
  func midway() throws {
    let folder = try TemporaryFolder()
    let (whole, movie) = (folder.path("whole.mov"), folder.path("midway.mov"))
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc=d=6:s=160x120:r=25", "-f", "lavfi", "-i", "aevalsrc='random(0)':s=8000:d=6", "-c:v",
      "mpeg4", "-g", "25", "-c:a", "pcm_s16le", "-movflags", "frag_keyframe+empty_moov+default_base_moof", whole,
    ])
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: whole)))
    var (offset, fragments, kept) = (0, 0, Data())
    while offset < bytes.count {
      let size = bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
      if bytes[(offset + 4)..<(offset + 8)] == Array("moof".utf8)[...] { fragments += 1 }
      if fragments == 0 || fragments > 3 { kept += bytes[offset..<(offset + size)] }
      offset += size
    }
    try kept.write(to: URL(fileURLWithPath: movie))
    let all = try Command.run("decode", movie, "-", "--no-header")
    let part = try Command.run("decode", movie, "-", "--no-header", "--from", "0.5", "--to", "1.5")
    try #require(all.output.count > 30_000 && part.output.count == 16_000, "\(part.errors)")
    // The sound of a fragment does not begin just where its pictures do.
    let found = try #require(all.output.range(of: part.output))
    #expect((6000...8000).contains(found.lowerBound), "\(found)")
  }

  @Test("an end before the sound of a movie, or a beginning after it, is an error that names the time", .needs(.ffmpeg))
  func outsideLateSound() throws {
    let folder = try TemporaryFolder()
    let (movie, output) = (try lateSound(folder), folder.path("out.wav"))
    let early = try Command.run("decode", movie, output, "--to", "0.5")
    #expect(early.status == 64 && early.errors.contains("--to is before the sound, which begins at 0:01.000"))
    let late = try Command.run("decode", movie, output, "--from", "5")
    #expect(late.status == 64 && late.errors.contains("the file is 0:05.000 long"))
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test("chapters keep their places in sound that begins later than the pictures", .needs(.ffmpeg))
  func chaptersOfLateSound() throws {
    let folder = try TemporaryFolder()
    let (movie, list, output) = (try lateSound(folder), folder.path("list.txt"), folder.path("out.m4a"))
    try Data("0:00 Title\n0:00.5 Black\n0:03 Tone\n".utf8).write(to: URL(fileURLWithPath: list))
    try #require(try Command.run("chapters", movie, "--import", list).status == 0)
    try #require(try Command.run("encode", movie, output, "--codec", "alac").status == 0)
    let result = try Command.run("chapters", output, "--export", "-")
    #expect(result.text == "00:00:00.000 Black\n00:00:02.000 Tone\n")
  }

  @Test(
    "a lossless track keeps its depth, and any other can be asked for", .needs(.ffmpeg),
    arguments: [("alac", "s16p", "m4a", "s16"), ("alac", "s32p", "m4a", "s24"), ("pcm_f32le", "flt", "mov", "f32")])
  func lossless(codec: String, sampleFormat: String, type: String, own: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.path("in.\(type)"), folder.path("out.wav"))
    try MadeMedia.make([
      "-f", "lavfi", "-i", "aevalsrc='0.6*sin(880*t)|0.4*random(0)':s=44100:d=0.5", "-af",
      "aformat=sample_fmts=\(sampleFormat)", "-c:a", codec, input,
    ])
    for format in ["", "s16", "s24", "s32", "f32"] {
      let result = try Tool.run(
        Command.path, ["decode", input, output] + (format.isEmpty ? [] : ["--format", format]))
      #expect(result.status == 0 && result.errors.contains("\(format.isEmpty ? own : format), 44100 Hz"))
      let probe = try Tool.ffprobe.run(
        ["-v", "error", "-show_entries", "stream=codec_name,duration_ts", "-of", "csv=p=0", output])
      let codec = (format.isEmpty ? own : format) + "le"
      #expect(String(decoding: probe.output, as: UTF8.self) == "pcm_\(codec),22050\n")
      guard format.isEmpty else { continue }
      let raw = try [input, output].map {
        try Tool.ffmpeg.run(["-v", "error", "-i", $0, "-f", own + "le", "-c:a", "pcm_\(own)le", "-"]).output
      }
      #expect(raw[0] == raw[1] && raw[0].count > 80_000)
    }
  }

  @Test("a codec that cannot be decoded is named, with those that can", .needs(.ffmpeg))
  func unsupported() throws {
    let folder = try TemporaryFolder()
    let input = folder.path("in.mp4")
    try MadeMedia.make(["-f", "lavfi", "-i", "sine=d=0.5:r=48000", "-c:a", "ac3", input])
    let result = try Command.run("decode", input, folder.path("out.wav"))
    #expect(result.status == 65)
    #expect(result.errors.contains("decoding AC-3 is not supported; AAC, Apple Lossless and PCM can be decoded"))
  }

  @Test("decode to - writes a WAVE stream", .needs(.ffmpeg))
  func decodeToStandardOutput() throws {
    let folder = try TemporaryFolder()
    let result = try Command.run("decode", try made("in.m4a", folder), "-")
    #expect(result.status == 0)
    #expect(result.output.starts(with: Data("RIFF".utf8)))
    #expect(result.output.suffix(4 * 22050).count == 4 * 22050)
  }

  @Test(
    "high-efficiency AAC has its rate and channels, and its core those of the core",
    .needs(.corpus),
    arguments: [
      ("al_sbr_cm_48_2", "48000 Hz, 2 channels", "24000 Hz, 2 channels"),
      ("al_sbr_ps_06_new", "32000 Hz, 2 channels", "16000 Hz, 1 channel"),
    ])
  func highEfficiency(name: String, whole: String, core: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (
      Shared.folder.appendingPathComponent("aac/\(name).mp4").path, folder.path("out.wav")
    )
    let result = try Command.run("decode", input, output, "--to", "1")
    #expect(result.status == 0 && result.errors.contains(whole), "\(result.errors)")
    let duller = try Command.run("decode", input, output, "--to", "1", "--core-only")
    #expect(duller.status == 0 && duller.errors.contains(core), "\(duller.errors)")
  }

  @Test(
    "broken packets are named and decoding goes on", .needs(.ffmpeg))
  func brokenPackets() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (try made("in.m4a", folder), folder.path("out.wav"))
    let listing = try Command.run("packets", input, "--json").text.split(separator: "\n").map(String.init)
    let line = try #require(listing.dropFirst(9).first)
    let offset = try #require(line.split(separator: "\"offset\":").last?.prefix { $0.isNumber }).description
    var bytes = try Data(contentsOf: URL(fileURLWithPath: input))
    let place = try #require(Int(offset))
    bytes.replaceSubrange(place..<(place + 4), with: [0xFF, 0xFF, 0xFF, 0xFF])
    try bytes.write(to: URL(fileURLWithPath: input))
    let result = try Command.run("decode", input, output)
    #expect(result.status == 0)
    #expect(result.errors.contains("concealed: packet 9"), "\(result.errors)")
    #expect(result.errors.contains("22050 frames"))
  }

  @Test("what is no AAC is refused by name; what is not there, too")
  func refusals() throws {
    let folder = try TemporaryFolder()
    let (demo, movie) = try Demo.movie()
    defer { withExtendedLifetime(demo) {} }
    let output = folder.path("out.wav")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: output))
    #expect(try Command.run("decode", movie, output, "--no-clobber").status == 73)
    #expect(try Command.run("decode", folder.path("none.m4a"), output).status == 66)
    #expect(try Command.run("decode", movie, output, "--track", "1").status == 65)
    #expect(try Command.run("decode", movie, output, "--format", "s12").status == 64)
    #expect(try String(contentsOfFile: output, encoding: .utf8) == "kept")
  }
}
