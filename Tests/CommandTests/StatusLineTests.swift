import Foundation
import TestSupport
import Testing

@testable import Lyrebird
@testable import lyrebird_cli

/// Progress, level and position: one line that fits, whatever the terminal.
@Suite(.alone) struct StatusLineTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The text without its styles.
  private func plain(_ text: String) -> String { text.replacing(/\u{1B}\[\d+m/, with: "") }

  @Test("progress fits terminals of 1 to 300 columns, and says more the wider they are")
  func progressFits() {
    for columns in 1...300 {
      let line = plain(Progress.fields("remux", 0.5, bytes: 123_456_789, seconds: 10).line(columns: columns))
      // Each of these characters takes one column.
      #expect(line.count <= columns, "\(columns): \(line)")
    }
    func line(_ columns: Int) -> String {
      plain(Progress.fields("remux", 0.5, bytes: 123_456_789, seconds: 10).line(columns: columns))
    }
    #expect(line(9) == " 50 %")
    #expect(line(39) == "remux  ━━━━━━━───────   50 %  0:10 left")
    #expect(line(79) == "remux  ━━━━━━━━━━━━━━━━━─────────────────   50 %   123 MB  12.3 MB/s  0:10 left")
    #expect(line(199).count == "remux  ".count + 48 + "   50 %   123 MB  12.3 MB/s  0:10 left".count)
  }

  @Test("progress of an input without an end tells bytes and the time gone by, no percentage and no time left")
  func progressWithoutEnd() {
    let line = Progress.fields("encode", nil, bytes: 1_764_000, seconds: 10).line(columns: 80)
    #expect(line == "encode   1.8 MB   176 kB/s  0:10")
  }

  @Test("a recording shows a bar for each channel up to its peak, fits 20 to 300 columns, and tells of clipping")
  func level() throws {
    var options = Recorder.Options()
    options.format = AudioFormat(sampleRate: 8000, sampleFormat: .int16, layout: .stereo)
    let recorder = try Recorder(from: "tone:440", to: folder.path("a.wav"), options: options)
    var status = recorder.status
    status.level = AudioLevel(channels: [.init(peak: 1, rms: 0.5), .init(peak: 0.0316228, rms: 0.01)])
    status.summary.frames = 8000 * 75
    func line(_ columns: Int) -> String {
      plain(LevelMeter.fields(status, sampleRate: 8000, name: "a.wav").line(columns: columns))
    }
    // 0 dB fills a bar, and -30 dB half of it.
    #expect(line(54) == "●  1:15  ━━━━━━━━━━  ━━━━━─────     0 dB        a.wav")
    status.hasClipped = true
    #expect(line(54) == "●  1:15  ━━━━━━━━━━  ━━━━━─────     0 dB  CLIP  a.wav")
    #expect(line(39) == "●  1:15  ━━━━━━━━━━━  ━━━━━━─────  CLIP")
    for columns in 20...300 { #expect(line(columns).count <= columns && line(columns).contains("1:15")) }
    #expect(line(300).filter { "━─".contains($0) }.count == 96)
    status.isPaused = true
    #expect(line(80).contains("❚❚ 1:15") && line(80).contains("paused") && !line(80).contains("━"))
  }

  @Test("columns are counted as terminals count them: ideographs two, combining marks none, emoji two")
  func widths() {
    let known: [(String, Int)] = [
      ("abc", 3), ("春の歌", 6), ("e\u{301}", 1), ("한국어", 6), ("\u{1112}\u{1161}\u{11AB}", 2), ("ｆｕｌｌ", 8),
      ("👍", 2), ("👩‍🚀", 2), ("❤️", 2), ("\u{200B}", 0), ("━─●▶", 4), ("a\u{0007}b", 2), ("", 0), ("日本.m4a", 8),
    ]
    for (text, columns) in known { #expect(DisplayWidth.of(text) == columns, "\(text)") }
    #expect(DisplayWidth.fitted("春の歌", columns: 6) == "春の歌")
    #expect(DisplayWidth.fitted("春の歌", columns: 5) == "春の…")
    #expect(DisplayWidth.fitted("春の歌", columns: 4) == "春…")
    #expect(DisplayWidth.fitted("春の歌", columns: 0) == "")
  }

  @Test(
    "record and play redraw one line in place on a narrow terminal, and never fill the last column",
    arguments: [10, 40, 80, 200])
  func oneLine(columns: Int) throws {
    for words in [
      ["record", folder.path("春の歌.wav"), "--device", "tone:440"], ["play", try folder.minute(), "--device", "null"],
    ] {
      let terminal = try PseudoTerminal(columns: columns)
      let process = try BackgroundProcess(Command.path, words, terminal: terminal)
      #expect(terminal.waitUntil(shows: "0:00") && terminal.waitUntil(shows: "0:01"), "\(terminal.screen.lines)")
      #expect(terminal.screen.lines.count == 1 && terminal.screen.fullLines == 0, "\(terminal.screen.lines)")
      #expect(terminal.screen.unknown.isEmpty)
      process.end()
    }
  }

  @Test("in the end the status line is taken away, and what was done stands in its place")
  func end() throws {
    let terminal = try PseudoTerminal(columns: 200)
    let words = ["record", folder.path("a.wav"), "--device", "tone:440", "--duration", "0.5"]
    #expect(try BackgroundProcess(Command.path, words, terminal: terminal).wait() == 0)
    #expect(terminal.waitUntil(shows: "0:00.500, 22050 frames"))
    #expect(terminal.screen.lines == ["\(folder.path("a.wav")): 0:00.500, 22050 frames", ""])
  }

  @Test("a terminal that is made narrower while something plays is never written beyond its edge")
  func resized() throws {
    let sound = try folder.minute()
    let terminal = try PseudoTerminal(columns: 120)
    let process = try BackgroundProcess(Command.path, ["play", sound, "--device", "null"], terminal: terminal)
    terminal.waitUntil(shows: "0:00 / 1:00")
    terminal.resize(columns: 30)
    // What was on its way when the window changed may have been for the old one.
    waitUntil { (terminal.screen.lines.first ?? "").count < 30 }
    let before = terminal.screen.fullLines
    #expect(terminal.waitUntil(shows: "0:01 / 1:00"))
    #expect(terminal.screen.fullLines == before && terminal.screen.lines.count <= 2)
    process.end()
  }
}
