import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Edits of a movie of which only a part was appended.
@Suite(.inTurn, .needs(.ffmpeg, .ffprobe))
struct MuxerEditsTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Seconds that each stream lasts, as ffprobe says.
  private func durations(_ path: String) throws -> [Double] {
    let result = try Tool.ffprobe.run(["-v", "error", "-show_entries", "stream=duration", "-of", "csv=p=0", path])
    #expect(result.errors.isEmpty, "\(result.errors)")
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
  }

  /// Takes the samples of a movie that are decoded before so many seconds.
  private func cut(_ source: String, at seconds: Double, _ layout: MuxedLayout) throws -> (path: String, Double) {
    let movie = try MP4Demuxer(path: source)
    let path = folder.path("\(layout.rawValue) \(seconds).mp4")
    let muxer = try MP4Muxer(path: path, tracks: movie.tracks.map { MuxerTrack($0) }, options: layout.options)
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      while let sample = try samples.next() {
        guard Double(sample.timing.decodeTime) < seconds * Double(track.timescale) else { break }
        try muxer.append(sample)
      }
    }
    return (path, try muxer.finish().duration.seconds)
  }

  @Test("a second of a movie of three does not claim to be three", arguments: MuxedLayout.allCases)
  func part(layout: MuxedLayout) throws {
    let source = folder.path("in.mp4")
    try MadeMedia.movie(source, seconds: 3)
    let (path, duration) = try cut(source, at: 1, layout)
    #expect((0.9...1.15).contains(duration), "\(duration) s")
    let movie = try MP4Demuxer(path: path)
    for track in movie.tracks { #expect((0.9...1.15).contains(track.duration.seconds), "\(track.duration.seconds) s") }
    // Of fragments ffprobe adds up what is there, whatever edits say.
    for seconds in try durations(path) { #expect((0.9...1.2).contains(seconds), "\(seconds) s") }
    // Edits begin where they began.
    for (track, before) in zip(movie.tracks, try MP4Demuxer(path: source).tracks) {
      #expect(track.edits.map(\.mediaTime) == before.edits.map(\.mediaTime))
    }
  }

  @Test("all of a movie keeps its edits as they are", arguments: [MuxedLayout.fastStart, .fragmented])
  func whole(layout: MuxedLayout) throws {
    let source = folder.path("in.mp4")
    try MadeMedia.movie(source, seconds: 1)
    let (path, _) = try cut(source, at: 10, layout)
    for (track, before) in zip(try MP4Demuxer(path: path).tracks, try MP4Demuxer(path: source).tracks) {
      #expect(track.edits == before.edits)
    }
  }
}
