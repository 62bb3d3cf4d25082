internal import MP4
internal import MediaCore

/// Saves a movie whose index is there, or enough of it: what it describes and the file holds.
struct IndexRepair {
  private let reader: SourceReader

  init(_ reader: SourceReader) { self.reader = reader }

  /// Writes what the index describes.
  ///
  /// - Returns: `nil` if there is no index, or none of its samples is in the file.
  /// - Throws: `MP4Error` `.source`, `.sink`; `SinkError`; whatever `progress` throws.
  func run(
    to sink: () throws(SinkError) -> any ByteSink, name: String, progress: (UInt64, UInt64) throws -> Void
  ) throws -> RepairReport? {
    guard let movie = try movie(), try hasSamples(movie) else { return nil }
    var options = Remuxer.Options()
    options.recover = true
    let summary = try Remuxer(from: movie, to: sink(), name: name, options: options).run(progress: progress)
    var report = RepairReport(.index)
    report.dropped = summary.dropped
    report.bytes = summary.bytes
    report.wasWhole = summary.dropped.isEmpty && movie.issues.isEmpty
    for track in movie.tracks {
      var found = RepairReport.TrackReport(
        id: track.id, kind: track.kind, codecName: track.descriptions.first?.codecName ?? "")
      found.duration = track.mediaDuration
      found.found = track.sampleCount
      if movie.defect(of: track) != nil || summary.dropped.contains(where: { $0.trackID == track.id }) {
        let there = try count(movie.samples(of: track), of: reader.size)
        found.found = there.samples
        found.duration = MediaTime(value: there.ticks, timescale: track.timescale)
        found.lost = stated(movie, track) - min(found.found, track.sampleCount)
      }
      report.tracks.append(found)
    }
    return report
  }

  /// How many samples the index states, though there is no room for so many in the file.
  private func stated(_ movie: MP4Demuxer, _ track: Track) -> UInt64 {
    guard case .box(let error) = movie.defect(of: track)?.code, case .countExceedsBox(let claimed, _) = error.code,
      error.field == "sample_count"
    else { return track.sampleCount }
    return max(claimed, track.sampleCount)
  }

  private func movie() throws(MP4Error) -> MP4Demuxer? {
    do throws(MP4Error) {
      return try MP4Demuxer(reader: reader)
    } catch {
      if case .source = error.code { throw error }
      return nil
    }
  }

  /// Whether the first sample of any track can be read.
  private func hasSamples(_ movie: MP4Demuxer) throws(MP4Error) -> Bool {
    for track in movie.tracks where !movie.isExternal(track) && !track.descriptions.isEmpty {
      if try count(movie.samples(of: track), of: reader.size, upTo: 1).samples > 0 { return true }
    }
    return false
  }

  /// How many samples are in the file, up to the first one that is not, and how long they are together.
  private func count(
    _ samples: SampleReader, of size: UInt64, upTo limit: UInt64 = .max
  ) throws(MP4Error) -> (samples: UInt64, ticks: Int64) {
    var samples = samples
    var (number, ticks): (UInt64, Int64) = (0, 0)
    do throws(MP4Error) {
      while number < limit, let record = try samples.nextRecord() {
        guard record.offset <= size, UInt64(record.size) <= size - record.offset else { break }
        number += 1
        ticks = ticks.saturatingAdd(record.duration)
      }
    } catch {
      if case .source = error.code { throw error }
    }
    return (number, ticks)
  }
}
