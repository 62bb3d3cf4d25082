import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Remuxing of movies made to order, in ways that real ones seldom are.
struct RemuxerTests {
  private let folder: TemporaryFolder
  private let output: String

  init() throws {
    folder = try TemporaryFolder()
    output = folder.path("out.mp4")
  }

  private func remux(_ bytes: [UInt8], _ layout: MovieLayout) throws -> (Remuxer.Summary, MP4Demuxer) {
    var options = Remuxer.Options()
    options.layout = layout
    let summary = try Remuxer(from: try opened(bytes), to: output, options: options).run()
    return (summary, try MP4Demuxer(path: output))
  }

  /// A movie of samples that are all the same bytes.
  private static func shared(_ count: Int, bytes: Int) -> [UInt8] {
    var track = MadeTrack(samples: [UInt32](repeating: UInt32(bytes), count: count), at: 0)
    track.chunks = [.init(1, 1)]
    track.places = [UInt64](repeating: MovieMaker.mediaStart, count: count)
    return MovieMaker.progressive([track], media: [UInt8](repeating: 0x5A, count: bytes))
  }

  @Test("samples that share bytes may do so, until they add up to what no real movie of the size has")
  func boundsSharedBytes() throws {
    let size = 100_000
    // Four times the file, and 16 MiB.
    let (_, movie) = try remux(Self.shared(170, bytes: size), .fragmented)
    #expect(try movie.byteCount(of: movie.tracks[0]) == UInt64(170 * size))
    try FileManager.default.removeItem(atPath: output)
    let error = #expect(throws: MP4Error.self) { try remux(Self.shared(180, bytes: size), .fragmented) }
    guard case .overlappingSamples(let limit)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(limit > 16 << 20 && limit < 18 << 20)
    #expect(!FileManager.default.fileExists(atPath: output))
    // One index can say that samples share bytes: nothing grows.
    let (summary, progressive) = try remux(Self.shared(5000, bytes: size), .fastStart)
    #expect(summary.bytes < 200_000)
    #expect(try progressive.byteCount(of: progressive.tracks[0]) == UInt64(5000 * size))
  }
}
