import Foundation
import TestSupport
import Testing

/// What `info` says about files of PCM.
@Suite(.inTurn) struct PCMInfoTests {
  private struct Info: Decodable {
    let container: String
    let size: Int
    let duration: Time
    let tracks: [Track]
    let tags: [Tag]
    struct Time: Decodable { let value, timescale: Int }
    struct Tag: Decodable { let name, value: String }
    struct Track: Decodable {
      let codec_name: String
      let samples, bytes, channels, bits_per_sample: Int
      let sample_rate: Double
    }
  }

  @Test(
    "container, codec, exact length and tags", .needs(.ffmpeg),
    arguments: [
      ("wav", "pcm_s24le", "wav", "PCM s24le"), ("wav", "pcm_mulaw", "wav", "PCM ulaw"),
      ("aiff", "pcm_s16be", "aiff", "PCM s16be"), ("aiff", "pcm_f32be", "aifc", "PCM f32be"),
      ("caf", "pcm_s32le", "caf", "PCM s32le"),
    ])
  func files(ending: String, codec: String, container: String, name: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a." + ending)
    try MadeMedia.make(
      [
        "-f", "lavfi", "-i", "anoisesrc=d=0.5:r=44100:seed=1", "-t", "0.1", "-ac", "2", "-c:a", codec, "-metadata",
        "title=Bird", path,
      ])
    let result = try Command.run("info", path, "--json")
    #expect(result.status == 0 && result.errors == "")
    let info = try JSONDecoder().decode(Info.self, from: result.output)
    let track = try #require(info.tracks.first)
    #expect(info.container == container && track.codec_name == name)
    #expect(info.duration.value == 4410 && info.duration.timescale == 44_100 && track.samples == 4410)
    #expect(track.channels == 2 && track.sample_rate == 44_100 && track.bytes * 8 == 4410 * 2 * track.bits_per_sample)
    #expect(info.tags.contains { $0.name == "title" && $0.value == "Bird" })
    let text = try Command.run("info", path).text
    #expect(text.contains(name) && text.contains("Bird") && text.contains("0:00.100"))
    let piped = try Tool(name: "sh").run(["-c", "cat '\(path)' | '\(Command.path)' info - --json"])
    #expect(try JSONDecoder().decode(Info.self, from: piped.output).duration.value == 4410)
  }

  @Test("what is in the file but not PCM is named", .needs(.ffmpeg))
  func refused() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.caf")
    try MadeMedia.make(["-f", "lavfi", "-i", "anoisesrc=d=0.1:seed=1", "-c:a", "alac", path])
    let result = try Command.run("info", path)
    #expect(result.status == 65 && result.errors.contains("Apple Lossless, not PCM"))
  }
}
