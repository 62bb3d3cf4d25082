import MP4
import MediaCore
import TestSupport
import Testing

/// Real files against what an independent program found in them.
@Suite(.inTurn, .needs(.corpus))
struct CorpusTests {
  private static let readable: Set<String> = ["read", "odd", "sets"]

  @Test(
    "every sample of every real file is what the oracle says: place, size, times, flags and bytes",
    arguments: OracleMovie.all.filter { readable.contains($0.expectation) && !$0.tracks.isEmpty })
  func readsEverySample(file: OracleMovie) throws {
    let bytes = try file.bytes()
    let expected = file.tracks
    let movie = try MP4Demuxer(source: MemorySource(bytes, name: file.description))
    try #require(movie.tracks.count == expected.count)
    #expect(Set(movie.tracks.map(\.id)).count == expected.count)
    for (track, want) in zip(movie.tracks, expected) where want.isWhole {
      // Of several tracks with one number only the first keeps it.
      if expected.count(where: { $0.id == want.id }) == 1 { #expect(track.id == want.id) }
      if want.timescale > 0 { #expect(track.timescale == want.timescale) }
      #expect(edits(track) == want.edits)
      let found = Delivery(movie.samples(of: track))
      #expect(found.error == nil)
      if want.isInChunks {
        try compareChunks(found.records, want, bytes)
      } else {
        try compare(found.records, want, bytes)
      }
      // Two cameras' files have sizes, but no chunks that would hold the samples.
      if want.samples > 0 {
        if !want.isInChunks { #expect(track.sampleCount == UInt64(want.samples)) }
        #expect(try movie.byteCount(of: track) == want.bytes)
      }
    }
  }

  private func edits(_ track: Track) -> [[Int64]] {
    track.edits.prefix(16).map { [$0.duration.value, $0.mediaTime?.value ?? -1, Int64($0.rate * 65536)] }
  }

  private func compare(_ records: [SampleRecord], _ want: OracleTrack, _ bytes: [UInt8]) throws {
    #expect(records.count == want.samples)
    #expect(records.filter(\.isSync).count == want.keyframes)
    #expect(records.reduce(0) { $0 + $1.duration } == want.durations ?? 0)
    #expect(records.first?.decodeTime == want.firstDecodeTime)
    #expect(records.first?.presentationTime == want.firstPresentationTime)
    #expect(records.last?.decodeTime == want.lastDecodeTime)
    #expect(records.last?.presentationTime == want.lastPresentationTime)
    #expect(records.last?.duration == want.lastDuration)
    var list = MD5()
    for record in records {
      let sum = MD5.hexadecimal(bytes[Int(record.offset)..<(Int(record.offset) + record.size)])
      let sync = record.isSync ? 1 : 0
      let times = "\(record.decodeTime),\(record.presentationTime),\(record.duration)"
      list.append(Array("\(times),\(record.size),\(sync),\(sum)\n".utf8))
    }
    #expect(list.hexadecimal == want.listSum)
  }

  /// Of PCM we deliver pieces of chunks: only what they add up to can be compared.
  private func compareChunks(_ records: [SampleRecord], _ want: OracleTrack, _ bytes: [UInt8]) throws {
    var payload = MD5()
    for record in records { payload.append(Array(bytes[Int(record.offset)..<(Int(record.offset) + record.size)])) }
    #expect(payload.hexadecimal == want.payloadSum)
    #expect(records.reduce(0) { $0 + UInt64($1.size) } == want.bytes)
  }

  @Test(
    "every file that is cut, hostile, a part of one or something else is opened or refused, and ends",
    arguments: OracleMovie.all.filter { !readable.contains($0.expectation) })
  func survivesEveryOtherFile(file: OracleMovie) throws {
    let movie: MP4Demuxer
    do {
      movie = try MP4Demuxer(source: MemorySource(try file.bytes(), name: file.description))
    } catch {
      let error = try #require(error as? MP4Error)
      #expect(error.description.hasPrefix(file.description))
      return
    }
    for track in movie.tracks {
      let found = Delivery(movie.samples(of: track), limit: 10_000_000)
      #expect(found.records.count < 10_000_000)
      if let error = found.error { #expect(error.description.contains("track \(track.id)")) }
    }
  }
}
