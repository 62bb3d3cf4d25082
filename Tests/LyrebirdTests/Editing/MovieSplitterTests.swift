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
}
