import Foundation
import Lyrebird
import TestSupport
import Testing

/// The example programs, on virtual devices: each does what its first lines say.
@Suite(.alone) struct ExampleTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ name: String, _ arguments: String...) throws -> String {
    let path = URL(fileURLWithPath: Command.path).deletingLastPathComponent().appendingPathComponent(name).path
    let result = try Tool.run(path, arguments)
    #expect(result.status == 0, "\(result.errors)")
    return String(decoding: result.output, as: UTF8.self)
  }

  private var demoMovie: String {
    Shared.packageFolder.appendingPathComponent("Sources/lyrebird-cli/Resources/demo.mp4").path
  }

  @Test("a second of a virtual microphone becomes a second of AAC")
  func captureToAAC() throws {
    let path = folder.path("tone.aac")
    _ = try run("capture-to-aac", path, "tone:440", "1")
    var reader = try ADTSReader(SourceReader(FileSource(path: path)))
    var packets = 0
    while try reader.next() != nil { packets += 1 }
    // 1024 frames each, one for the priming and one that is not full, and what the last buffer has too many.
    #expect((44...50).contains(packets))
  }

  @Test("a second of a virtual microphone becomes a second of M4A, to the frame")
  func captureToM4A() throws {
    let path = folder.path("tone.m4a")
    _ = try run("capture-to-m4a", path, "tone:440", "1")
    #expect(try MP4Demuxer(path: path).duration == MediaTime(value: 44_100, timescale: 44_100))
  }

  @Test("the packets of a movie become those of an .aac file")
  func mp4ToAAC() throws {
    let path = folder.path("sound.aac")
    let words = try run("mp4-to-aac", demoMovie, path)
    let track = try #require(try MP4Demuxer(path: demoMovie).audioTrack)
    #expect(words.hasPrefix("\(track.sampleCount) packets"))
    var reader = try ADTSReader(SourceReader(FileSource(path: path)))
    var packets: UInt64 = 0
    while try reader.next() != nil { packets += 1 }
    #expect(packets == track.sampleCount)
  }

  @Test("a movie is played to its last frame")
  func mp4ToLoudspeaker() throws {
    let output = folder.path("heard.wav")
    let words = try run("mp4-to-loudspeaker", demoMovie, "file:" + output)
    // Four seconds, as the movie's edit list says.
    #expect(words.hasPrefix("176400 frames"))
    #expect(try #require(PCMFileReader(path: output).frameCount) >= 176_400)
  }

  @Test("a movie written anew has the same samples")
  func mp4ToMP4() throws {
    let path = folder.path("again.mp4")
    _ = try run("mp4-to-mp4", demoMovie, path)
    let (old, new) = (try MP4Demuxer(path: demoMovie), try MP4Demuxer(path: path))
    #expect(new.tracks.map(\.sampleCount) == old.tracks.map(\.sampleCount))
    #expect(new.tracks.map(\.edits) == old.tracks.map(\.edits))
  }

  @Test("a movie without an index gets its samples back, like those of a whole one")
  func brokenMP4ToMP4() throws {
    let (broken, path) = (folder.path("broken.mp4"), folder.path("saved.mp4"))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: demoMovie))
    let index = try #require(bytes.range(of: Data("moov".utf8)))
    bytes.replaceSubrange(index, with: Data("free".utf8))
    try bytes.write(to: URL(fileURLWithPath: broken))
    _ = try run("broken-mp4-to-mp4", broken, path, demoMovie)
    let (old, new) = (try MP4Demuxer(path: demoMovie), try MP4Demuxer(path: path))
    #expect(new.videoTrack?.sampleCount == old.videoTrack?.sampleCount)
    #expect(new.audioTrack?.sampleCount == old.audioTrack?.sampleCount)
  }

  @Test("sound is divided at a silence and joined the other way round, with all its frames")
  func splitAndJoin() throws {
    let (path, out) = (folder.path("in.m4a"), folder.path("out.m4a"))
    let samples = (0..<132_300).map { (44_100..<80_000).contains($0) ? 0 : Float(0.3 * sin(Double($0) * 0.03)) }
    let buffer = PCMBuffer(samples, sampleRate: 44_100, layout: .mono)
    let writer = try AudioWriter(path: path, format: buffer.format)
    try writer.append(buffer)
    try writer.finish()
    #expect(try run("split-and-join", path, out).split(separator: "\n").count == 3)
    let sound = try AudioReader(path: out)
    #expect(sound.frameCount == 132_300)
    // The second tone, of 52,300 frames, comes first now, and the silence lies where its halves meet the ends.
    let heard = try sound.read()
    #expect(heard[20_000..<60_000].contains { abs($0) > 0.25 } && heard[72_000..<86_000].contains { abs($0) > 0.25 })
  }

  @Test("songs get the name of an album, a number, a title and the cover, and sound as before")
  func tagAlbum() throws {
    let cover = folder.path("cover.jpg")
    try Data([0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 7, count: 100_000)).write(to: URL(fileURLWithPath: cover))
    let songs = ["01 Mist.mp4", "02 - Morning dew.mp4"].map { folder.path($0) }
    for song in songs { try FileManager.default.copyItem(atPath: demoMovie, toPath: song) }
    #expect(try run("tag-album", "Dawn", cover, songs[0], songs[1]).split(separator: "\n").count == 2)
    let old = try MP4Demuxer(path: demoMovie)
    for (song, title) in zip(songs, [("Mist", "1/2"), ("Morning dew", "2/2")]) {
      let new = try MP4Demuxer(path: song)
      #expect(new.metadata["title"] == title.0 && new.metadata["track"] == title.1 && new.metadata["album"] == "Dawn")
      #expect(try new.metadata.artwork.map { try $0.data.load().count } == [100_004])
      #expect(new.tracks.map(\.sampleCount) == old.tracks.map(\.sampleCount))
    }
  }

  @Test("sound goes through a codec of a program's own, into a movie and back, to the frame")
  func customCodec() throws {
    let (input, movie, back) = (folder.path("in.wav"), folder.path("toy.mp4"), folder.path("back.wav"))
    let samples = (0..<30_001).map { Int16(8000 * sin(Double($0) * 0.05) + 6000 * sin(Double($0) * 0.013)) }
    var wav = try WAVWriter(path: input, format: AudioFormat(sampleRate: 44_100, channels: 1))
    try wav.append(PCMSample(PCMBuffer(samples, sampleRate: 44_100, layout: .mono)))
    _ = try wav.finish()
    #expect(try run("custom-codec", input, movie, back).hasPrefix("30001 frames"))
    let track = try #require(try MP4Demuxer(path: movie).audioTrack)
    #expect(track.descriptions.first?.codec == "4bit" && track.sampleCount == 30)
    let reader = try AudioReader(path: back)
    var heard: [Int16] = []
    while let sound = try reader.next() { heard += sound.payload.int16s }
    let errors = zip(samples, heard).map { abs(Double($0) - Double($1)) }
    #expect(heard.count == samples.count && errors.reduce(0, +) / 30_001 < 400)
  }

  @Test("without a file to work on, each says how it is used")
  func usage() throws {
    let names = [
      "capture-to-aac", "capture-to-m4a", "mp4-to-aac", "mp4-to-loudspeaker", "mp4-to-mp4", "broken-mp4-to-mp4",
      "custom-codec",
      "capture-to-aac", "capture-to-m4a", "mp4-to-aac", "mp4-to-loudspeaker", "mp4-to-mp4", "tag-album", "custom-codec",
    ]
    for name in names {
      #expect(try run(name).hasPrefix("usage: \(name) "))
    }
  }
}
