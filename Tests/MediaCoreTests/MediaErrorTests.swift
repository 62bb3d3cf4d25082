import MediaCore
import TestSupport
import Testing

@Suite(.inTurn) struct MediaErrorTests {
  /// An error with everything in it.
  private struct Whole: MediaError {
    var code: Int { 7 }
    var kind: MediaErrorKind { .badData }
    var file = "tune.mp4"
    var location = MediaErrorLocation(trackID: 2, path: "moov/trak", field: "duration", offset: 4711)
    var reason: String { "makes no sense" }
    var recoverySuggestion: String? { "ask who made it" }
  }

  /// One that passes on another.
  private struct Passing: MediaError {
    let inner: any MediaError
    var code: Int { 8 }
    var kind: MediaErrorKind { inner.kind }
    var file: String { "outer.mp4" }
    var location: MediaErrorLocation { MediaErrorLocation(packet: 3) }
    var reason: String { "passed on" }
    var recoverySuggestion: String? { nil }
    var underlying: (any MediaError)? { inner }
  }

  @Test("an error is one line: file, place, what happened, what to do")
  func line() {
    #expect(
      Whole().description == "tune.mp4: track 2: moov/trak.duration at byte 4711: makes no sense; ask who made it")
    #expect(
      Whole(location: MediaErrorLocation(packet: 3, offset: 20)).description.hasPrefix("tune.mp4: packet 3, byte 20: "))
    #expect(Whole(file: "", location: MediaErrorLocation()).description == "makes no sense; ask who made it")
  }

  @Test("an error that passes on another says what that one says, through any number of them")
  func underlying() {
    let error = Passing(inner: Passing(inner: Whole()))
    #expect(error.description == Whole().description)
    #expect(error.root is Whole)
  }

  @Test("a program can name the file that the library does not know, and its own way out")
  func message() {
    #expect(
      Whole(file: "", location: MediaErrorLocation()).message(file: "a.mp4") == "a.mp4: makes no sense; ask who made it"
    )
    #expect(
      Whole(location: MediaErrorLocation()).message(file: "a.mp4", suggestion: "--force")
        == "tune.mp4: makes no sense; --force")
  }

  @Test(
    "an error's line is one line and drives no terminal, whatever the file is called",
    arguments: [
      ("a\nb", "a\\nb"), ("a\r\u{1B}[2Jb", "a\\r\\u{1b}[2Jb"), ("a\u{9B}2Jb", "a\\u{9b}2Jb"), ("a\u{7F}b", "a\\u{7f}b"),
      ("a\u{202E}4pm.b", "a\\u{202e}4pm.b"), ("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}"),
      ("a\u{200F}\u{061C}b", "a\\u{200f}\\u{61c}b"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
      ("a\u{85}b\tc", "a\\u{85}b\\tc"), ("Sørens ‘Fünf’ 五 👩‍🎤.mp4", "Sørens ‘Fünf’ 五 👩‍🎤.mp4"),
    ])
  func safeName(name: String, shown: String) {
    #expect(SourceError(.notFound, name: name).description == shown + ": no such file")
    #expect(SinkError(.exists, name: name).description.hasPrefix(shown + ": "))
  }

  @Test(
    "characters that cannot be seen are escaped, wherever they hide",
    arguments: [
      ("a\u{200B}b", "a\\u{200b}b"), ("\u{FEFF}a", "\\u{feff}a"), ("a\u{2060}\u{2064}b", "a\\u{2060}\\u{2064}b"),
      ("a\u{200C}\u{200D}b", "a\\u{200c}\\u{200d}b"), ("a\u{AD}b", "a\\u{ad}b"), ("a\u{3164}", "a\\u{3164}"),
      ("a\u{E0041}\u{E007F}", "a\\u{e0041}\\u{e007f}"), ("a\u{FE0F}1\u{FE0F}", "a\\u{fe0f}1\\u{fe0f}"),
      ("a\u{E0100}", "a\\u{e0100}"), ("🎵\u{200D}", "🎵\\u{200d}"), ("❤️\u{FE0F}", "❤️\\u{fe0f}"),
      ("🏴\u{E0068}\u{E0069}", "🏴\\u{e0068}\\u{e0069}"), ("می\u{200C}\u{200C}خ", "می\\u{200c}\\u{200c}خ"),
    ])
  func invisible(name: String, shown: String) {
    #expect(SourceError(.notFound, name: name).description == shown + ": no such file")
  }

  @Test(
    "characters that make emoji, forms of ideographs and joined letters stay",
    arguments: ["👨‍👩‍👧‍👦", "🏳️‍🌈", "👩🏽‍🎤", "❤️‍🔥", "1️⃣", "©️", "☎︎", "🇫🇷", "葛\u{E0100}", "می‌خواهم", "क्‍ष"])
  func joined(name: String) {
    #expect(SourceError(.notFound, name: name).description == name + ": no such file")
  }

  @Test("bytes of a name that are not UTF-8 are shown as the replacement character, never as they are")
  func invalidName() {
    // 0x9B alone is CSI to a terminal that reads Latin-1.
    let name = String(decoding: [0x61, 0x9B, 0xFF, 0x62] as [UInt8], as: UTF8.self)
    #expect(
      Array(SourceError(.notFound, name: name).description.utf8) == Array("a\u{FFFD}\u{FFFD}b: no such file".utf8))
  }

  @Test("the library says nothing in the words of a command")
  func noOptions() {
    let errors: [any MediaError] = [SinkError(.exists, name: "a"), SinkError(.writeFailed(28), name: "a")]
    for error in errors { #expect(!error.description.contains("--")) }
  }
}
