import Foundation
import TestSupport
import Testing

@testable import lyrebird_cli

@Suite(.inTurn) struct CommandTests {
  @Test("the demo checks everything, and hears 440.0 Hz, the frequency that its microphone hums")
  func demo() throws {
    let folder = try TemporaryFolder()
    let result = try Command.run("demo", "--folder", folder.path("demo"), "--json", "--quiet")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let steps = try #require(object["steps"] as? [[String: Any]])
    #expect(
      steps.compactMap { $0["name"] as? String } == [
        "open", "demux", "boxes", "extract", "remux", "record", "play", "encode", "decode",
      ])
    #expect(steps.flatMap { $0["checks"] as? [String] ?? [] }.contains("it hums at 440.0 Hz"), "\(result.text)")
    #expect(FileManager.default.fileExists(atPath: folder.path("demo/demo.aac")))
  }

  @Test("the demo's estimate of a frequency is right for any phase and length")
  func demoFrequency() {
    for (hertz, phase, frames) in [(440.0, 0.3, 88_200), (439.5, 2.0, 10_001), (1000.25, 5.0, 44_100)] {
      let tone = (0..<frames).map { Float(0.6 * sin(2 * Double.pi * hertz * Double($0) / 44_100 + phase)) }
      #expect(abs(DemoSound.frequency(tone) - hertz) < 0.005)
    }
    // A busy machine leaves gaps: 200 ms of silence in the middle of a second of sound.
    let tone = (0..<44_100).map { Float(0.6 * sin(2 * Double.pi * 440 * Double($0) / 44_100)) }
    let gaps =
      tone[..<9000] + [Float](repeating: 0, count: 4410) + tone[9000..<20_003] + [Float](repeating: 0, count: 4410)
    #expect(abs(DemoSound.frequency(Array(gaps + tone[20_003...])) - 440) < 0.005)
    #expect(DemoSound.frequency([]) == 0 && DemoSound.frequency([-1, 1]) == 0)
  }

  @Test("the demo writes into a new folder of its own each time, whatever lies where it used to write")
  func demoFolder() throws {
    let folder = try TemporaryFolder()
    let victim = folder.path("victim")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
    let trap = folder.path("lyrebird-demo")
    try FileManager.default.createDirectory(atPath: trap, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: trap + "/demo.mp4", withDestinationPath: victim)
    var environment = ProcessInfo.processInfo.environment
    environment["TMPDIR"] = folder.url.path + "/"
    let run = try BackgroundProcess(Command.path, ["demo"], environment: environment)
    #expect(run.wait(seconds: 120) == 0, "\(run.errors)")
    #expect(run.output.contains("All good") && !run.output.contains("✗"))
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    let path = folder.path(try #require(names.first { $0.wholeMatch(of: /lyrebird-demo-\w{6}/) != nil }))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o700)
    #expect(run.output.contains("The files are in \(path).") && run.output.contains("rm -r \(path)\n"))
  }

  @Test("the demo takes a folder that is new or empty, and leaves one that is neither as it was")
  func demoFolderInUse() throws {
    let folder = try TemporaryFolder()
    let mine = folder.path("demo.mp4")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: mine))
    let result = try Command.run("demo", "--folder", folder.url.path)
    #expect(result.status == 73 && result.errors.contains("has files in it"), "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["demo.mp4"])
    #expect(try String(contentsOfFile: mine, encoding: .utf8) == "mine")
    try FileManager.default.removeItem(atPath: mine)
    #expect(try Command.run("demo", "--folder", folder.url.path).status == 0)
  }

  @Test("help and version say so when they cannot be printed")
  func fullOutput() throws {
    for words in ["--help", "--version", "help cut", "--generate-completion-script bash"] {
      let script = "\"$1\" \(words) > /dev/full"
      let result = try Tool.run("/bin/bash", ["-c", script, "bash", Command.path])
      #expect(result.status == 74 && result.errors.contains("No space left"), "\(words): \(result.errors)")
    }
    let unknown = try Command.run("help", "inof")
    #expect(unknown.status == 64 && unknown.errors.contains("lyrebird info"), "\(unknown.errors)")
  }

  @Test(
    "a near miss of a verb is answered with the verb that was meant, in one line and with status 64",
    arguments: [
      ("inof", "info"), ("plya", "play"), ("fast-start", "faststart"), ("rec", "record"), ("Info", "info"),
      ("encod", "encode"), ("decoed", "decode"), ("extrcat", "extract"), ("device", "devices"), ("remx", "remux"),
    ])
  func nearMiss(typed: String, meant: String) throws {
    let result = try Command.run(typed, "movie.mp4")
    #expect(result.status == 64)
    #expect(
      result.errors == "lyrebird: there is no command '\(typed)'; did you mean `lyrebird \(meant)`?\n",
      "\(result.errors)")
  }

  @Test("a word that is near no verb is not taken for one, and a file is taken for something to look into")
  func noVerb() throws {
    #expect(try Command.run("sing").errors.contains("`lyrebird --help` lists the commands"))
    #expect(try Command.run(Demo.path).errors.contains("did you mean `lyrebird info \(Demo.path)`?"))
    #expect(try Command.run("").status == 64)
    #expect(try Command.run("help", "info").status == 0)
    #expect(Suggestion.distance(Array("ca"), Array("abc")) == 3)
    #expect(Suggestion.distance(Array("inof"), Array("info")) == 1)
    #expect(Suggestion.distance([], Array("info")) == 4)
  }

  @Test("the words that complete what is half typed can be had for each shell", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let result = try Command.run("--generate-completion-script", shell)
    #expect(result.status == 0)
    for verb in CommandTests.subcommands { #expect(result.text.contains(verb)) }
    #expect(try Command.run("--help").text.contains("--generate-completion-script \(shell)"))
  }

  static let subcommands = [
    "demo", "info", "packets", "boxes", "extract", "remux", "faststart", "encode", "decode", "record", "play",
    "devices", "loudness", "waveform",
  ]

  @Test("every subcommand has help with examples, and the version", arguments: subcommands)
  func help(subcommand: String) throws {
    let result = try Command.run(subcommand, "--help")
    #expect(result.status == 0)
    #expect(result.text.contains("EXAMPLES:") && result.text.contains("USAGE: lyrebird \(subcommand)"))
    #expect(!result.text.contains("\(Int.max)"), "no default is a number that stands for something else")
    #expect(try Command.run(subcommand, "--version").text == Command.run("--version").text)
  }

  @Test("a wrong option is answered with the usage of its subcommand and where to read on", arguments: subcommands)
  func wrongOption(subcommand: String) throws {
    let result = try Command.run(subcommand, "--bogus", "a", "b")
    #expect(result.status == 64)
    #expect(result.errors.contains("Usage: lyrebird \(subcommand) ") && result.errors.contains("'--bogus'"))
    #expect(result.errors.contains("See 'lyrebird \(subcommand) --help'"))
  }

  @Test("wrong words are exit 64, a missing file 66, a folder 66")
  func usageAndInput() throws {
    #expect(try Command.run("info").status == 64)
    #expect(try Command.run("sing").status == 64)
    let folder = try TemporaryFolder()
    for subcommand in ["info", "packets", "boxes"] {
      let missing = try Command.run(subcommand, folder.path("missing.mp4"))
      #expect(missing.status == 66)
      #expect(missing.errors.contains("no such file"))
      #expect(try Command.run(subcommand, folder.url.path).status == 66)
    }
  }

  @Test("what holds no movie is told apart, in one line and with exit 65")
  func noMovie() throws {
    let folder = try TemporaryFolder()
    let kinds: [(String, [UInt8], String)] = [
      ("nothing", [], ": empty"),
      ("noise", Array(repeating: 0x55, count: 300), "neither a movie with an index (moov), nor AAC"),
      ("song", Array("ID3\u{4}\0\0\0\0\0\0".utf8), "an MP3 file, which is not supported; convert it first: ffmpeg"),
      (
        "picture", box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + box("meta", [0, 0, 0, 0]),
        "no movie in this file: it is a picture"
      ),
      (
        "segment", box("styp", Array("msdh\0\0\0\0msdh".utf8)) + box("moof", box("mfhd", [0, 0, 0, 0, 0, 0, 0, 1])),
        "no movie in this file: it is a media segment"
      ),
      (
        "cut", box("ftyp", Array("isom\0\0\0\0isom".utf8)) + [0, 1, 0, 0] + Array("mdat".utf8) + [1, 2, 3],
        "no movie in this file: it ends before its index (moov); it was cut short"
      ),
    ]
    for (name, bytes, word) in kinds {
      let file = folder.path(name)
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      for subcommand in ["info", "packets"] {
        let result = try Command.run(subcommand, file)
        #expect(result.status == 65, "\(name)")
        #expect(result.errors.contains(word), "\(result.errors)")
        #expect(result.errors.split(separator: "\n").filter { !$0.contains("warning") }.count == 1)
      }
    }
  }

  private func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    let size = UInt32(8 + payload.count)
    return unsafe withUnsafeBytes(of: size.bigEndian) { unsafe Array($0) } + Array(type.utf8) + payload
  }

  @Test("packets lists the whole samples of a cut file, then says what is missing")
  func packetsOfACutFile() throws {
    let (folder, movie) = try Demo.movie()
    defer { withExtendedLifetime(folder) {} }
    let whole = try Command.run("packets", "--json", movie)
    let cut = folder.path("cut.mp4")
    try Data(contentsOf: URL(fileURLWithPath: movie)).prefix(30_000).write(to: URL(fileURLWithPath: cut))
    let result = try Command.run("packets", "--json", cut)
    #expect(result.status == 65)
    #expect(result.errors.contains("bytes are missing"), "\(result.errors)")
    let (all, kept) = (Set(whole.text.split(separator: "\n")), result.text.split(separator: "\n"))
    #expect(kept.count > 10 && kept.count < all.count)
    #expect(kept.allSatisfy(all.contains))
  }

  @Test("packets as text and as JSON say the same")
  func packetsTextEqualsJSON() throws {
    let movie = Demo.path
    let lines = try Command.run("packets", movie).text.split(separator: "\n").dropFirst()
    let objects = try Command.run("packets", "--json", movie).text.split(separator: "\n")
    #expect(lines.count == 272 && objects.count == 272)
    for (line, object) in zip(lines, objects) {
      let words = line.split(separator: " ")
      let sync = words.count == 7
      let again =
        "{\"track\":\(words[0]),\"dts\":\(words[1]),\"pts\":\(words[2]),\"duration\":\(words[3]),"
        + "\"size\":\(words[4]),\"offset\":\(words[5]),\"sync\":\(sync)}"
      #expect(again == object)
    }
  }

  @Test(
    "Ctrl-C and kill stop long work with 130 and 143", arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func signals(signal: Int32, status: Int32) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let short = try Command.run("extract", Demo.path, "-").output
    let long = folder.path("long.aac")
    try Data((0..<200).map { _ in short }.joined()).write(to: URL(fileURLWithPath: long))
    let pipe = try folder.openPipe("pipe", O_NONBLOCK)
    defer { close(pipe) }
    // Prints far more than a pipe holds: the command is in the middle of its work for as long as nobody reads.
    let command = try BackgroundProcess(Command.path, ["packets", "--json", long], output: folder.path("pipe"))
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    #expect(waitUntil { unsafe read(pipe, &bytes, 1) == 1 })
    command.send(signal)
    // The rest is read, so that the write that was under way can end.
    waitUntil {
      while unsafe read(pipe, &bytes, bytes.count) > 0 {}
      return !command.isRunning
    }
    #expect(command.wait() == status)
  }
}
