import ISOBMFF
import MediaCore
import TestSupport
import Testing

@testable import MP4

@Suite("Slices of sample tables", .inTurn)
struct SampleTableSliceTests {
  /// A track of packets of sound in chunks, some directly one after another, with durations in runs.
  private func track(_ noise: inout Noise, _ change: (inout MadeTrack) -> Void = { _ in }) throws -> MovieTrack {
    var made = MadeTrack(id: 1)
    (made.handler, made.entries) = ("soun", [MadeEntry.audio("mp4a"), MadeEntry.audio("mp4a")])
    var (sizes, chunks): ([UInt32], [MadeTrack.Chunks]) = ([], [])
    var place = MovieMaker.mediaStart
    for chunk in 1...UInt32.random(in: 1...8, using: &noise) {
      let samples = (0..<Int.random(in: 1...5, using: &noise)).map { _ in UInt32.random(in: 0...9, using: &noise) }
      chunks.append(.init(chunk, UInt32(samples.count), .random(in: 1...2, using: &noise)))
      made.places.append(place)
      sizes += samples
      place += UInt64(samples.reduce(0, +)) + (Bool.random(using: &noise) ? 3 : 0)
    }
    (made.sizes, made.chunks) = (.each(sizes), chunks)
    made.times = (0..<3).map { _ in .init(.random(in: 0...9, using: &noise), Bool.random(using: &noise) ? 960 : 1024)
    }
    change(&made)
    let media = [UInt8](repeating: 0, count: Int(place - MovieMaker.mediaStart))
    let bytes = MovieMaker.progressive([made], media: media)
    return try #require(try MP4Demuxer(source: MemorySource(bytes, name: "made")).movieTracks.first)
  }

  /// The tables made from the samples, one by one.
  private func built(_ track: MovieTrack, _ range: Range<UInt64>, end: Int64?) throws -> BuiltTrackTables {
    var builder = TrackTablesBuilder(track)
    var samples = track.samples()
    while var record = try samples.nextRecord() {
      guard range.contains(record.number) else { continue }
      if let end { record.duration = min(record.duration, end - record.decodeTime) }
      builder.add(record)
    }
    return builder.finished()
  }

  /// The tables' entries.
  private func text(_ tables: BuiltTrackTables) -> String {
    tables.boxes.map { node in
      let times = node.box(as: TimeToSampleBox.self)?.runs.entries ?? []
      let chunks = node.box(as: SampleToChunkBox.self)?.runs.entries ?? []
      let sizes = node.box(as: SampleSizeBox.self)
      return "\(node.type) \(times) \(chunks) \(sizes?.sampleSize ?? 0) \(sizes?.sizes.entries ?? [])"
    }.joined(separator: "\n")
  }

  @Test("a slice of the tables is what samples make one by one")
  func oneByOne() throws {
    var noise = Noise(seed: 7)
    for _ in 0..<300 {
      let track = try track(&noise)
      let count = track.description.sampleCount
      let first = UInt64.random(in: 0..<count, using: &noise)
      let last = UInt64.random(in: first..<count, using: &noise)
      var end: Int64?
      if Bool.random(using: &noise) {
        var samples = track.samples()
        try samples.seek(toSample: last)
        end = try samples.nextRecord().map { $0.decodeTime + .random(in: 2...$0.duration, using: &noise) }
      }
      let range = first..<(last + 1 == count ? .max : last + 1)
      let slice = try #require(try SampleTableSlice(track, range, end: end))
      let (tables, expected) = (slice.finished(), try built(track, first..<last + 1, end: end))
      #expect(text(tables) == text(expected))
      #expect(tables.chunkOffsets == expected.chunkOffsets && tables.sampleCount == expected.sampleCount)
      #expect(tables.duration == expected.duration && tables.firstTime == expected.firstTime)
      #expect(tables.lastShownEnd == expected.lastShownEnd && slice.samples == first..<last + 1)
    }
  }

  @Test("samples beyond the end of the file, with dependencies, or of a tick each are looked at one by one")
  func oneByOneInstead() throws {
    var noise = Noise(seed: 8)
    for _ in 0..<10 {
      #expect(try SampleTableSlice(try track(&noise), 0..<9, end: nil) != nil)
      let outside = try track(&noise) { $0.places[$0.places.count - 1] = 1 << 20 }
      #expect(try SampleTableSlice(outside, 0..<(.max), end: nil) == nil)
      #expect(throws: MP4Error.self) { try built(outside, 0..<(.max), end: nil) }
      let frames = try track(&noise) { $0.times = [.init(1, 1)] }
      #expect(try SampleTableSlice(frames, 0..<9, end: nil) == nil)
    }
  }
}
