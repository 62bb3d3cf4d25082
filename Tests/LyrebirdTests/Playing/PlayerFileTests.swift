import Foundation
import Lyrebird
import TestSupport
import Testing

/// Players of files, whatever kind of file that is.
@Suite(.inTurn)
struct PlayerFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a player finds out what a file is, whatever it is called", arguments: ["m4a", "aac", "wav"])
  func kinds(ending: String) async throws {
    let path = folder.path("voice." + ending)
    let writer = try RecordingWriter(path: path, format: AudioFormat(layout: .mono))
    try writer.append(PCMBuffer([Int16](repeating: 1000, count: 2000), sampleRate: 44_100, layout: .mono))
    try writer.finish()
    let renamed = folder.path("voice")
    try FileManager.default.moveItem(atPath: path, toPath: renamed)
    let clock = ManualClock()
    let player = try Player(path: renamed, device: "null", clock: clock)
    #expect(player.format == AudioFormat(layout: .mono))
    // A stream does not say how long it is, nor what of it is priming.
    let (count, last): (Int64?, Int64) = ending == "aac" ? (nil, 3 * 1024) : (2000, 2000)
    #expect(player.frameCount == count)
    try player.play()
    while player.status.state == .running {
      clock.advance(by: .milliseconds(50))
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(try await player.finished().position == last)
  }

  @Test("what cannot be played is refused, and said why")
  func refused() throws {
    let missing = #expect(throws: AudioDecodingError.self) { try Player(path: folder.path("missing")) }
    #expect(missing?.kind == .notFound && missing?.root is SourceError)
    try Data("no sound at all".utf8).write(to: URL(fileURLWithPath: folder.path("text")))
    let text = #expect(throws: AudioDecodingError.self) { try Player(path: folder.path("text")) }
    #expect(text?.root is MP4Error)
    try Data("RIFF    WAVE".utf8).write(to: URL(fileURLWithPath: folder.path("cut.wav")))
    let cut = #expect(throws: AudioDecodingError.self) { try Player(path: folder.path("cut.wav")) }
    #expect(cut?.root is PCMFileError)
  }

  @Test("a movie without sound is refused by name", .needs(.ffmpeg))
  func silentMovie() throws {
    let path = folder.path("silent.mp4")
    try MadeMedia.make(["-f", "lavfi", "-i", "testsrc=d=0.2:s=64x64", "-c:v", "mpeg4", path])
    let error = #expect(throws: AudioDecodingError.self) { try Player(path: path) }
    #expect(error == .noAudioTrack(file: path))
    #expect(error?.description == "\(path): no audio track in this movie")
  }
}
