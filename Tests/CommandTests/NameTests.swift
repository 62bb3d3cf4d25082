import Foundation
import TestSupport
import Testing

/// Names of files that would drive a terminal, or read otherwise than they are, if they were printed as they are.
@Suite(.inTurn) struct NameTests {
  /// A name each: escape sequences in 7 and in 8 bits, line ends, turned writing, line separators, invisible letters.
  private static let names = [
    "a\u{1B}]0;owned\u{7}\u{1B}[2Jb", "a\u{9B}31mb", "a\nlyrebird: all is well", "a\rb", "a\u{202E}4pm.b",
    "a\u{2066}b\u{2069}",
    "a\u{200F}\u{061C}b", "a\u{2028}b", "a\u{85}b\u{7F}", "a\u{200B}\u{FEFF}\u{2060}b\u{E0041}",
  ]

  /// What must not be in anything that is printed: control characters but for line ends, what turns writing, what
  /// hides.
  private func findBad(_ bytes: Data) -> [Unicode.Scalar] {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x0A: false
      case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
      case 0xE0000...0xE0FFF: true
      default: false
      }
    }
  }

  private func lines(_ data: Data) -> Int { data.split(separator: 0x0A).count }

  @Test("names of files are printed safely, in results, messages and errors", arguments: names)
  func files(name: String) throws {
    let (folder, movie) = try Demo.movie()
    let evil = folder.path(name + ".mp4")
    try FileManager.default.copyItem(atPath: movie, toPath: evil)
    let sound = folder.path(name + ".aac")
    let plain = try Tool.run(Command.path, ["info", movie])
    for words in [
      ["info", evil], ["info", "--json", evil], ["boxes", evil], ["boxes", "--json", evil], ["packets", evil],
      ["extract", evil, sound], ["info", sound], ["info", "--json", sound],
      ["remux", evil, folder.path(name + ".out.mp4")],
      ["faststart", evil], ["decode", evil, folder.path(name + ".wav")],
    ] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status == 0, "\(words): \(result.errors)")
      #expect(findBad(result.output) == [] && findBad(Data(result.errors.utf8)) == [], "\(words)")
      if words == ["info", evil] { #expect(lines(result.output) == lines(plain.output)) }
      if words[0] == "extract" || words[0] == "remux" { #expect(lines(Data(result.errors.utf8)) == 1) }
    }
  }

  @Test("errors about such names are one line, whoever has them", arguments: names)
  func errors(name: String) throws {
    let (folder, movie) = try Demo.movie()
    let junk = folder.path(name)
    try Data("no".utf8).write(to: URL(fileURLWithPath: junk))
    for words in [
      ["info", folder.path(name + "x")], ["info", junk], ["extract", junk, "-"], ["boxes", junk],
      ["decode", junk, "-"],
      ["extract", movie, folder.path(name + "/x.aac")], ["extract", movie, junk, "--no-clobber"],
      ["encode", junk, "x.m4a"],
      ["remux", junk, folder.path("out.mp4")], ["faststart", junk], ["packets", movie, "--track", "77"],
      ["record", folder.path(name) + "\u{9B}.ogg"], ["play", movie, "--device", name],
    ] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status != 0 && result.status < 128, "\(words)")
      #expect(findBad(Data(result.errors.utf8)) == [] && findBad(result.output) == [], "\(words)")
      #expect(lines(Data(result.errors.utf8)) == 1, "\(words): \(result.errors)")
    }
  }

  @Test("arguments that the parser repeats are printed safely", arguments: names)
  func arguments(name: String) throws {
    for words in [["info", "a", name], ["info", "--" + name], ["remux", "a", "b", "--layout", name], [name]] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status == 64 || result.status == 66, "\(words)")
      #expect(findBad(Data(result.errors.utf8)) == [] && !result.errors.contains("\nlyrebird: all is well"), "\(words)")
    }
  }

  @Test("bytes of a name that are no UTF-8 are not printed")
  func invalidName() throws {
    // 0x9B is CSI to a terminal of 8 bits; an argument is bytes, which only a shell can make here.
    let result = try Tool.run("/bin/sh", ["-c", "exec \"$0\" info \"$(printf 'a\\233\\377b')\"", Command.path])
    #expect(result.status == 64)
    #expect(
      result.errors.hasPrefix("lyrebird: a\u{FFFD}\u{FFFD}b: this argument is not valid UTF-8"), "\(result.errors)")
  }

  @Test("JSON escapes what a terminal would act on, and reads back as it was")
  func json() throws {
    let (folder, movie) = try Demo.movie()
    let evil = folder.path("\u{9B}2J\u{202E}\"\\\u{1F}\u{2028}\u{200B}\u{E0041}é五🎵👩‍🎤.mp4")
    try FileManager.default.copyItem(atPath: movie, toPath: evil)
    let result = try Command.run("info", "--json", evil)
    let object = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(object["file"] as? String == evil)
    #expect(result.text.contains("\\u009b2J\\u202e\\\"\\\\\\u001f\\u2028\\u200b\\udb40\\udc41é五🎵👩‍🎤.mp4"))
  }

  @Test(
    "a file whose tags and name are hostile is described without harm",
    .needs(.corpus))
  func hostileFile() throws {
    let source = Shared.folder.appendingPathComponent("repro/evil.m4a").path
    let folder = try TemporaryFolder()
    for name in NameTests.names {
      let copy = folder.path(name + ".m4a")
      try FileManager.default.copyItem(atPath: source, toPath: copy)
      for words in [
        ["info", copy], ["info", "--json", copy], ["boxes", copy], ["boxes", "--json", copy], ["packets", copy],
      ] {
        let result = try Tool.run(Command.path, words)
        #expect(findBad(result.output) == [] && findBad(Data(result.errors.utf8)) == [], "\(words)")
      }
    }
  }
}
