import MP4
import MediaCore
import TestSupport
import Testing

/// A sample as a plain reading of the tables gives it.
struct PlainRecord: Equatable, CustomStringConvertible {
  var offset: UInt64
  var size: Int
  var decodeTime: Int64
  var presentationTime: Int64
  var duration: Int64
  var isSync: Bool
  var description0: Int

  var description: String {
    "(\(offset)+\(size) dts \(decodeTime) pts \(presentationTime) for \(duration)\(isSync ? " sync" : "") #\(description0))"
  }
}

extension PlainRecord {
  init(_ record: SampleRecord) {
    self.init(
      offset: record.offset, size: record.size, decodeTime: record.decodeTime,
      presentationTime: record.presentationTime, duration: record.duration, isSync: record.isSync,
      description0: record.descriptionIndex)
  }
}

/// Everything that a reader delivers, and the error after it, if any.
struct Delivery {
  var records: [SampleRecord] = []
  var error: MP4Error?

  var plain: [PlainRecord] { records.map { PlainRecord($0) } }

  /// Reads to the end. `limit` keeps a reader that never ends from hanging the tests.
  init(_ reader: SampleReader, limit: Int = 1_000_000) {
    var reader = reader
    do {
      while records.count < limit, let record = try reader.nextRecord() { records.append(record) }
    } catch {
      self.error = error
    }
  }
}

/// A movie in memory.
func opened(_ bytes: [UInt8]) throws -> MP4Demuxer {
  try MP4Demuxer(source: MemorySource(bytes, name: "made.mp4"))
}

/// All samples of a track of a movie in memory.
func delivery(_ bytes: [UInt8], track: Int = 0) throws -> Delivery {
  let movie = try opened(bytes)
  return Delivery(movie.samples(of: movie.tracks[track]))
}

/// Does something that must not take long, whatever the input. It takes a few milliseconds of processor time; the bound
/// leaves room for builds that are watched, and is far below what believing a hostile count would take.
func quickly<Result>(_ body: () throws -> Result, location: SourceLocation = #_sourceLocation) rethrows -> Result {
  let timer = ProcessorTimer()
  defer { #expect(timer.elapsed < .seconds(2), sourceLocation: location) }
  return try body()
}
