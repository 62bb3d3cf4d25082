import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct LoudnessCommandTests {
  @Test("a tone's loudness and peak come as text and as JSON, of a WAVE file and of an M4A", .needs(.ffmpeg))
  func tone() throws {
    let folder = try TemporaryFolder()
    for (name, codec) in [("a.wav", "pcm_s16le"), ("a.m4a", "aac")] {
      let path = folder.path(name)
      try MadeMedia.make([
        "-f", "lavfi", "-i", "aevalsrc='0.1*sin(2000*PI*t)|0.1*sin(2000*PI*t)':s=16000:d=3.2", "-c:a", codec, path,
      ])
      let text = try Command.run("loudness", path)
      #expect(text.status == 0 && text.text.contains(/: -20\.[01] LUFS, range 0\.0 LU,/), "\(text.text)")
      #expect(text.text.hasSuffix(" dBTP\n") && text.errors.isEmpty)
      let json = try Command.run("loudness", path, path, "--json")
      let lines = json.text.split(separator: "\n")
      #expect(lines.count == 2)
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
      for (name, expected) in [
        ("integrated", -20), ("momentary_maximum", -20), ("short_term_maximum", -20), ("true_peak", -20),
        ("sample_peak", -20), ("range", 0),
      ] as [(String, Double)] {
        let value = try #require(object[name] as? Double, "\(name)")
        // AAC overshoots where the tone begins at once.
        let tolerance = !name.hasSuffix("peak") ? 0.1 : codec == "aac" ? 2 : 0.2
        #expect(abs(value - expected) < tolerance, "\(name): \(value)")
      }
    }
  }

  @Test("silence is called that, and what is not sound is an error")
  func silence() throws {
    let folder = try TemporaryFolder()
    let wav = folder.path("a.wav")
    #expect(try Command.run("record", wav, "--device", "tone:440", "--duration", "0.1").status == 0)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: wav))
    let samples = try #require(bytes.range(of: Data("data".utf8))).upperBound + 4
    bytes.replaceSubrange(samples..., with: Data(count: bytes.count - samples))
    try bytes.write(to: URL(fileURLWithPath: wav))
    let result = try Command.run("loudness", wav)
    #expect(result.status == 0 && result.text == "\(wav): silent\n", "\(result.text) \(result.errors)")
    let other = folder.path("a.txt")
    try Data("no sound".utf8).write(to: URL(fileURLWithPath: other))
    #expect(try Command.run("loudness", other).status == 65)
    // The files after one that cannot be measured are measured, too.
    let both = try Command.run("loudness", other, wav)
    #expect(both.status == 65 && both.text == result.text && both.errors.contains(other), "\(both.errors)")
  }
}
