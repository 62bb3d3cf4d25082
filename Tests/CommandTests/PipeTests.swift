import Foundation
import TestSupport
import Testing

/// What comes from a pipe, and what goes into one.
@Suite(.inTurn) struct PipeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a script in which `$1` is the command and `$2` the folder.
  private func shell(_ script: String) throws -> (status: Int32, output: Data, errors: String) {
    try Tool.run("/bin/bash", ["-c", script, "bash", Command.path, folder.url.path])
  }

  private func data(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: folder.path(name))) }

  @Test("encode takes a pipe in the pieces in which it comes")
  func slowPipe() throws {
    let wav = try folder.wav(frames: 3000)
    try #require(try Command.run("encode", wav, folder.path("whole.aac")).status == 0)
    for cut in [1, 20, 100, 4097] {
      let result = try shell(
        "(head -c \(cut) '\(wav)'; sleep 0.1; tail -c +\(cut + 1) '\(wav)') | \"$1\" encode - \"$2/pieces.aac\"")
      #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
      #expect(try data("pieces.aac") == data("whole.aac"), "cut after byte \(cut)")
    }
  }

  /// Sizes of RIFF and data as programs write them to pipes: ffmpeg, a program that puts zeros, sox, arecord.
  static let sizes: [(UInt32, UInt32)] = [
    (.max, .max), (0, 0), (36, 0), (0x7FFF_F024, 0x7FFF_F000), (0x8000_0024, 0x8000_0000), (.max, .max - 36),
  ]

  @Test("a length that its writer did not know is no warning, and ends where the pipe does", arguments: sizes)
  func unknownLength(riff: UInt32, data: UInt32) throws {
    var bytes = try Data(contentsOf: URL(fileURLWithPath: try folder.wav(frames: 5000)))
    let expected = try Command.run("encode", folder.path("in-5000.wav"), "-", "--json")
    unsafe bytes.replaceSubrange(4..<8, with: withUnsafeBytes(of: riff.littleEndian) { unsafe Data($0) })
    unsafe bytes.replaceSubrange(40..<44, with: withUnsafeBytes(of: data.littleEndian) { unsafe Data($0) })
    try bytes.write(to: URL(fileURLWithPath: folder.path("endless.wav")))
    let result = try shell("cat \"$2/endless.wav\" | \"$1\" encode - - --json")
    #expect(result.status == 0 && result.errors == expected.errors, "\(result.errors)")
    #expect(result.errors.contains("\"frames\":5000,") && result.output == expected.output)
  }

  @Test(
    "a movie in fragments is decoded as it comes; any other is read whole first, into a temporary file", .needs(.ffmpeg)
  )
  func movies() throws {
    let (whole, live) = (folder.path("whole.mp4"), folder.path("live.mp4"))
    let source = ["-f", "lavfi", "-i", "anoisesrc=d=3:seed=1", "-c:a", "aac", "-aac_pns", "0"]
    try MadeMedia.make(source + [whole])
    try MadeMedia.make(source + ["-movflags", "empty_moov+default_base_moof", "-frag_duration", "500000", live])
    for (file, isLive) in [(live, true), (whole, false)] {
      let expected = try Command.run("decode", file, "-", "--no-header")
      let piped = try shell("cat '\(file)' | \"$1\" decode - - --no-header")
      #expect(piped.output == expected.output && piped.status == 0, "\(piped.errors)")
      let nowhere = try shell("cat '\(file)' | TMPDIR=/nonexistent \"$1\" decode - - --no-header")
      #expect((nowhere.status == 0 && nowhere.output == expected.output) == isLive)
    }
    // The second half never comes, but the sound of the first does.
    let half = try shell(
      "mkfifo \"$2/pipe\"; (head -c 30000 '\(live)'; sleep 20) > \"$2/pipe\" & "
        + "\"$1\" decode \"$2/pipe\" - --no-header | head -c 50000 | wc -c; kill %1")
    #expect(String(decoding: half.output, as: UTF8.self) == "50000\n")
    let play = try shell("cat '\(live)' | \"$1\" play - --device null --json")
    #expect(play.status == 0 && String(decoding: play.output, as: UTF8.self).contains("\"completed\":true"))
  }

  @Test("what really lacks in a pipe is said")
  func cutPipe() throws {
    let wav = try folder.wav(frames: 5000)
    let result = try shell("head -c 10044 '\(wav)' | \"$1\" encode - \"$2/out.aac\"")
    #expect(result.status == 0 && result.errors.contains("10 kB are missing at its end"), "\(result.errors)")
  }

  @Test("an .aac stream from a pipe decodes as one from a file, junk and a cut end included")
  func streamFromPipe() throws {
    try #require(try Command.run("extract", Demo.path, folder.path("demo.aac")).status == 0)
    let whole = try data("demo.aac")
    let tag = Data("ID3".utf8) + [4, 0, 0, 0, 0, 0x7F, 0x7F] + Data(count: 16383)
    for (name, bytes) in [
      ("whole", whole), ("tagged", tag + whole), ("junk", Data(repeating: 0x20, count: 3000) + whole),
      ("cut", whole.dropLast(100)), ("ended", whole + Data("TAG".utf8) + Data(count: 125)), ("short", whole + [0xFF]),
    ] {
      try bytes.write(to: URL(fileURLWithPath: folder.path(name)))
      let file = try Command.run("decode", folder.path(name), "-")
      try #require(file.status == 0 && file.output.count > 10_000, "\(name): \(file.errors)")
      let pipe = try shell("(head -c 5 \"$2/\(name)\"; sleep 0.02; tail -c +6 \"$2/\(name)\") | \"$1\" decode - -")
      #expect(pipe.status == 0 && pipe.output == file.output, "\(name): \(pipe.errors)")
      let lines = try shell("cat \"$2/\(name)\" | \"$1\" packets --json -")
      #expect(
        try lines.output == Command.run("packets", "--json", folder.path(name)).output, "\(name): \(lines.errors)")
    }
  }

  @Test("standard input has three names, and a movie is read from it whether it is a file or a pipe")
  func namesOfStandardInput() throws {
    let expected = try Command.run("packets", Demo.path).output
    for name in ["-", "/dev/stdin", "/dev/fd/0"] {
      let file = try shell("\"$1\" packets \(name) < '\(Demo.path)'")
      #expect(file.status == 0 && file.output == expected, "\(name): \(file.errors)")
      let pipe = try shell("cat '\(Demo.path)' | \"$1\" packets \(name)")
      #expect(pipe.status == 0 && pipe.output == file.output, "\(name): \(pipe.errors)")
    }
  }

  @Test("verbs read from a pipe what they read from a movie's file", arguments: ["moov-last", "fragmented"])
  func movieFromPipe(layout: String) throws {
    let movie = folder.path("in.mp4")
    try #require(try Command.run("remux", Demo.path, movie, "--layout", layout).status == 0)
    for verb in ["decode IN - --to 1", "cut IN - --from 1 --to 2", "packets IN", "boxes IN"] {
      let file = try shell("cd \"$2\" && \"$1\" \(verb.replacing("IN", with: "in.mp4"))")
      try #require(file.status == 0 && !file.output.isEmpty, "\(verb): \(file.errors)")
      let pipe = try shell("cat \"$2/in.mp4\" | \"$1\" \(verb.replacing("IN", with: "-"))")
      #expect(pipe.status == 0 && pipe.output == file.output, "\(verb): \(pipe.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["in.mp4"])
  }

  @Test("an endless pipe that does not begin as a movie does is not kept in a file")
  func endlessPipe() throws {
    let result = try shell("yes | timeout 20 \"$1\" info -")
    #expect(result.status == 65 && result.errors.contains("neither a movie, nor AAC"), "\(result.errors)")
  }

  @Test("a movie from a pipe that does not fit into its temporary file is an error that says where that is")
  func pipedMovieTooLarge() throws {
    let result = try shell(
      "ulimit -f 64; export TMPDIR=\"$2\"; (printf '\\0\\0\\0\\1mdat\\0\\0\\0\\1\\0\\0\\0\\0'; head -c 200000 /dev/zero) | \"$1\" info -"
    )
    #expect(result.status == 74 && result.errors.contains("temporary file in \(folder.url.path)"), "\(result.errors)")
  }

  @Test("a pipe that has a name is read, too")
  func namedPipe() throws {
    let wav = try folder.wav(frames: 3000)
    let expected = try Command.run("encode", wav, "-").output
    #expect(try shell("\"$1\" encode <(cat '\(wav)') -").output == expected)
  }

  @Test("remux writes to a pipe what it writes to a file, in every layout", arguments: RemuxTests.layouts)
  func remuxToPipe(layout: String) throws {
    try #require(try Command.run("remux", Demo.path, folder.path("out.mp4"), "--layout", layout).status == 0)
    let result = try shell("cd \"$2\" && \"$1\" remux '\(Demo.path)' - --layout \(layout) | cat")
    #expect(try result.output == data("out.mp4"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["out.mp4"])
  }

  @Test("what remux writes to a pipe plays from the pipe", .needs(.ffprobe))
  func probedPipe() throws {
    let probe = "ffprobe -v error -show_entries stream=codec_type -of csv=p=0 -"
    for layout in ["fast-start", "fragmented"] {
      let result = try shell("\"$1\" remux '\(Demo.path)' - --layout \(layout) 2>/dev/null | \(probe)")
      let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
      let kinds = Set(lines).intersection(["audio", "video"])
      #expect(
        result.errors.isEmpty && kinds == ["audio", "video"], "\(result.errors)")
    }
  }

  @Test(
    "a reader that has had enough ends the command without a word, ignored signal or not",
    arguments: ["", "trap '' PIPE;"])
  func closedPipe(before: String) throws {
    for words in ["decode '\(Demo.path)' -", "packets --json '\(Demo.path)'"] {
      // Many times over, so that it is more than a pipe holds.
      let result = try shell(
        "\(before) for i in 1 2 3 4; do \"$1\" \(words); done | head -c 100; echo \" ${PIPESTATUS[0]}\"")
      #expect(result.errors.isEmpty, "\(words): \(result.errors)")
      let status = String(decoding: result.output, as: UTF8.self).split(separator: " ").last.map(String.init) ?? ""
      #expect(["141\n", "0\n"].contains(status), "\(words): \(status)")
    }
  }

  @Test("Ctrl-C ends a pipe that is encoded, and the file is finished with all that came")
  func interruptedPipe() throws {
    let wav = try beginning(frames: 9000)
    for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
      let (process, pipe) = try encoding(to: folder.path("out.m4a"))
      defer { close(pipe) }
      put(wav, into: pipe)
      process.send(signal)
      #expect(process.wait() == status, "\(process.errors)")
      #expect(process.errors.contains("holds everything that had arrived"))
      let decoded = try Command.run("decode", folder.path("out.m4a"), "-")
      #expect(decoded.status == 0 && decoded.errors.contains(" 9000 frames"), "\(decoded.errors)")
    }
  }

  @Test("Ctrl-C before a header came is said as such, and leaves no file")
  func interruptedHeader() throws {
    let (process, pipe) = try encoding(to: folder.path("out.m4a"))
    defer { close(pipe) }
    put(Data("RIFF".utf8), into: pipe)
    process.send(SIGINT)
    #expect(process.wait() == 130)
    #expect(process.errors.contains("stopped before"), "\(process.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.m4a")))
  }

  @Test("one Ctrl-C is enough while a pipe has no reader, or one that does not read, or no writer")
  func waiting() throws {
    // More sound than a pipe holds.
    let wav = try folder.wav(frames: 100_000)
    let lonely = folder.path("lonely")
    try #require(unsafe mkfifo(lonely, 0o600) == 0)
    let full = try folder.openPipe("full", O_NONBLOCK)
    defer { close(full) }
    for (words, output) in [
      (["decode", wav, lonely], nil), (["decode", lonely, folder.path("out.wav")], nil),
      (["decode", wav, "-"], folder.path("full")),
    ] as [([String], String?)] {
      let process = try BackgroundProcess(Command.path, words, output: output)
      #expect(process.waitUntilAsleep(), "\(words)")
      process.send(SIGTERM)
      #expect(process.wait() == 143, "\(words): \(process.errors)")
      #expect(process.errors.contains("stopped"), "\(words): \(process.errors)")
    }
  }

  @Test("a signal that ends a pipe ends the wait for somebody who takes what came, too", arguments: [SIGINT, SIGHUP])
  func waitingWithInput(signal: Int32) throws {
    let full = try folder.openPipe("full", O_NONBLOCK)
    defer { close(full) }
    let name = folder.path("slow")
    let slow = try folder.openPipe("slow")
    defer { close(slow) }
    let process = try BackgroundProcess(
      Command.path, ["decode", "--raw", "s16le:8000:1", name, "-"], output: folder.path("full"))
    // More than the output's pipe holds, in pieces that the input's holds.
    for _ in 0..<3 { put(Data(count: 30_000), into: slow) }
    #expect(process.waitUntilAsleep())
    process.send(signal)
    #expect(process.wait() == 128 + signal, "\(process.errors)")
    #expect(process.errors.contains("stopped; standard output is incomplete"), "\(process.errors)")
  }

  @Test("what comes through a pipe is played")
  func playedPipe() throws {
    let wav = try folder.wav(frames: 3000)
    for source in ["cat '\(wav)'", "\"$1\" encode '\(wav)' -"] {
      let result = try shell("\(source) | \"$1\" play - --device null")
      #expect(result.status == 0 && result.errors.contains("played up to 0:00.0"), "\(result.errors)")
    }
  }

  @Test("sound that comes through a pipe leaves as packets at once")
  func flowing() throws {
    let wav = try beginning(frames: 15_000)
    let (process, pipe) = try encoding(to: "-")
    defer { close(pipe) }
    put(wav, into: pipe)
    // 15 000 frames are 14 packets and a piece of one. The first waits for the sound of ten; the last come once the
    // pipe has ended.
    #expect(waitUntil { frames(process.outputBytes) >= 6 }, "\(frames(process.outputBytes)) packets")
    process.send(SIGINT)
    #expect(process.wait() == 130)
    #expect(frames(process.outputBytes) == 16)
  }

  /// ADTS frames in a row.
  private func frames(_ bytes: Data) -> Int {
    var (count, place) = (0, 0)
    while place + 7 <= bytes.count {
      let length = Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5]) >> 5
      guard bytes[place] == 0xFF, length > 7 else { return -1 }
      place += length
      if place <= bytes.count { count += 1 }
    }
    return count
  }

  /// So many frames of a WAVE file that is twice as long: whoever reads them waits for the rest.
  private func beginning(frames: Int) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: try folder.wav(frames: 2 * frames))).dropLast(4 * frames)
  }

  /// Starts to encode a pipe, which stays open.
  private func encoding(to output: String) throws -> (BackgroundProcess, pipe: Int32) {
    let name = "pipe-\(UUID().uuidString)"
    let pipe = try folder.openPipe(name)
    return (try BackgroundProcess(Command.path, ["encode", folder.path(name), output, "--bitrate", "64000"]), pipe)
  }

  /// Writes to a pipe, and waits until all of it was taken out.
  private func put(_ bytes: Data, into pipe: Int32) {
    let written = unsafe bytes.withUnsafeBytes { unsafe write(pipe, $0.baseAddress, $0.count) }
    #expect(written == bytes.count)
    let isTaken = waitUntil {
      var left: Int32 = 1
      return unsafe ioctl(pipe, UInt(FIONREAD), &left) == 0 && left == 0
    }
    #expect(isTaken)
  }
}
