import Foundation
import TestSupport
import Testing

@testable import lyrebird_cli

/// Options that many verbs share.
@Suite(.inTurn) struct OptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("times are read as people write them: seconds, minutes and hours")
  func times() {
    let known: [(String, Double?)] = [
      ("90", 90), ("1.5", 1.5), (".5", 0.5), ("5.", 5), ("1:30", 90), ("0:05.25", 5.25), ("1:02:03.5", 3723.5),
      ("90:00", 5400), ("100:00:00", 360_000), ("", nil), (":", nil), ("1:", nil), (":30", nil), ("1:60", nil),
      ("1:2:60", nil), ("1:60:00", nil), ("1:2:3:4", nil), ("-1", nil), ("+1", nil), ("1e3", nil), ("inf", nil),
      ("nan", nil), ("1.2.3", nil), ("1:.5", 60.5), ("1.5:00", nil), ("٣", nil), (".", nil), ("1 ", nil),
      ("9999999999999999999:00", nil), ("277777:46:39", 999_999_999), ("277777:46:40", nil), ("9999999:00:00", nil),
    ]
    for (text, seconds) in known { #expect(TimeSpan(argument: text)?.seconds == seconds, "\(text)") }
  }

  @Test("an option that would do nothing is refused")
  func uselessOptions() throws {
    let out = folder.path("out")
    for words in [
      ["encode", Demo.path, out + ".m4a", "--true-peak", "-2"],
      ["encode", Demo.path, out + ".aac", "--layout", "moov-last"],
      ["split", Demo.path, out + "%d.mp4", "--every", "1", "--below", "-40"],
      ["split", Demo.path, out + "%d.mp4", "--every", "1", "--quiet-for", "2"],
      ["record", out + ".wav", "--bitrate", "64k"], ["waveform", Demo.path, out + ".json", "--width", "300"],
      ["waveform", Demo.path, out + ".svg", "--bits", "8"], ["chapters", Demo.path, "--no-clobber"],
      ["split", Demo.path, out + "%d.mp4", "--silence", "--quiet-for", "0"],
      ["waveform", Demo.path, out + ".json", "--pixels-per-second", "48001"],
    ] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status == 64, "\(words.dropFirst(3)): \(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    // A level is negative, and needs no "=".
    let below = try Command.run("split", Demo.path, out + "%d.mp4", "--silence", "--below", "-40", "--dry-run")
    #expect(below.status == 65 && below.errors.contains("no place to divide"), "\(below.errors)")
  }

  @Test("bit rates are read as bits and as thousands of bits, whole ones only")
  func bitRates() {
    let known: [(String, Int?)] = [
      ("96000", 96_000), ("96k", 96_000), ("128K", 128_000), ("0", nil), ("0k", nil), ("", nil), ("k", nil),
      ("0.096M", nil), ("1.5k", nil), ("-96k", nil), ("96kb", nil), ("9223372036854775807", .max),
      ("9223372036854775807k", nil), ("99999999999999999999", nil),
    ]
    for (text, bits) in known { #expect(BitRate(argument: text)?.bitsPerSecond == bits, "\(text)") }
  }

  @Test("a bit rate without its unit is refused, with the one that was meant")
  func bitRateWithoutUnit() throws {
    for words in [["encode", Demo.path, folder.path("a.m4a")], ["record", folder.path("a.m4a"), "--duration", "1"]] {
      let result = try Command.run(words + ["--bitrate", "96"])
      #expect(result.status == 64)
      #expect(result.errors.contains("--bitrate 96 is 96 bits per second. Did you mean 96k?"), "\(result.errors)")
    }
  }

  @Test("each verb that takes a time takes minutes and seconds, and says how where it does not understand")
  func timesOfVerbs() throws {
    let wav = folder.path("a.wav")
    let record = try Command.run("record", wav, "--device", "tone:440", "--duration", "0:00.25", "--json")
    #expect(record.status == 0 && record.text.contains("\"frames\":11025,"), "\(record.errors)")
    #expect(try Command.run("play", wav, "--device", "null", "--start", "0:00.2").status == 0)
    #expect(
      try Command.run("remux", Demo.path, folder.path("a.mp4"), "--layout", "fragmented", "--fragment", "0:01").status
        == 0)
    for words in [
      ["record", folder.path("b.wav"), "--duration", "1:99"], ["play", wav, "--start", "abc"],
      ["record", folder.path("b.wav"), "--duration", "99999999999999999999"],
      ["play", wav, "--start", "99999999999999999999"], ["play", wav, "--start", "9999999999:00:00"],
      ["remux", Demo.path, folder.path("b.mp4"), "--layout", "fragmented", "--fragment", "1m"],
      ["record", folder.path("b.wav"), "--duration", "0"],
    ] {
      let result = try Tool.run(Command.path, words)
      #expect(result.status == 64 && result.errors.contains(words[words.count - 2]), "\(words) \(result.errors)")
    }
    for name in ["b.wav", "b.mp4"] { #expect(!FileManager.default.fileExists(atPath: folder.path(name))) }
  }

  @Test("96k asks for as many bits as 96000 does")
  func bitRatesOfVerbs() throws {
    let wav = folder.path("a.wav")
    #expect(try Command.run("record", wav, "--device", "tone:440", "--duration", "0.3").status == 0)
    let outputs = try ["64k", "64000"].map { rate in
      let path = folder.path(rate + ".m4a")
      #expect(try Command.run("encode", wav, path, "--bitrate", rate).status == 0)
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
    #expect(outputs[0] == outputs[1])
    let wrong = try Command.run("encode", wav, folder.path("b.m4a"), "--bitrate", "0.096M")
    #expect(wrong.status == 64 && wrong.errors.contains("96k"), "\(wrong.errors)")
  }

  /// Every verb but the demo, which takes long, so that it has something to say.
  private func verbs() throws -> [[String]] {
    let (wav, movie) = (folder.path("a.wav"), folder.path("a.mp4"))
    #expect(try Command.run("record", wav, "--device", "tone:440", "--duration", "0.2").status == 0)
    #expect(try Command.run("remux", Demo.path, movie, "--layout", "moov-last").status == 0)
    return [
      ["info", movie], ["packets", movie], ["boxes", movie],
      ["extract", movie, folder.path("b.aac")], ["remux", movie, folder.path("b.mp4")],
      ["encode", wav, folder.path("b.m4a")], ["decode", movie, folder.path("b.wav")],
      ["record", folder.path("c.wav"), "--device", "tone:440", "--duration", "0.1"],
      ["play", wav, "--device", "null"], ["devices"], ["loudness", movie],
      ["waveform", movie, folder.path("b.json")], ["faststart", movie],
    ]
  }

  @Test("every verb says nothing on standard error when it is asked to be quiet, but errors all the same")
  func quiet() throws {
    for (number, words) in try verbs().enumerated() {
      let result = try Tool.run(Command.path, words + [number.isMultiple(of: 2) ? "--quiet" : "-q"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(words) \(result.errors)")
    }
    let missing = try Command.run("remux", folder.path("none.mp4"), folder.path("c.mp4"), "--quiet")
    #expect(missing.status == 66 && missing.errors.contains("no such file"))
  }

  @Test("every verb gives its result as JSON on standard output, names in snake case, and no words beside it")
  func json() throws {
    for words in try verbs() {
      let result = try Tool.run(Command.path, words + ["--json"])
      #expect(result.status == 0, "\(words) \(result.errors)")
      if words[0] != "devices" { #expect(result.errors.isEmpty, "\(words) \(result.errors)") }
      let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
      let isList = ["packets", "boxes", "devices"].contains(words[0])
      #expect(isList ? lines.count > 1 : lines.count == 1, "\(words)")
      for line in lines.prefix(5) {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(words)")
        #expect(!object.isEmpty)
        for name in object.keys { #expect(name.wholeMatch(of: /[a-z0-9_]+/) != nil, "\(words): \(name)") }
      }
    }
  }

  @Test("an error with JSON is still one line on standard error, and nothing on standard output")
  func jsonOfErrors() throws {
    for verb in ["info", "packets", "boxes", "extract", "remux", "encode", "decode", "play", "faststart", "loudness"] {
      var words = [verb, folder.path("none.mp4")]
      if ["extract", "remux", "encode", "decode"].contains(verb) { words.append(folder.path("c.\(verb)")) }
      let result = try Tool.run(Command.path, words + ["--json"])
      #expect([64, 66].contains(result.status), "\(words)")
      #expect(result.output.isEmpty && result.errors.split(separator: "\n").count == 1, "\(words) \(result.errors)")
    }
  }

  @Test("a depth of no level is a usage error, not an empty tree")
  func boxesDepth() throws {
    for depth in ["0", "-1"] {
      let result = try Command.run("boxes", "--depth=\(depth)", folder.path("any.mp4"))
      #expect(result.status == 64 && result.errors.contains("--depth must be 1 or more"))
    }
  }
}
