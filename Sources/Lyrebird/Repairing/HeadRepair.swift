internal import MP4
internal import MediaCore

/// Saves a movie that lost its first bytes, by the index at its end.
struct HeadRepair {
  private let reader: SourceReader

  private static let reportInterval = 1 << 12

  init(_ reader: SourceReader) { self.reader = reader }

  /// Writes the samples that are left, from the first key frame on.
  ///
  /// - Returns: `nil` if there is no such index.
  /// - Throws: `SourceError`, `SinkError`, `MP4Error`; whatever `progress` throws.
  func run(
    to sink: () throws(SinkError) -> any ByteSink, name: String, progress: (UInt64, UInt64) throws -> Void
  ) throws -> RepairReport? {
    guard let head = try LostHead(reader) else { return nil }
    var tracks = try head.movie.tracks.compactMap { try LeftTrack($0, head, reader.size) }
    guard !tracks.isEmpty else { return nil }
    let muxed = tracks.map { left in
      var track = MuxerTrack(left.track)
      track.edits = nil
      return track
    }
    let muxer = try MP4Muxer(to: sink(), name: name, tracks: muxed)
    var (bytes, number): (UInt64, Int) = (0, 0)
    // In the order of decoding, whichever track comes next.
    while let next = tracks.indices.filter({ tracks[$0].next != nil }).min(by: { tracks[$0].time < tracks[$1].time }) {
      guard let sample = try tracks[next].take(reader, id: muxer.tracks[next].track.id) else { break }
      try muxer.append(sample)
      bytes += UInt64(sample.payload.count)
      number += 1
      if number.isMultiple(of: HeadRepair.reportInterval) { try progress(min(bytes, reader.size), reader.size) }
    }
    try reader.checkUnchanged()
    var report = RepairReport(.index)
    report.bytes = try muxer.finish().bytes
    report.tracks = tracks.map(\.report)
    if head.bytes > 0 { report.assumptions = [.lostHead(bytes: head.bytes)] }
    try progress(reader.size, reader.size)
    return report
  }
}

/// What is left of a track.
private struct LeftTrack {
  let track: Track
  private let lost: UInt64
  private let size: UInt64
  private var samples: SampleReader
  /// The media time at which the movie begins.
  private let origin: Int64
  private(set) var next: SampleRecord?
  private(set) var report: RepairReport.TrackReport

  /// `nil` if nothing is left.
  init?(_ track: Track, _ head: LostHead, _ size: UInt64) throws(MP4Error) {
    guard let description = track.descriptions.first, description.protection == nil, !head.movie.isExternal(track)
    else { return nil }
    (self.track, self.size, lost) = (track, size, head.bytes)
    samples = head.movie.samples(of: track)
    origin = LeftTrack.origin(track)
    report = RepairReport.TrackReport(id: track.id, kind: track.kind, codecName: description.codecName)
    try advance()
    while let record = next, track.kind == .video, !record.isSync {
      report.lost += 1
      try advance()
    }
    if next == nil { return nil }
  }

  /// When the next sample is decoded, on the clock of the movie.
  var time: MediaTime { MediaTime(value: moved(next?.decodeTime ?? 0), timescale: track.timescale) }

  private func moved(_ ticks: Int64) -> Int64 { ticks.subtractingReportingOverflow(origin).partialValue }

  /// The next sample.
  mutating func take(_ reader: SourceReader, id: UInt32) throws(MP4Error) -> EncodedSample? {
    guard let record = next else { return nil }
    let timing = SampleTiming(
      decodeTime: moved(record.decodeTime), presentationTime: moved(record.presentationTime),
      duration: record.duration, timescale: track.timescale)
    report.found += 1
    report.duration = MediaTime(
      value: report.duration.value.addingReportingOverflow(record.duration).partialValue, timescale: track.timescale)
    try advance()
    return EncodedSample(
      trackID: id, timing: timing, isSync: record.isSync, descriptionIndex: record.descriptionIndex,
      payload: .range(reader, offset: record.offset - lost, count: record.size))
  }

  /// Moves on to the next sample of which the file still has all bytes.
  private mutating func advance() throws(MP4Error) {
    do throws(MP4Error) {
      next = try samples.nextRecord()
      while let record = next, !isLeft(record) {
        report.lost += 1
        next = try samples.nextRecord()
      }
    } catch {
      if case .source = error.code { throw error }
      next = nil
    }
  }

  private func isLeft(_ record: SampleRecord) -> Bool {
    record.offset >= lost && record.offset - lost <= size && UInt64(record.size) <= size - (record.offset - lost)
  }

  /// How far the first edits shift a track, in its ticks: the media time of the first that shows anything, less the
  /// empty ones before it.
  private static func origin(_ track: Track) -> Int64 {
    var empty: Int64 = 0
    for edit in track.edits {
      if let time = edit.mediaTime { return bounded(time.converted(to: track.timescale)?.value) - empty }
      empty = bounded(empty + bounded(edit.duration.converted(to: track.timescale)?.value))
    }
    return 0
  }

  /// Far beyond any movie, and far from where sums overflow.
  private static func bounded(_ ticks: Int64?) -> Int64 { min(max(ticks ?? 0, -1 << 48), 1 << 48) }
}
