import Foundation
import TestSupport
import Testing

@testable import lyrebird_cli

/// Keys at a terminal, and the terminal afterwards.
@Suite(.alone, .serialized) struct KeyTests {
  private let folder: TemporaryFolder
  private let terminal: PseudoTerminal

  init() throws {
    folder = try TemporaryFolder()
    terminal = try PseudoTerminal()
  }

  /// Plays a minute of silence to nobody.
  private func play() throws -> BackgroundProcess {
    let process = try BackgroundProcess(
      Command.path, ["play", try folder.minute(), "--device", "null"], terminal: terminal)
    #expect(terminal.waitUntil(shows: "/ 1:00"), "\(terminal.screen.lines)")
    #expect(waitUntil { !terminal.isLineByLine }, "keys come at once")
    return process
  }

  /// The seconds that are shown.
  private var position: Int? {
    let match = terminal.screen.lines.last?.firstMatch(of: /(\d):(\d\d) \/ 1:00/)
    return match.flatMap { match in Int(match.1).flatMap { minutes in Int(match.2).map { 60 * minutes + $0 } } }
  }

  @Test("space pauses and goes on, and the position stands still meanwhile")
  func pause() throws {
    let process = try play()
    terminal.press(" ")
    #expect(terminal.waitUntil(shows: "❚❚"))
    let before = try #require(position)
    usleep(1_300_000)
    #expect(position == before)
    terminal.press(" ")
    #expect(waitUntil { (position ?? 0) > before })
    process.end()
  }

  @Test("arrow keys go five seconds forward and back, one for each time they are pressed")
  func seek() throws {
    let process = try play()
    terminal.press(" ")
    #expect(terminal.waitUntil(shows: "❚❚"))
    let begin = try #require(position)
    terminal.press("\u{1B}[C\u{1B}[C\u{1B}[C\u{1B}[C")
    #expect(waitUntil { position == begin + 20 }, "\(terminal.screen.lines)")
    terminal.press("\u{1B}[D\u{1B}OD")
    #expect(waitUntil { position == begin + 10 }, "\(terminal.screen.lines)")
    process.end()
  }

  @Test("up, down, 9 and 0 change the volume, between 0 and 100 %")
  func volume() throws {
    let process = try play()
    #expect(terminal.waitUntil(shows: "vol 100 %"))
    terminal.press("9\u{1B}[B")
    #expect(terminal.waitUntil(shows: "vol 90 %"))
    terminal.press("0")
    #expect(terminal.waitUntil(shows: "vol 95 %"))
    terminal.press("00\u{1B}[A")
    #expect(terminal.waitUntil(shows: "vol 100 %"))
    terminal.press(String(repeating: "9", count: 25))
    #expect(terminal.waitUntil(shows: "vol 0 %"))
    process.end()
  }

  @Test("space pauses a recording, which has nothing of the pause in it, and q ends it with status 0")
  func record() throws {
    let path = folder.path("a.wav")
    let process = try BackgroundProcess(Command.path, ["record", path, "--device", "tone:440"], terminal: terminal)
    let begin = ContinuousClock.now
    #expect(terminal.waitUntil(shows: "●  0:01"), "\(terminal.screen.lines)")
    terminal.press(" ")
    #expect(terminal.waitUntil(shows: "❚❚") && terminal.waitUntil(shows: "paused"))
    let paused = ContinuousClock.now
    // What was on its way when the key was pressed still arrives.
    usleep(300_000)
    let before = terminal.screen.lines
    usleep(1_500_000)
    #expect(terminal.screen.lines == before)
    let pause = paused.duration(to: .now)
    terminal.press(" ")
    #expect(terminal.waitUntil(shows: "●"))
    terminal.press("q")
    #expect(process.wait() == 0, "\(terminal.screen.lines)")
    #expect(terminal.isLineByLine)
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect(Double(size) / 176_400 < (begin.duration(to: .now) - pause) / .seconds(1))
    #expect(Double(size) / 176_400 > 1)
  }

  @Test(
    "the terminal is as it was, whatever ends playing: q, Ctrl-C, kill, a closed terminal, Ctrl-\\",
    arguments: [("q", 0), ("\u{3}", 130), ("TERM", 143), ("HUP", 129), ("\u{1C}", 131)] as [(String, Int32)])
  func restored(ending: String, status: Int32) throws {
    let process = try play()
    #expect(waitUntil { terminal.screen.isCursorHidden })
    switch ending {
    case "TERM": process.send(SIGTERM)
    case "HUP": process.send(SIGHUP)
    default: terminal.press(ending)
    }
    #expect(process.wait() == status)
    #expect(terminal.isLineByLine)
    #expect(waitUntil { !terminal.screen.isCursorHidden })
    if ending == "q" { #expect(terminal.waitUntil(shows: "played up to 0:0")) }
  }

  @Test("an error while keys are commands leaves the terminal as it was, too")
  func restoredAfterError() throws {
    // The device's file is on a disk that is full from its first byte.
    let process = try BackgroundProcess(
      Command.path, ["play", try folder.minute(), "--device", "file:/dev/full"], terminal: terminal)
    #expect(process.wait() == 74, "\(terminal.screen.lines)")
    #expect(terminal.waitUntil(shows: "file:/dev/full: write failed: No space left on device"))
    #expect(terminal.isLineByLine && waitUntil { !terminal.screen.isCursorHidden })
  }

  @Test("Ctrl-Z gives the shell its terminal back, fg goes on with keys, and the pause was not played away")
  func suspended() throws {
    let shell = try BackgroundProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"],
      environment: ["PS1": "ready ", "PATH": "/usr/bin:/bin", "TERM": "xterm"],
      terminal: terminal)
    #expect(terminal.waitUntil(shows: "ready"))
    terminal.press(
      "bind 'set enable-bracketed-paste off'; '\(Command.path)' play '\(try folder.minute())' --device null\n")
    #expect(terminal.waitUntil(shows: "/ 1:00"), "\(terminal.screen.lines)")
    #expect(waitUntil { terminal.screen.isCursorHidden })
    terminal.press("\u{1A}")
    #expect(terminal.waitUntil(shows: "Stopped"), "\(terminal.screen.lines)")
    #expect(waitUntil { !terminal.screen.isCursorHidden })
    terminal.press("stty -a | grep -o ' .icanon\\| icanon'; echo told\n")
    #expect(terminal.waitUntil(shows: "told"))
    usleep(1_500_000)
    terminal.press("fg\n")
    #expect(waitUntil { terminal.screen.isCursorHidden }, "\(terminal.screen.lines)")
    #expect(waitUntil { position != nil })
    #expect((position ?? 60) < 6, "\(terminal.screen.lines)")
    terminal.press("q")
    #expect(terminal.waitUntil(shows: "played up to"), "\(terminal.screen.lines)")
    #expect(!terminal.screen.lines.contains { $0.contains("too slow") })
    shell.end()
  }

  @Test("a player in the background of a shell plays on, draws nothing and takes no keys")
  func background() throws {
    let shell = try BackgroundProcess(
      "/bin/bash", ["--norc", "--noprofile", "-i"],
      environment: ["PS1": "ready ", "PATH": "/usr/bin:/bin", "TERM": "xterm"],
      terminal: terminal)
    #expect(terminal.waitUntil(shows: "ready"))
    terminal.press("'\(Command.path)' play '\(try folder.minute())' --device null &\n")
    usleep(700_000)
    #expect(!terminal.screen.lines.contains { $0.contains("/ 1:00") })
    terminal.press("jobs\n")
    #expect(terminal.waitUntil(shows: "Running"), "\(terminal.screen.lines)")
    terminal.press("fg\n")
    #expect(waitUntil { position != nil }, "\(terminal.screen.lines)")
    terminal.press("q")
    #expect(terminal.waitUntil(shows: "played up to"))
    shell.end()
  }

  @Test("keys are keys while the sound comes from a pipe")
  func pipe() throws {
    let words = ["-c", "cat \"$2\" | \"$1\" play - --device null", "sh", Command.path, try folder.minute()]
    let shell = try BackgroundProcess("/bin/sh", words, terminal: terminal)
    #expect(terminal.waitUntil(shows: "/ 1:00"), "\(terminal.screen.lines)")
    #expect(waitUntil { !terminal.isLineByLine }, "keys come at once")
    terminal.press("9")
    #expect(terminal.waitUntil(shows: "vol 95 %"), "\(terminal.screen.lines)")
    terminal.press("q")
    #expect(terminal.waitUntil(shows: "played up to"), "\(terminal.screen.lines)")
    #expect(waitUntil { terminal.isLineByLine })
    shell.end()
  }

  @Test("where standard input is no terminal, what comes from it is no key")
  func noKeys() throws {
    let command = "printf 'qqq' | '\(Command.path)' play '\(Demo.path)' --device null --start 3.5"
    let result = try Tool.run("/bin/sh", ["-c", command])
    #expect(result.status == 0 && result.errors.contains("played up to 0:04.000"), "\(result.errors)")
  }

  @Test("keys are found in what a terminal sends, however it is cut")
  func decoding() {
    let known: [(String, [Key])] = [
      (" ", [.pause]), ("q", [.quit]), ("\u{1B}[C", [.right]), ("\u{1B}OD", [.left]), ("\u{1B}[1;5C", [.right]),
      ("\u{1B}[A\u{1B}[B", [.louder, .quieter]), ("90", [.quieter, .louder]), ("\u{1B}\u{1B}[C", [.right]),
      ("\u{1B}q", []), ("\u{1B}[200~x", []), ("é", []), ("\u{1B}[", []), ("\u{1B}[15~ ", [.pause]),
    ]
    for (text, keys) in known {
      var whole = KeyDecoder()
      #expect(whole.keys(text.utf8) == keys, "\(text.debugDescription)")
      var single = KeyDecoder()
      #expect(text.utf8.flatMap { single.keys([$0]) } == keys, "\(text.debugDescription)")
    }
  }
}

extension TemporaryFolder {
  /// A minute of silence as a WAVE file: 8 kHz, mono, 16 bit.
  func minute() throws -> String {
    let path = path("minute.wav")
    var bytes = Data("RIFF".utf8)
    func append(_ value: UInt32, _ count: Int) {
      for byte in 0..<count { bytes.append(UInt8(value >> (8 * byte) & 0xFF)) }
    }
    append(36 + 960_000, 4)
    bytes += Data("WAVEfmt ".utf8)
    for (value, count) in [(16, 4), (1, 2), (1, 2), (8000, 4), (16_000, 4), (2, 2), (16, 2)] as [(UInt32, Int)] {
      append(value, count)
    }
    bytes += Data("data".utf8)
    append(960_000, 4)
    bytes += Data(count: 960_000)
    try bytes.write(to: URL(fileURLWithPath: path))
    return path
  }
}
