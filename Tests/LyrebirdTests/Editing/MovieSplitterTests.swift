import Foundation
import Lyrebird
import TestSupport
import Testing

@Suite(.inTurn) struct MovieSplitterTests {
  private let folder: TemporaryFolder
  private static let rate = 44_100

  init() throws { folder = try TemporaryFolder() }

  /// Six seconds of a tone, with a second of silence after the third.
  private func sound(chapters: [Double] = [], codec: AudioWriter.Codec = .appleLossless) throws -> MP4Demuxer {
    let path = folder.path("in.m4a")
    var options = AudioWriter.Options()
    options.codec = codec
    options.chapters = chapters.enumerated().map {
      Chapter(start: MediaTime(value: Int64($1 * 1000), timescale: 1000), title: "Chapter \($0 + 1)")
    }
    let samples = (0..<(6 * Self.rate)).map { frame in
      (3 * Self.rate..<4 * Self.rate).contains(frame) ? 0 : Float(0.3 * sin(Double(frame) / 30))
    }
    let buffer = PCMBuffer(samples, sampleRate: Self.rate, layout: .mono)
    let writer = try AudioWriter(path: path, format: buffer.format, options: options)
    try writer.append(buffer)
    try writer.finish()
    return try MP4Demuxer(path: path)
  }

  /// The starts of the pieces in seconds, after all of them were written and found to be the whole sound together.
  private func starts(of movie: MP4Demuxer, _ places: MovieSplitter.Places) throws -> [Double] {
    let pieces = try MovieSplitter(movie).pieces(at: places)
    var joined: [Float] = []
    for piece in pieces {
      let path = folder.path("piece.m4a")
      try MovieEditor(piece.clip, to: path).run()
      if case .size(let limit) = places {
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
        #expect(size <= limit)
      }
      joined += try AudioReader(path: path).read()
    }
    #expect(try joined == AudioReader(path: folder.path("in.m4a")).read())
    return pieces.map(\.clip.start.seconds)
  }

  @Test("chapters begin pieces, and what comes before the first one belongs to it")
  func chapters() throws {
    let movie = try sound(chapters: [0.5, 2, 5.25])
    #expect(try starts(of: movie, .chapters) == [0, 2, 5.25])
    let titles = try MovieSplitter(movie).pieces(at: .chapters).map(\.title)
    #expect(titles == ["Chapter 1", "Chapter 2", "Chapter 3"])
    #expect(try MovieSplitter(try sound()).pieces(at: .chapters).count == 1)
  }

  @Test("pieces of a length begin at its multiples")
  func every() throws {
    #expect(try starts(of: sound(), .every(MediaTime(value: 7, timescale: 4))) == [0, 1.75, 3.5, 5.25])
    #expect(try starts(of: sound(), .every(MediaTime(value: 6, timescale: 1))) == [0])
    #expect(try starts(of: sound(), .every(.zero)) == [0])
  }

  @Test("pieces are as long as fits into a size, and what cannot fit is an error")
  func size() throws {
    let movie = try sound()
    let whole = try #require(try FileManager.default.attributesOfItem(atPath: folder.path("in.m4a"))[.size] as? UInt64)
    for part in [3, 5] as [UInt64] {
      let starts = try starts(of: movie, .size(whole / part))
      #expect((Int(part)...Int(part) + 2).contains(starts.count), "\(starts)")
    }
    let error = #expect(throws: MP4Error.self) { try MovieSplitter(movie).pieces(at: .size(1000)) }
    guard case .pieceTooLarge = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a silence is divided in its middle, if it is long enough")
  func silence() throws {
    let found = try starts(of: sound(), .silence(below: -60, seconds: 0.9))
    #expect(found.count == 2 && abs((found.last ?? 0) - 3.5) < 0.001)
    #expect(try starts(of: sound(), .silence(below: -60, seconds: 1.1)) == [0])
  }

  @Test("a silence of no length, or of one that cannot be counted, is no crash", arguments: [.nan, .infinity, 1e300])
  func oddSilences(seconds: Double) throws {
    let movie = try sound()
    #expect(try MovieSplitter(movie).pieces(at: .silence(below: -60, seconds: seconds)).count == 1)
  }

  @Test("only the tracks that are kept count for the size of pieces, and one that is not there is an error")
  func sizeOfTracks() throws {
    let demo = Shared.packageFolder.appendingPathComponent("Sources/lyrebird-cli/Resources/demo.mp4").path
    let movie = try MP4Demuxer(path: demo)
    var options = MovieEditor.Options()
    options.tracks = .kinds(.audio)
    func size(_ clip: MovieClip) throws -> UInt64 {
      try MovieEditor(clip, to: folder.path("out.mp4"), options: options).run().output.bytes
    }
    let limit = try size(MovieClip(movie)) / 2
    let pieces = try MovieSplitter(movie, tracks: .kinds(.audio)).pieces(at: .size(limit))
    #expect((2...4).contains(pieces.count), "\(pieces.map(\.clip.start.seconds))")
    for piece in pieces { #expect(try size(piece.clip) <= limit) }
    let error = #expect(throws: MP4Error.self) {
      try MovieSplitter(movie, tracks: .ids([2, 9])).pieces(at: .size(limit))
    }
    #expect(error?.code == .noSuchTrack && error?.trackID == 9)
  }

  @Test("pictures without an edit list are divided by size, though nothing is shown at first", .needs(.ffmpeg))
  func sizeWithoutEdits() throws {
    let path = folder.path("in.mp4")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=8", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-bf",
      "2",
      "-use_editlist", "0", path,
    ])
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? UInt64)
    let pieces = try MovieSplitter(try MP4Demuxer(path: path)).pieces(at: .size(size / 3))
    #expect((3...6).contains(pieces.count) && pieces[0].clip.start == .zero)
  }

  @Test("a movie whose header claims more than its tracks show is divided as far as they go")
  func claimedLength() throws {
    _ = try sound()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("in.m4a")))
    // The duration of `mvhd`, version 0 or 1, as an hour.
    let header = try #require(bytes.range(of: Data("mvhd".utf8))).upperBound
    let isLong = bytes[header] == 1
    let place = header + (isLong ? 24 : 16)
    let scale = bytes[(place - 4)..<place].reduce(0) { $0 << 8 | UInt64($1) }
    let count = isLong ? 8 : 4
    for index in 0..<count {
      bytes[place + index] = UInt8(truncatingIfNeeded: (scale * 3600) >> UInt64(8 * (count - 1 - index)))
    }
    try bytes.write(to: URL(fileURLWithPath: folder.path("in.m4a")))
    let movie = try MP4Demuxer(path: folder.path("in.m4a"))
    try #require(movie.duration.seconds == 3600)
    #expect(try starts(of: movie, .every(MediaTime(value: 2, timescale: 1))) == [0, 2, 4])
  }
}
