internal import MP4
internal import MediaCore

/// Saves a movie without an index with the help of a whole one like it.
struct PatternRepair {
  private let reader: SourceReader
  private let whole: MP4Demuxer

  private static let reportInterval = 1 << 12

  init(_ reader: SourceReader, like pattern: MP4Demuxer) {
    self.reader = reader
    whole = pattern
  }

  /// Finds samples like those of the pattern, and writes them.
  ///
  /// - Throws: `RepairError`, `SourceError`, `SinkError`, `MP4Error`; whatever `progress` throws.
  func run(
    to sink: () throws(SinkError) -> any ByteSink, name: String, progress: (UInt64, UInt64) throws -> Void
  ) throws -> RepairReport {
    let pattern = try Pattern(whole)
    guard pattern.tracks.contains(where: { !$0.isOpaque }) else {
      throw RepairError.uselessPattern(file: whole.reader.source.name)
    }
    let runs = OpaqueRuns(pattern)
    let media = try MediaSearch(reader)
    guard !media.parts.isEmpty else { throw RepairError.noMedia(file: reader.source.name) }
    let total = media.bytes.addingReportingOverflow(media.bytes).partialValue
    var found = FoundSamples(pattern)
    var done: UInt64 = 0
    for part in media.parts {
      var scan = PatternScan(PatternReader(reader, pattern, media: part), runs)
      try scan.run { try progress(done + $0, total) }
      try found.add(scan, in: media)
      done += part.upperBound - part.lowerBound
    }
    guard !found.samples.isEmpty else { throw RepairError.unlikePattern(file: reader.source.name) }
    var report = found.report
    report.unusedBytes = media.bytes - found.bytes
    report.bytes = try write(found, to: sink(), name: name) { try progress(media.bytes + $0, total) }
    try progress(total, total)
    return report
  }

  private func write(
    _ found: FoundSamples, to sink: any ByteSink, name: String, progress: (UInt64) throws -> Void
  ) throws -> UInt64 {
    let used = found.used
    let muxer = try MP4Muxer(to: sink, name: name, tracks: used.map { found.muxerTrack($0) })
    var times = found.timings
    var bytes: UInt64 = 0
    for (number, sample) in found.samples.enumerated() {
      guard let place = used.firstIndex(of: sample.track) else { continue }
      let timing = times[sample.track].next(sample)
      let payload = MediaData.range(reader, offset: sample.offset, count: sample.bytes)
      try muxer.append(
        EncodedSample(
          trackID: muxer.tracks[place].track.id, timing: timing, isSync: sample.slice?.isSync ?? true,
          payload: payload))
      bytes += UInt64(sample.bytes)
      if number.isMultiple(of: PatternRepair.reportInterval) { try progress(bytes) }
    }
    try reader.checkUnchanged()
    return try muxer.finish().bytes
  }
}
