import AAC
import Foundation
import MediaCore
import TestSupport
import Testing

/// ADTS files read through interruptions: the same packets, whichever read fails.
@Suite(.inTurn) struct ADTSRecoveryTests {
  /// All that a stream has to say.
  private struct Reading: Equatable {
    var places: [Range<Int>] = []
    var times: [SampleTiming] = []
    var payload = RollingHash()
    var report: ADTSReader.Report?
    var refusal: String?
  }

  private struct Patience {
    var interruptions = 0

    mutating func ask<Answer>(_ body: () throws -> Answer) throws -> Answer {
      do {
        return try body()
      } catch let error as AACError {
        guard case .source(let source) = error.code, source.code == FaultySource.failure else { throw error }
      } catch let error as SourceError where error.code == FaultySource.failure {}
      interruptions += 1
      return try body()
    }
  }

  private static func read(_ source: SourceReader) throws -> (found: Reading, interruptions: Int) {
    var patience = Patience()
    var reading = Reading()
    do {
      var reader = try patience.ask { try ADTSReader(source) }
      while true {
        // A reader whose read failed is asked again through the copy made before.
        let before = reader
        let sample = try patience.ask {
          reader = before
          return try reader.next()
        }
        guard let sample else { break }
        reading.places.append(place(sample) ?? 0..<0)
        reading.times.append(sample.timing)
        try unsafe patience.ask { try sample.payload.load() }.withUnsafeBytes { unsafe reading.payload.append($0) }
      }
      reading.report = reader.report
    } catch let error as AACError {
      reading.refusal = error.description
    }
    return (reading, patience.interruptions)
  }

  @Test("a stream with tags, junk and a cut last frame reads the same, whichever read fails")
  func survivesEveryReadOfMadeStreams() throws {
    var noise = Noise(state: 12)
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 20] + [UInt8](repeating: 7, count: 20)
    var bytes = tag
    for index in 0..<12 {
      bytes += frame(payload: noise.bytes(20 + index * 9))
      if index == 5 { bytes += [0xFF, 0xF1, 0, 1, 2, 3] }
    }
    bytes += frame(payload: noise.bytes(90)).dropLast(10)
    let result = try Interruptions(bytes, name: "made.aac").compare(.every) { try Self.read($0) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
  }

  @Test(
    "a real stream reads the same, whichever read fails or is cut short",
    .needs(.corpus), arguments: ADTSFacts.all())
  func survivesReadsOfFiles(file: ADTSFacts) throws {
    let bytes = [UInt8](try Data(contentsOf: Shared.corpus.appendingPathComponent(file.path)))
    let result = try Interruptions(bytes, name: file.path).compare(.sampled(3)) { try Self.read($0) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
  }

  /// Every read of every ADTS file, in some minutes; `RecoveryTests` of MP4 tells the command.
  @Test(
    "every stream of the corpus reads the same, whichever of all its reads fails or is cut short",
    .needs(.corpus, .patience),
    arguments: ADTSFacts.all())
  func survivesEveryReadOfEveryFile(file: ADTSFacts) throws {
    let bytes = [UInt8](try Data(contentsOf: Shared.corpus.appendingPathComponent(file.path)))
    let result = try Interruptions(bytes, name: file.path).compare(.every) { try Self.read($0) }
    #expect(result.differences.isEmpty, "\(result.differences.prefix(5))")
    print("\(file.path): \(result.reads) reads, \(result.runs) runs, \(result.differences.count) differences")
  }
}
