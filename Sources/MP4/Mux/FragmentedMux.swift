internal import ISOBMFF
internal import MediaCore

/// Writes a movie in fragments: a header that describes the tracks, then pairs of index and media of some seconds each.
///
/// A fragment is written as soon as it is complete, and can be played from then on. It ends where `FragmentBoundary`
/// says, normally before a sync sample, so that each can be decoded by itself.
final class FragmentedMux: MuxerOutput {
  private let sink: any ByteSink
  private let tracks: [MuxerTrack]
  private let options: MuxerOptions
  private let boxes: MovieBoxBuilder
  private var writer = MediaWriter()
  private var times: [TrackTimes]
  private var isOpen: [Bool]
  /// The samples of the next fragment, one list per track.
  private var pending: [[EncodedSample]]
  private(set) var heldBytes = 0
  private var boundary: FragmentBoundary
  private var number: UInt32 = 1
  /// What is subtracted from each track's times, once the header is written.
  private var bases: [Int64]?
  private var summary = MuxerSummary()
  /// The header and its position, if the sink can be patched.
  private var header: (moov: BoxNode, fileOffset: Int, size: Int)?
  private let nothing = SourceReader(MemorySource([]))

  init(sink: any ByteSink, tracks: [MuxerTrack], options: MuxerOptions, seconds: Double) {
    self.sink = sink
    self.tracks = tracks
    self.options = options
    // All times count from the first sample of all, so that none is before 0.
    boundary = FragmentBoundary(
      tracks.map(\.track), seconds: seconds, limitsLeader: true, splitsAtZero: false)
    boxes = MovieBoxBuilder(tracks, options: options)
    times = tracks.map { _ in TrackTimes() }
    isOpen = tracks.map { _ in true }
    pending = tracks.map { _ in [] }
  }

  func end(_ track: Int) {
    isOpen[track] = false
  }

  /// Once the header is written, it fixes when the movie begins.
  func earliestTime(of track: Int) -> Int64? { bases?[track] }

  func add(_ sample: EncodedSample, to track: Int) throws(MP4Error) {
    let next = FragmentBoundary.Sample(
      decodeTime: sample.timing.decodeTime, duration: sample.timing.duration, size: sample.payload.count,
      isSync: sample.isSync, descriptionIndex: sample.descriptionIndex)
    if boundary.ends(before: next, of: track, isLeader: track == leader) { try cut() }
    boundary.add(next, to: track)
    pending[track].append(sample)
    times[track].add(sample)
    heldBytes += sample.payload.heldBytes
  }

  /// The track that decides where fragments end, among those that still have samples.
  private var leader: Int? { boundary.leader { isOpen[$0] || !pending[$0].isEmpty } }

  func flush() throws(MP4Error) {
    if bases == nil, options.headerFirst { try beginAtPriming() }
    try cut()
  }

  /// Writes the header before there are samples: they are expected to begin with the priming.
  private func beginAtPriming() throws(MP4Error) {
    for (index, track) in tracks.enumerated() {
      let primed = Int64(0).saturatingSubtract(track.priming)
      times[index].note(
        SampleTiming(
          decodeTime: primed, presentationTime: primed, duration: 0, timescale: track.track.timescale))
    }
    bases = try begin()
  }

  func finish() throws(MP4Error) -> MuxerSummary {
    try cut()
    let appended = zip(tracks, times).map { $0.cut(to: $1) }
    let timeline = MuxedTimeline(appended, times, movieTimescale: boxes.timescale)
    summary.duration = timeline.fragmentedDuration
    try completeHeader(appended, timeline)
    return summary
  }

  /// Updates the header with what is known only at the end: the total duration, and how much of its edits exists.
  private func completeHeader(_ appended: [MuxerTrack], _ timeline: MuxedTimeline) throws(MP4Error) {
    guard var header else { return }
    let isCut = zip(appended, tracks).contains { $0.edits?.count == $1.edits?.count && $0.edits != $1.edits }
    if isCut || tracks.contains(where: { $0.coarseTimescale != nil }) {
      let moov = try makeHeader(timeline, isOver: true)
      // Shorter edits take as many bytes, unless they were days long.
      let bytes = moov.written
      if bytes.count == header.size {
        try sink.put(bytes, at: header.fileOffset)
        header.moov = moov
      }
    }
    var length: [UInt8] = []
    length.appendBigEndian(UInt64(max(summary.duration.value, 0)))
    try sink.put(length, at: header.fileOffset + MovieBoxBuilder.offsetOfLength(in: header.moov))
  }

  // MARK: Writing

  /// Writes the fragment, preceded by the header if it is the first.
  private func cut() throws(MP4Error) {
    guard pending.contains(where: { !$0.isEmpty }) else { return }
    if bases == nil { bases = try begin() }
    var fragment = FragmentBuilder(number: number)
    for track in tracks.indices where !pending[track].isEmpty {
      let group = RollGroup.isWanted(tracks[track]) ? [RollGroup.members(pending[track].count)] : []
      fragment.add(records(of: track), trackID: tracks[track].track.id, boxes: group)
    }
    let start = writer.count
    try writer.add(.bytes(fragment.head(nothing)[...]), to: sink)
    for samples in pending {
      for sample in samples { try writer.add(sample.payload, to: sink) }
    }
    try writer.flush(to: sink)
    summary.bytes += writer.count - start
    for track in tracks.indices { pending[track].removeAll(keepingCapacity: true) }
    heldBytes = 0
    boundary.begin()
    // Readers compare a number only with its neighbours.
    number &+= 1
  }

  private func records(of track: Int) -> [SampleRecord] {
    let base = bases?[track] ?? 0
    return pending[track].map { sample in
      summary.samples += 1
      var record = SampleRecord(sample, number: 0, offset: 0)
      record.decodeTime = record.decodeTime.saturatingSubtract(base)
      record.presentationTime = record.presentationTime.saturatingSubtract(base)
      return tracks[track].fileRecord(record)
    }
  }

  /// Writes the header, which depends on the first samples.
  ///
  /// - Returns: what is subtracted from each track's times.
  private func begin() throws(MP4Error) -> [Int64] {
    let timeline = MuxedTimeline(tracks, times, movieTimescale: boxes.timescale)
    let moov = try makeHeader(timeline)
    let bytes = moov.written
    let fileType = boxes.fileType
    let head = fileType + .free(freeSpace(after: fileType.count))
    if sink.canPatch { header = (moov, head.count, bytes.count) }
    try sink.put(head + bytes)
    summary.bytes += UInt64(head.count + bytes.count)
    return tracks.indices.map { timeline.base(of: $0) }
  }

  private func makeHeader(_ timeline: MuxedTimeline, isOver: Bool = false) throws(MP4Error) -> BoxNode {
    let metadata = try MetadataBuilder(options.metadata, chapters: options.sortedChapters).boxes()
    return boxes.fragmented(
      edits: tracks.indices.map { timeline.fragmented($0, isOver: isOver) },
      boxes: tracks.map { RollGroup.isWanted($0) ? [RollGroup.description] : [] }, metadata: metadata,
      hasLength: sink.canPatch)
  }

  /// Size of the requested free space: at least as many bytes as asked for, and up to the alignment.
  private func freeSpace(after start: Int) -> Int {
    guard options.freeSpace > 0 else { return 0 }
    // A box of more than 4 GiB would take a longer header.
    let end = start + min(max(options.freeSpace, 8), Int(UInt32.max) / 2)
    return end.roundedUp(to: max(options.freeSpaceAlignment, 1)) - start
  }
}
