import Foundation
import TestSupport
import Testing

/// `waveform`, from the sound to the file.
@Suite(.inTurn) struct WaveformCommandTests {
  private struct PeaksData: Decodable {
    let version, channels, sample_rate, samples_per_pixel, bits, length: Int
    let data: [Int]
  }

  private let folder: TemporaryFolder
  private let sound: String

  init() throws {
    folder = try TemporaryFolder()
    sound = folder.path("a.wav")
    #expect(try Command.run("record", sound, "--device", "tone:440", "--duration", "0.5").status == 0)
  }

  @Test("the name or the option says what is written, and the options how")
  func forms() throws {
    let json = folder.path("a.json")
    let result = try Command.run(
      "waveform", sound, json, "--pixels-per-second", "100", "--bits", "8", "--split-channels", "--json")
    #expect(result.status == 0 && result.errors == "")
    let data = try JSONDecoder().decode(PeaksData.self, from: Data(contentsOf: URL(fileURLWithPath: json)))
    #expect(data.version == 2 && data.bits == 8 && data.samples_per_pixel == data.sample_rate / 100)
    #expect(data.length == 50 && data.data.count == 2 * 50 * data.channels)
    let said = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    #expect(said["length"] as? Int == 50 && said["format"] as? String == "json")
    for (format, start) in [("dat", [2, 0, 0, 0]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("svg", Array("<svg".utf8))] {
      #expect(try Command.run("waveform", sound, folder.path("a." + format)).status == 0)
      let piped = try Command.run("waveform", sound, "-", "--format", format, "--quiet")
      #expect(piped.status == 0 && Array(piped.output.prefix(4)) == start.map { UInt8($0) })
      #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("a." + format))) == piped.output)
    }
  }

  @Test("from a pipe it draws the same data as from the file")
  func pipe() throws {
    let file = try Command.run("waveform", sound, "-", "--format", "json", "-q")
    let piped = try Tool(name: "sh").run(["-c", "cat '\(sound)' | '\(Command.path)' waveform - - --format json -q"])
    #expect(file.status == 0 && piped.status == 0 && piped.output == file.output)
  }

  @Test("what cannot be is a usage error, and replaces nothing")
  func refused() throws {
    let wrong = [
      ["a.txt"], ["a"], ["-"], ["a.json", "--bits", "12"], ["a.svg", "--color", "reddish"], ["a.png", "--width", "0"],
      ["a.json", "--samples-per-pixel", "0"], ["a.json", "--samples-per-pixel", "9", "--pixels-per-second", "9"],
    ]
    for words in wrong {
      let output = words[0] == "-" ? "-" : folder.path(words[0])
      let result = try Tool.run(Command.path, ["waveform", sound, output] + words.dropFirst())
      #expect(result.status == 64 && result.output.isEmpty, "\(words) \(result.errors)")
    }
    let old = folder.path("old.json")
    try Data("old".utf8).write(to: URL(fileURLWithPath: old))
    #expect(try Command.run("waveform", sound, old, "--no-clobber").status == 73)
    #expect(try Command.run("waveform", folder.path("none.wav"), old).status == 66)
    #expect(try String(contentsOfFile: old, encoding: .utf8) == "old")
  }
}
