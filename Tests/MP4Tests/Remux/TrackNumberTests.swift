import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Movies in which two tracks have the same number, which none should have. The reader gives the second one a number of
/// its own, and so must a file that is made of them: fragments name their tracks by nothing else.
@Suite(.inTurn) struct TrackNumberTests {
  private let folder: TemporaryFolder
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    output = folder.path("out.mp4")
  }

  /// Three tracks with the numbers 1, 1 and 2, of one, two and three samples.
  private static let movie: [UInt8] = {
    var place = MovieMaker.mediaStart
    var tracks: [MadeTrack] = []
    for (index, id) in ([1, 1, 2] as [UInt32]).enumerated() {
      let sizes = [UInt32](repeating: UInt32(10 * (index + 1)), count: index + 1)
      var track = MadeTrack(id: id, samples: sizes, at: place)
      track.timescale = UInt32(1000 * (index + 1))
      track.edits = [.init(0, Int64(index))]
      place += UInt64(sizes.reduce(0, +))
      tracks.append(track)
    }
    let media = (0..<Int(place - MovieMaker.mediaStart)).map { UInt8($0) }
    return MovieMaker.progressive(tracks, media: media)
  }()

  /// What a track is known by: number, ticks a second, where its edit begins, and its samples' bytes.
  private static func tracks(_ movie: MP4Demuxer) throws -> [[Int]: [[UInt8]]] {
    var found: [[Int]: [[UInt8]]] = [:]
    for track in movie.tracks {
      var samples = movie.samples(of: track)
      var bytes: [[UInt8]] = []
      while let sample = try samples.next() { bytes.append([UInt8](try sample.payload.load())) }
      let start = track.edits.first?.mediaTime?.value ?? -1
      found[[Int(track.id), Int(track.timescale), Int(start)]] = bytes
    }
    return found
  }

  @Test("each of two tracks of one number stays a track", arguments: [MovieLayout.fastStart, .moovLast, .fragmented])
  func staysATrack(layout: MovieLayout) throws {
    let movie = try opened(Self.movie)
    let expected = try Self.tracks(movie)
    #expect(expected.keys.map { $0[0] }.sorted() == [1, 2, 3])
    var options = Remuxer.Options()
    options.layout = layout
    try Remuxer(from: movie, to: output, options: options).run()
    #expect(try Self.tracks(try MP4Demuxer(path: output)) == expected)
    // And back again.
    let again = folder.path("again.mp4")
    try Remuxer(from: try MP4Demuxer(path: output), to: again).run()
    #expect(try Self.tracks(try MP4Demuxer(path: again)) == expected)
  }

  /// The number of each track, and how many packets ffprobe finds of it.
  private static func packets(of path: String) throws -> [String] {
    let result = try Tool.ffprobe.run([
      "-v", "error", "-count_packets", "-show_entries", "stream=id,nb_read_packets", "-of", "csv=p=0", path,
    ])
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("ffprobe finds the packets of both tracks", .needs(.ffmpeg, .ffprobe))
  func othersFindBoth() throws {
    let source = folder.path("source.mp4")
    func tones(_ hertz: Int, _ seconds: Int) -> [String] {
      ["-f", "lavfi", "-i", "sine=\(hertz):r=48000:d=\(seconds)"]
    }
    try MadeMedia.make(tones(440, 1) + tones(550, 2) + ["-map", "0", "-map", "1", "-c:a", "aac", source])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: source))
    // The last track header; its number comes after version, flags and two times of 32 bits.
    let header = try #require(bytes.range(of: Data("tkhd".utf8), options: .backwards))
    bytes.replaceSubrange((header.upperBound + 12)..<(header.upperBound + 16), with: [0, 0, 0, 1])
    var options = Remuxer.Options()
    options.layout = .fragmented
    try Remuxer(from: try opened([UInt8](bytes)), to: output, options: options).run()
    #expect(try Self.packets(of: source) == ["0x1,48", "0x2,95"])
    #expect(try Self.packets(of: output) == ["0x1,48", "0x2,95"])
  }
}
