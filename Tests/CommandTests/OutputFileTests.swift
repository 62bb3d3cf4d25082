import Foundation
import TestSupport
import Testing

/// Outputs that would destroy something, or would be something else than their name says.
@Suite(.inTurn) struct OutputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func copy(_ name: String) throws -> String {
    try FileManager.default.copyItem(atPath: Demo.path, toPath: folder.path(name))
    return folder.path(name)
  }

  @Test("an output that is the input is refused, by whatever name, and the input stays")
  func sameFile() throws {
    let movie = try copy("a.mp4")
    let wav = try folder.wav(frames: 100)
    for (input, verbs) in [(movie, ["extract", "decode"]), (wav, ["encode"])] {
      let before = try Data(contentsOf: URL(fileURLWithPath: input))
      let (hard, soft) = (input + ".hard", input + ".soft")
      try FileManager.default.linkItem(atPath: input, toPath: hard)
      try FileManager.default.createSymbolicLink(atPath: soft, withDestinationPath: input)
      for verb in verbs {
        for script in [
          "\"$1\" \(verb) '\(input)' '\(input)'", "\"$1\" \(verb) '\(input)' '\(hard)'",
          "\"$1\" \(verb) '\(soft)' '\(input)'",
          "\"$1\" \(verb) '\(soft)' '\(hard)'",
          "\"$1\" \(verb) '\(folder.url.path)/./\(URL(fileURLWithPath: input).lastPathComponent)' '\(input)'",
          "\"$1\" \(verb) - '\(input)' < '\(input)'", "\"$1\" \(verb) /dev/stdin '\(input)' < '\(input)'",
          "\"$1\" \(verb) /proc/self/fd/3 '\(input)' 3< '\(input)'",
          "\"$1\" \(verb) '\(input)' /proc/self/fd/3 3<> '\(input)'",
          "\"$1\" \(verb) '\(input)' - >> '\(input)'", "\"$1\" \(verb) '\(input)' /dev/stdout >> '\(input)'",
        ] {
          let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path])
          #expect(result.status == 64 && result.errors.contains("is also the input"), "\(script): \(result.errors)")
          #expect(try Data(contentsOf: URL(fileURLWithPath: input)) == before, "\(script)")
        }
      }
    }
  }

  @Test("record and play refuse a device that is the file at the other end, by whatever name, and it stays")
  func sameDevice() throws {
    let wav = try folder.wav(frames: 100)
    let before = try Data(contentsOf: URL(fileURLWithPath: wav))
    let soft = folder.path("soft.wav")
    try FileManager.default.createSymbolicLink(atPath: soft, withDestinationPath: wav)
    for (device, file) in [(wav, wav), (soft, wav), (wav, soft)] {
      for verb in ["record", "play"] {
        let result = try Command.run(verb, file, "--device", "file:\(device)")
        #expect(result.status == 64 && result.errors.contains("is also the input"), "\(verb): \(result.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: wav)) == before)
      }
    }
  }

  @Test("a name that is not UTF-8 is refused: Swift would make another name of it, and two files one")
  func namesInOtherEncodings() throws {
    for name in ["a\\xff", "\\xe4"] {
      let script = "cd '\(folder.url.path)' && n=$'\(name)' && \"$1\" remux '\(Demo.path)' \"$n.mp4\""
      let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path])
      #expect(result.status == 64 && result.errors.contains("not valid UTF-8"), "\(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("a file that would exceed the limit of the shell is an error, and nothing is left")
  func fileSizeLimit() throws {
    let script = "ulimit -f 10; \"$1\" remux '\(Demo.path)' '\(folder.path("a.mp4"))'"
    let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path])
    #expect(result.status == 74 && result.errors.contains("File too large"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("chapters are not written over a movie, by whatever name, nor into a file named -")
  func chapters() throws {
    let (movie, other) = (try copy("a.mp4"), try copy("b.m4a"))
    let before = try Data(contentsOf: URL(fileURLWithPath: movie))
    for words in [["--export", other], ["--export", other, "--format", "text"], ["--export", movie]] {
      #expect(try Command.run(["chapters", movie] + words).status == 64)
    }
    let list = folder.path("list.txt")
    let exported = try Command.run("chapters", movie, "--export", list, "--json")
    #expect(exported.status == 0 && exported.text.contains("\"title\":\"It sings\""), "\(exported.text)")
    #expect(try Command.run("chapters", movie, "--export", list, "--no-clobber").status == 73)
    let script = "cd '\(folder.url.path)' && \"$1\" chapters - --remove < a.mp4"
    #expect(try Tool.run("/bin/bash", ["-c", script, "bash", Command.path]).status == 64)
    #expect(try Data(contentsOf: URL(fileURLWithPath: movie)) == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(names) == ["a.mp4", "b.m4a", "list.txt"])
  }

  @Test("remux may write over its input, which is a movie before and after")
  func remuxInPlace() throws {
    let movie = try copy("a.mp4")
    let packets = { try Command.run("packets", movie, "--json").text.replacing(/"offset":\d+/, with: "") }
    let before = try packets()
    try #require(try Command.run("remux", movie, movie, "--layout", "fragmented").status == 0)
    #expect(try packets() == before)
    let appended = try Tool.run("/bin/bash", ["-c", "\"$1\" remux \"$2\" - >> \"$2\"", "bash", Command.path, movie])
    #expect(appended.status == 64)
    #expect(try packets() == before)
  }

  @Test(
    "a name that means another kind of file is refused, with those that would do, and nothing is written",
    arguments: [
      ("extract", ["mp3", "m4a", "mp4", "wav", "MP3", "mka"]), ("decode", ["m4a", "aac", "flac", "mp3"]),
      ("encode", ["mp3", "wav", "WAV", "ogg", "flac", "webm", "mkv", "m4v"]),
      ("remux", ["mkv", "aac", "wav", "webm", "avi"]),
    ])
  func otherKind(verb: String, endings: [String]) throws {
    let input = verb == "encode" ? try folder.wav(frames: 100) : Demo.path
    for ending in endings {
      let output = folder.path("out." + ending)
      let result = try Command.run(verb, input, output)
      #expect(result.status == 64, "\(ending)")
      #expect(
        result.errors.contains("\(verb) does not write") && result.errors.contains("ends in ."), "\(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: output))
    }
  }

  @Test("names that say what they are, or nothing, are taken")
  func ownKind() throws {
    let wav = try folder.wav(frames: 100)
    for (verb, input, names) in [
      ("extract", Demo.path, ["a.aac", "a.AAC", "a.adts", "a", ".mp3", "a.part"]),
      ("decode", Demo.path, ["a.wav", "b.WAV", "c"]),
      ("encode", wav, ["a.m4a", "a.MOV", "a.adts"]), ("remux", Demo.path, ["a.mov", "a.m4v", "a.3gp", "mp4"]),
    ] {
      for name in names {
        let result = try Command.run(verb, input, folder.path(name))
        #expect(result.status == 0, "\(verb) \(name): \(result.errors)")
      }
    }
  }

  @Test("encode, which writes movies and streams, refuses a name that says neither, and writes a stream to a device")
  func encodeNeedsEnding() throws {
    let wav = try folder.wav(frames: 100)
    for name in ["a.m4a.part", "a.1", "a", ".m4a", "a."] {
      let result = try Command.run("encode", wav, folder.path(name))
      #expect(result.status == 64 && result.errors.contains("does not say what to write"), "\(name): \(result.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.path(name)))
    }
    let stream = try Command.run("encode", wav, "-").output
    let pipe = try Tool.run(
      "/bin/bash", ["-c", "\"$1\" encode \"$2\" >(cat) | cat", "bash", Command.path, wav])
    #expect(!stream.isEmpty && pipe.output == stream, "\(pipe.errors)")
    #expect(try Command.run("encode", wav, "/dev/null").status == 0)
  }

  @Test("a second input of encode is not taken for its output")
  func secondInput() throws {
    let (first, second) = (try folder.wav(frames: 100), try folder.wav(frames: 200))
    let before = try Data(contentsOf: URL(fileURLWithPath: second))
    let result = try Command.run("encode", first, second)
    #expect(result.status == 64 && result.errors.contains("encode does not write .wav files"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: second)) == before)
  }

  @Test("descriptors that were closed do not become the output")
  func closedDescriptors() throws {
    try #require(try Command.run("remux", Demo.path, folder.path("good.mp4")).status == 0)
    let good = try Data(contentsOf: URL(fileURLWithPath: folder.path("good.mp4")))
    for closed in [">&- 2>&-", "<&- >&- 2>&-", "<&-", "2>&-"] {
      let output = folder.path("out.mp4")
      let script = "\"$1\" remux \"$2\" \"$3\" \(closed)"
      let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path, Demo.path, output])
      #expect(result.status == 0, "\(closed): \(result.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == good, "\(closed)")
    }
    let nowhere = try Tool.run("/bin/bash", ["-c", "\"$1\" extract \"$2\" - >&-", "bash", Command.path, Demo.path])
    #expect(nowhere.status == 74, "\(nowhere.errors)")
    let nothing = try Tool.run(
      "/bin/bash", ["-c", "\"$1\" encode - \"$2\" <&-", "bash", Command.path, folder.path("a.aac")])
    #expect(nothing.status == 74, "\(nothing.errors)")
  }

  /// A shell in which nothing is mounted on /proc.
  private static let hidingProc = "mount -t tmpfs none /proc && exec \"$@\""

  @Test(
    "without /proc the output is written all the same",
    .needs(
      Need("namespaces of its own", "no namespaces of our own") {
        (try? Tool.run("/usr/bin/unshare", ["-m", "sh", "-c", hidingProc, "sh", "true"]).status) == 0
      }))
  func withoutProc() throws {
    for old in [false, true] {
      let output = folder.path("out.mp4")
      if old { try Data("old".utf8).write(to: URL(fileURLWithPath: output)) }
      let result = try Tool.run(
        "/usr/bin/unshare", ["-m", "sh", "-c", Self.hidingProc, "sh", Command.path, "remux", Demo.path, output])
      #expect(result.status == 0, "\(result.errors)")
      #expect(try Command.run("packets", output).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out.mp4"])
      try FileManager.default.removeItem(atPath: output)
    }
  }

  @Test("a file that its owner may not write to is refused, as cp does")
  func writeProtected() throws {
    let output = folder.path("out.aac")
    try Data("old".utf8).write(to: URL(fileURLWithPath: output))
    let isGuarded = unsafe chmod(output, 0o444) == 0 && chmod(folder.url.path, 0o777) == 0
    #expect(isGuarded)
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    let isRoot = geteuid() == 0
    let isOthers = unsafe !isRoot || chown(output, 65_534, 65_534) == 0
    #expect(isOthers)
    let words = [Command.path, "extract", Demo.path, output]
    let result =
      try isRoot ? Tool.run("/usr/bin/setpriv", nobody + words) : Tool.run(words[0], Array(words.dropFirst()))
    #expect(result.status == 73 && result.errors.contains("Permission denied"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == Data("old".utf8))
  }

  @Test(
    "a WAVE file of four thousand million frames a second is refused by play, record and encode, without taking memory")
  func hostileRate() throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: try folder.wav(frames: 80)))
    bytes.replaceSubrange(24..<28, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let hostile = folder.path("rate.wav")
    try bytes.write(to: URL(fileURLWithPath: hostile))
    for words in [
      "play '\(hostile)' --device null", "record \"$2/out.m4a\" --device 'file:\(hostile)'",
      "encode '\(hostile)' \"$2/out.m4a\"",
    ] {
      // Within half a gigabyte of address space beyond what the command itself takes.
      let script = "ulimit -v 2000000; \"$1\" \(words)"
      let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path, folder.url.path])
      #expect([65, 69, 74].contains(result.status), "\(words): \(result.status)")
      #expect(result.errors.contains("nSamplesPerSec"), "\(words): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
  }
}
