import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct EncodeTests {
  @Test(
    "a movie lasts as long as the sound that it was made of", .needs(.ffprobe),
    arguments: [0, 1, 1023, 1024, 1025, 5000])
  func length(frames: Int) throws {
    let folder = try TemporaryFolder()
    let wav = try folder.wav(frames: frames)
    for layout in ["fast-start", "fragmented"] {
      let movie = folder.path("\(layout).m4a")
      let result = try Command.run("encode", wav, movie, "--layout", layout, "--json")
      try #require(result.status == 0, "\(result.errors)")
      #expect(result.text.contains("\"frames\":\(frames),\"packets\":\((frames + 1023) / 1024 + 1),"))
      let packets = try Command.run("packets", movie, "--json").text
      #expect(EncodeTests.sum(packets, of: /"duration":(\d+)/) == frames + 1024, "\(layout)")
      // Of a fragmented movie, ffprobe does not say how long the last packet lasts.
      guard layout == "fast-start" else { continue }
      let probe = try Tool.ffprobe.run([
        "-v", "error", "-ignore_editlist", "1", "-show_entries", "packet=duration", movie,
      ])
      let theirs = EncodeTests.sum(String(decoding: probe.output, as: UTF8.self), of: /duration=(\d+)/)
      #expect(theirs == frames + 1024)
    }
  }

  private static func sum(_ text: String, of pattern: Regex<(Substring, Substring)>) -> Int {
    text.matches(of: pattern).reduce(0) { $0 + (Int($1.1) ?? 0) }
  }

  @Test(
    "low rates become HE-AAC unless told otherwise, with the frames that went in",
    arguments: [
      ("32k", "aac", "HE-AAC"), ("32k", "aac-lc", "AAC-LC"), ("64k", "aac", "AAC-LC"), ("64k", "he-aac", "HE-AAC"),
      ("20k", "aac", "HE-AAC v2"), ("20k", "he-aac", "HE-AAC"), ("32k", "he-aac-v2", "HE-AAC v2"),
    ])
  func highEfficiency(rate: String, codec: String, name: String) throws {
    let folder = try TemporaryFolder()
    let wav = try folder.wav(frames: 12_345)
    let movie = folder.path("out.m4a")
    let result = try Command.run("encode", wav, movie, "--bitrate", rate, "--codec", codec)
    try #require(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains(": \(name), "))
    let info = try Command.run("info", movie, "--json").text
    #expect(info.contains("\"codec_name\":\"\(name)\""), "\(info)")
    let decoded = try Command.run("decode", movie, "-", "--no-header")
    #expect(decoded.output.count == 12_345 * 4, "\(decoded.errors)")
  }

  @Test("tags and chapters that a stream has no place for are named")
  func lostText() throws {
    let folder = try TemporaryFolder()
    let movie = folder.path("in.m4a")
    try #require(try Command.run("encode", try folder.wav(frames: 50_000), movie).status == 0)
    func errors(_ output: String) throws -> String {
      let result = try Command.run("encode", movie, output)
      #expect(result.status == 0)
      return result.errors
    }
    #expect(try !errors(folder.path("out.aac")).contains("left out"))
    try #require(try Command.run("tag", movie, "--title", "Dawn").status == 0)
    #expect(try errors(folder.path("out.aac")).contains("in.m4a: its tags are left out"))
    let list = folder.path("list.txt")
    try Data("0:00 One\n0:00.5 Two\n".utf8).write(to: URL(fileURLWithPath: list))
    try #require(try Command.run("chapters", movie, "--import", list).status == 0)
    #expect(try errors(folder.path("out.aac")).contains("in.m4a: its tags and chapters are left out"))
    #expect(try !errors(folder.path("out.m4a")).contains("left out"))
  }

  @Test("the number of threads makes no difference to the bytes, and must be at least 1")
  func threads() throws {
    let folder = try TemporaryFolder()
    let wav = try folder.wav(frames: 100_000)
    var streams: [Data] = []
    for options in [[], ["--threads", "1"], ["--threads", "3"]] {
      let stream = folder.path("\(streams.count).aac")
      let result = try Command.run(["encode", wav, stream] + options)
      try #require(result.status == 0, "\(result.errors)")
      streams.append(try Data(contentsOf: URL(fileURLWithPath: stream)))
    }
    #expect(streams.allSatisfy { $0 == streams[0] })
    #expect(try Command.run("encode", wav, folder.path("x.aac"), "--threads", "0").status == 64)
  }

  /// Into a file, a short sound is planned once it ends; readers of pipes wait for each packet.
  @Test("a stream is the same from a file and from standard input, to a file and to standard output")
  func pipes() throws {
    let folder = try TemporaryFolder()
    let wav = try folder.wav(frames: 30_000)
    func shell(_ output: String) throws -> Data {
      let command = "cat \"$1\" | \"$2\" encode - \"$3\""
      let result = try Tool.run("/bin/sh", ["-c", command, "sh", wav, Command.path, output])
      try #require(result.status == 0, "\(result.errors)")
      return result.output
    }
    let (file, other) = (folder.path("out.aac"), folder.path("other.aac"))
    try #require(try Command.run("encode", wav, file).status == 0)
    _ = try shell(other)
    let planned = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == planned)
    let piped = try Command.run("encode", wav, "-").output
    #expect(!piped.isEmpty && piped != planned)
    #expect(try shell("-") == piped)
  }

  @Test("a file that changes while it is encoded is an error, and the old output stays", arguments: ["m4a", "aac"])
  func changedWhileRead(ending: String) throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out.\(ending)")
    // On a busy machine, a short sound may have been read before the change. Then a longer one is tried.
    for frames in [400_000, 1_600_000, 6_400_000] {
      let wav = try folder.wav(frames: frames)
      try Data("old".utf8).write(to: URL(fileURLWithPath: out))
      let process = try BackgroundProcess(Command.path, ["encode", wav, out])
      // The output is opened after the input: two files of this folder.
      let isReading = waitUntil { process.openFiles.filter { $0.contains(folder.url.path) }.count == 2 }
      process.send(SIGSTOP)
      try #require(isReading && process.isRunning)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: wav))
      try file.seek(toOffset: 1_000_000)
      try file.write(contentsOf: Data(repeating: 1, count: 4096))
      try file.close()
      process.send(SIGCONT)
      let status = process.wait()
      if status == 0 { continue }
      #expect(status == 74)
      #expect(process.errors.contains("changed while it was read"), "\(process.errors)")
      #expect(try String(contentsOfFile: out, encoding: .utf8) == "old")
      return
    }
    Issue.record("the change was never noticed")
  }

  @Test("samples that are no numbers or far too loud are encoded, counted and warned of")
  func alteredSamples() throws {
    let folder = try TemporaryFolder()
    var samples = [Float](repeating: 0.25, count: 4000)
    (samples[100], samples[101], samples[102], samples[103]) = (.nan, .infinity, -.infinity, 5)
    // Loud, but within the 12 dB that the encoder has room for.
    samples[104] = 3.9
    let raw = folder.path("in.raw")
    try unsafe samples.withUnsafeBytes { try unsafe Data($0).write(to: URL(fileURLWithPath: raw)) }
    let result = try Command.run("encode", raw, folder.path("out.m4a"), "--raw", "f32le:44100:1", "--json")
    #expect(result.status == 0)
    #expect(result.text.contains("\"altered_samples\":4"), "\(result.text)")
    #expect(result.errors.contains("warning: \(raw): 4 samples"), "\(result.errors)")
    let sane = try Command.run("encode", try folder.wav(frames: 2000), folder.path("sane.m4a"), "--json")
    #expect(sane.text.contains("\"altered_samples\":0") && sane.errors.isEmpty, "\(sane.errors)")
  }

  @Test("what cannot be done ends with the status that says why")
  func failures() throws {
    let folder = try TemporaryFolder()
    let wav = try folder.wav(frames: 100)
    let out = folder.path("out.m4a")
    #expect(try Command.run("encode", folder.path("none.wav"), out).status == 66)
    #expect(try Command.run("encode", Command.path, out).status == 65)
    #expect(try Command.run("encode", wav, out, "--quality", "6").status == 64)
    #expect(try Command.run("encode", wav, out, "--quality", "3", "--bitrate", "64000").status == 64)
    let tooMuch = try Command.run("encode", wav, out, "--bitrate", "5000000")
    #expect(tooMuch.status == 64 && tooMuch.errors.contains("529200"))
    #expect(try Command.run("encode", wav, folder.path("no/out.m4a")).status == 73)
    #expect(!FileManager.default.fileExists(atPath: out))
  }

  @Test("Apple Lossless keeps every bit of a WAVE file", .needs(.ffmpeg), arguments: ["u8", "s16le", "s24le", "s32le"])
  func lossless(coding: String) throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.path("in.wav"), folder.path("out.m4a"))
    try MadeMedia.make([
      "-f", "lavfi", "-i", "aevalsrc='0.6*sin(880*t)|0.4*random(0)':s=192000:d=0.3", "-c:a", "pcm_\(coding)", input,
    ])
    let result = try Command.run("encode", input, output, "--codec", "alac")
    #expect(result.status == 0 && result.errors.contains("Apple Lossless"), "\(result.errors)")
    let raw = try [input, output].map {
      try Tool.ffmpeg.run(["-v", "error", "-i", $0, "-f", "s32le", "-c:a", "pcm_s32le", "-"]).output
    }
    #expect(raw[0] == raw[1] && raw[0].count == 8 * 57_600)
  }

  @Test("each speed makes other bytes at the same rate, and normal those of no speed at all", .needs(.ffmpeg))
  func speeds() throws {
    let folder = try TemporaryFolder()
    let input = folder.path("in.wav")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=2:a=0.1:c=pink:seed=1", "-c:a", "pcm_s16le", input])
    func bytes(_ options: [String]) throws -> [UInt8] {
      let output = folder.path("out.aac")
      let result = try Tool.run(Command.path, ["encode", input, output, "--bitrate", "48k"] + options)
      try #require(result.status == 0, "\(result.errors)")
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: output)))
    }
    let normal = try bytes([])
    #expect(try bytes(["--speed", "normal"]) == normal)
    for speed in ["fast", "slow"] {
      let other = try bytes(["--speed", speed])
      #expect(other != normal && abs(other.count - normal.count) < normal.count / 20)
    }
    #expect(try Tool.run(Command.path, ["encode", input, folder.path("a.m4a"), "--speed", "best"]).status == 64)
  }

  @Test("loudspeakers that Apple Lossless does not have are a warning", .needs(.ffmpeg))
  func losslessLayouts() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.path("in.wav"), folder.path("out.m4a"))
    for (layout, isLost) in [("quad", true), ("4.0", false), ("5.1(side)", true), ("5.1", false), ("stereo", false)] {
      try MadeMedia.make(["-f", "lavfi", "-i", "anullsrc=cl=\(layout):d=0.1", "-c:a", "pcm_s16le", input])
      let result = try Command.run("encode", input, output, "--codec", "alac")
      #expect(
        result.status == 0 && result.errors.contains("other loudspeakers") == isLost, "\(layout): \(result.errors)")
    }
  }

  @Test("Apple Lossless is refused where it cannot be", .needs(.ffmpeg))
  func losslessRefusals() throws {
    let folder = try TemporaryFolder()
    let (input, output) = (folder.path("in.wav"), folder.path("out.m4a"))
    try MadeMedia.make(["-f", "lavfi", "-i", "sine=d=0.2", "-c:a", "pcm_f32le", input])
    // Floats are rounded, and movies say to how many bits.
    let floats = try Command.run("encode", input, output, "--codec", "alac")
    let info = try Command.run("info", output).text
    #expect(floats.status == 0 && info.contains("24 bit"), "\(info)")
    #expect(try Command.run("encode", input, output, "--codec", "alac", "--bitrate", "96k").status == 64)
    #expect(try Command.run("encode", input, output, "--codec", "alac", "--speed", "slow").status == 64)
    #expect(try Command.run("encode", input, folder.path("out.aac"), "--codec", "alac").status == 64)
  }
}

extension TemporaryFolder {
  /// A WAVE file of a tone: 16-bit stereo at 44.1 kHz.
  func wav(frames: Int) throws -> String {
    var bytes: [UInt8] = []
    func append(_ value: Int, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(value >> (8 * byte) & 0xFF)) }
    }
    bytes += Array("RIFF".utf8)
    append(36 + frames * 4, 4)
    bytes += Array("WAVEfmt ".utf8)
    for (value, count) in [(16, 4), (1, 2), (2, 2), (44_100, 4), (176_400, 4), (4, 2), (16, 2)] { append(value, count) }
    bytes += Array("data".utf8)
    append(frames * 4, 4)
    for frame in 0..<frames {
      for pitch in [0.05, 0.03] { append(Int(9000 * sin(Double(frame) * pitch)) & 0xFFFF, 2) }
    }
    let path = path("in-\(frames).wav")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}
