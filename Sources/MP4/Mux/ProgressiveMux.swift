internal import ISOBMFF
internal import MediaCore

/// Writes a progressive movie: samples as they come, and one index once all are there.
///
/// As long as the samples fit in one buffer nothing is written; then everything is known and goes out in its final
/// order. Once they do not fit, the media begins at a block of the file system, and an index that is to come first gets
/// whole blocks inserted before it. If the output cannot be patched, the media waits in a temporary file.
final class ProgressiveMux: MuxerOutput {
  private let sink: any ByteSink
  private let tracks: [MuxerTrack]
  private let options: MuxerOptions
  private var boxes: MovieBoxBuilder
  private var writer = MediaWriter()
  private var builders: [TrackTablesBuilder]
  private var times: [TrackTimes]
  private var usualDurations: [Int64?]
  /// How much shorter than the first one later samples are: the last packets of an encoder, which are not heard to
  /// their end.
  private var fillings: [Int64]
  private var sampleCount: UInt64 = 0
  /// Where the media goes once it does not fit in the buffer.
  private var target: (any ByteSink)?
  /// The media, if the output cannot be patched.
  private var scratch: ScratchFile?

  /// Blocks are inserted at multiples of this: file systems have blocks of this size, or smaller ones.
  private static let block = 4096

  init(sink: any ByteSink, tracks: [MuxerTrack], options: MuxerOptions) {
    self.sink = sink
    self.tracks = tracks
    self.options = options
    boxes = MovieBoxBuilder(tracks, options: options)
    boxes.addChapters()
    builders = tracks.map { TrackTablesBuilder($0) }
    times = tracks.map { _ in TrackTimes() }
    usualDurations = tracks.map { _ in nil }
    fillings = tracks.map { _ in 0 }
  }

  var heldBytes: Int { 0 }

  func end(_ track: Int) {}

  func earliestTime(of track: Int) -> Int64? { nil }

  /// Nothing of it can be played before it is finished.
  func flush() throws(MP4Error) {}

  func add(_ sample: EncodedSample, to track: Int) throws(MP4Error) {
    if sampleCount == 0, let chapters = boxes.chapters { try write(.bytes(chapters.payload[...])) }
    // Offsets count from the start of the media until its position is known.
    builders[track].add(tracks[track].fileRecord(SampleRecord(sample, number: sampleCount, offset: writer.count)))
    times[track].add(sample)
    let usual = usualDurations[track] ?? sample.timing.duration
    usualDurations[track] = usual
    fillings[track] = fillings[track].saturatingAdd(max(usual.saturatingSubtract(sample.timing.duration), 0))
    sampleCount += 1
    try write(sample.payload)
  }

  private func write(_ payload: MediaData) throws(MP4Error) {
    if target == nil {
      if writer.gather(payload) { return }
      try begin()
    }
    try writer.add(payload, to: target ?? sink)
  }

  /// Writes what precedes the media, as far as it is known.
  private func begin() throws(MP4Error) {
    guard sink.canPatch else {
      do throws(SinkError) {
        let file = try ScratchFile()
        scratch = file
        target = file
      } catch {
        throw MP4Error(.sink(error), file: error.name)
      }
      return
    }
    target = sink
    try sink.put(boxes.fileType + padding + MediaHeader.written(payloadSize: 0))
  }

  /// Room for an index before the media, up to the end of the first block.
  private var padding: [UInt8] {
    options.layout == .fastStart ? .free(ProgressiveMux.block - boxes.fileType.count) : []
  }

  // MARK: The end

  func finish() throws(MP4Error) -> MuxerSummary {
    let appended = zip(tracks, times).map { $0.cut(to: $1) }
    let timeline = MuxedTimeline(appended, times, movieTimescale: boxes.timescale)
    let contents = contents(timeline)
    let metadata = try MetadataBuilder(options.metadata, chapters: options.sortedChapters).boxes(gapless: gapless)
    let index = { (base: UInt64, isWide: Bool) in
      self.boxes.progressive(contents, metadata: metadata, base: base, isWide: isWide).written
    }
    var summary = MuxerSummary()
    summary.samples = sampleCount
    summary.duration = contents.prefix(tracks.count).map(\.duration).max() ?? .zero
    for (track, content) in zip(tracks, contents) {
      summary.retimed.note(content.tables.retiming, trackID: track.track.id)
    }
    if target != nil, scratch == nil {
      try writer.flush(to: sink)
      summary.bytes = try finishInPlace(index)
    } else {
      summary.bytes = try finishInOrder(index)
    }
    return summary
  }

  private func contents(_ timeline: MuxedTimeline) -> [MovieBoxBuilder.Content] {
    var contents = tracks.indices.map { track in
      var tables = builders[track].finished()
      let (edits, duration) = timeline.progressive(track, &tables)
      var content = MovieBoxBuilder.Content(tables: tables, edits: edits, duration: duration)
      content.boxes = timeline.compositionBounds(track)
      if RollGroup.isWanted(tracks[track]) {
        content.boxes += [RollGroup.description, RollGroup.members(Int(tables.sampleCount))]
      }
      return content
    }
    if let chapters = boxes.chapters {
      let end = contents.map(\.duration).max() ?? .zero
      contents.append(chapters.content(until: end.converted(to: boxes.timescale) ?? end))
    }
    return contents
  }

  /// The gapless tag for audio players: of a movie of one primed track only.
  private var gapless: String? {
    let track = tracks[0]
    guard tracks.count == 1, track.priming > 0, let first = times[0].firstDecode else { return nil }
    let frames = times[0].lastShownEnd.saturatingSubtract(first).saturatingSubtract(track.priming)
    return GaplessText.make(
      priming: track.fileTicks(track.priming, rounding: .down),
      remainder: track.fileTicks(fillings[0], rounding: .down), frames: track.fileTicks(frames, rounding: .up))
  }

  private typealias Index = (_ base: UInt64, _ isWide: Bool) -> [UInt8]

  /// The media is not in the output yet: everything is written in order.
  private func finishInOrder(_ index: Index) throws(MP4Error) -> UInt64 {
    let fileType = boxes.fileType
    let header = BoxHeader(type: "mdat").written(payloadSize: writer.count)
    let isFirst = options.layout == .fastStart
    let headSize = UInt64(fileType.count + header.count)
    var base = headSize + (isFirst ? UInt64(index(0, false).count) : 0)
    // Offsets take 64 bits if they do not fit in 32.
    let isWide = base + writer.count > UInt64(UInt32.max)
    if isWide, isFirst { base = headSize + UInt64(index(0, true).count) }
    let made = index(base, isWide)
    try sink.put(fileType + (isFirst ? made : []) + header)
    if let scratch {
      try writer.flush(to: scratch)
      do throws(TransferError) {
        try sink.copy(from: SourceReader(scratch: scratch), at: 0, count: writer.count)
      } catch {
        throw MP4Error(error)
      }
    } else {
      try writer.flush(to: sink)
    }
    if !isFirst { try sink.put(made) }
    return UInt64(fileType.count + header.count + made.count) + writer.count
  }

  /// The media is already in the output: what was left open before it is filled in.
  private func finishInPlace(_ index: Index) throws(MP4Error) -> UInt64 {
    let fileType = boxes.fileType
    let mediaOffset = fileType.count + padding.count
    let header = MediaHeader.written(payloadSize: writer.count)
    let end = UInt64(mediaOffset + header.count) + writer.count
    try sink.put(header, at: mediaOffset)
    // An index before the media moves it, by no more than the size of the index.
    let isFirst = options.layout == .fastStart
    let wideSize = isFirst ? index(0, true).count : 0
    let isWide = end + (isFirst ? UInt64(wideSize + 2 * ProgressiveMux.block) : 0) > UInt64(UInt32.max)
    guard isFirst else {
      let made = index(UInt64(mediaOffset + header.count), isWide)
      try sink.put(made)
      return end + UInt64(made.count)
    }
    let size = isWide ? wideSize : index(0, false).count
    var inserted = 0
    // What is left must be nothing, or enough for a box.
    while padding.count + inserted != size, padding.count + inserted < size + 8 { inserted += ProgressiveMux.block }
    do throws(SinkError) {
      try sink.insert(UInt64(inserted), at: UInt64(mediaOffset))
    } catch {
      throw MP4Error(.sink(error), file: error.name)
    }
    let made = index(UInt64(mediaOffset + header.count + inserted), isWide)
    try sink.put(made + .free(padding.count + inserted - made.count), at: fileType.count)
    return end + UInt64(inserted)
  }
}
