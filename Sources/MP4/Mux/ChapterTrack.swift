internal import ISOBMFF
internal import MediaCore

/// The track in which QuickTime stores chapters: a text sample for each, shown until the next one begins.
///
/// All of it except the duration of the last chapter is known beforehand, so its samples go before all others.
struct ChapterTrack {
  /// The track to write.
  let track: MuxerTrack
  /// The samples' bytes, one after another.
  let payload: [UInt8]
  /// When each chapter begins, in ticks of the track, and its size in bytes.
  private let samples: [(start: Int64, size: Int)]
  private let movieTimescale: UInt32

  /// The longest title in a text sample, whose length takes 16 bits.
  private static let maximumTitle = Int(UInt16.max)
  /// A bound on starts that leaves room for sums: no movie is that long.
  private static let latest = Int64.max / 4

  /// A track of these chapters; `nil` for none.
  ///
  /// - Parameters:
  ///   - id: the track's number.
  ///   - movieTimescale: the movie's ticks per second, in which edits count.
  init?(_ chapters: [Chapter], id: UInt32, movieTimescale: UInt32) {
    guard !chapters.isEmpty else { return nil }
    let timescale = ChapterTrack.timescale(chapters.map(\.start))
    self.movieTimescale = movieTimescale
    let entry = QuickTimeTextSampleEntry()
    let description = SampleDescriptionReader.description(BoxNode("text", entry))
    var track = MuxerTrack(Track(id: id, kind: .text, timescale: timescale))
    track.track.descriptions = [description]
    // Chapter-aware players read it all the same; others must not show it as subtitles.
    track.track.isEnabled = false
    self.track = track
    var payload: [UInt8] = []
    var samples: [(start: Int64, size: Int)] = []
    for chapter in chapters {
      let bytes = ChapterTrack.sample(chapter.title)
      payload += bytes
      samples.append(
        (min(max(chapter.start.converted(to: timescale)?.value ?? 0, 0), ChapterTrack.latest), bytes.count))
    }
    self.payload = payload
    self.samples = samples
  }

  /// A timescale in which every chapter begins at a whole tick, provided that each chapter's duration then fits in 31
  /// bits, which is all that players read. Otherwise milliseconds, of which 31 bits make 24 days.
  private static func timescale(_ starts: [MediaTime]) -> UInt32 {
    let milliseconds: UInt32 = 1000
    guard let exact = MovieTimescale.common(starts.map(\.leastTimescale)) else { return milliseconds }
    let (timescale, overflow) = exact.multipliedReportingOverflow(by: max(milliseconds / exact, 1))
    let ends = starts.dropFirst() + [starts[starts.count - 1] + ChapterTrack.usualEnd]
    let fits = zip(starts, ends).allSatisfy { ($1 - $0).seconds * Double(timescale) < Double(Int32.max) }
    return fits && !overflow ? timescale : milliseconds
  }

  /// The duration that the last chapter is taken to have: where the movie ends is known only when all is written.
  private static let usualEnd = MediaTime(value: 6 * 3600, timescale: 1)

  /// A title with its length before it, and a box after it that says that it is UTF-8.
  ///
  /// Source: QuickTime File Format, Text Media.
  private static func sample(_ title: String) -> [UInt8] {
    let text = title.truncated(toUTF8: maximumTitle)
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt16(text.count))
    bytes += text
    bytes.appendBigEndian(UInt32(12))
    bytes += Array("encd".utf8)
    bytes.appendBigEndian(UInt32(0x100))
    return bytes
  }

  /// The track's index: its samples are at the start of the media, and the last one is shown to the end of the movie.
  func content(until end: MediaTime) -> MovieBoxBuilder.Content {
    var builder = TrackTablesBuilder(timescale: track.track.timescale)
    var offset: UInt64 = 0
    let last = min(max(end.since(.zero, in: track.track.timescale).value, 0), ChapterTrack.latest)
    for (number, sample) in samples.enumerated() {
      // A chapter that would begin after the end begins there: it must not make the movie longer. An end of 0 means that
      // it is not known.
      let start = last > 0 ? min(sample.start, last - 1) : sample.start
      builder.add(
        SampleRecord(
          number: UInt64(number), offset: offset, size: sample.size, decodeTime: start, presentationTime: start,
          duration: max(last - start, 1), isSync: true, descriptionIndex: 0))
      offset += UInt64(sample.size)
    }
    let tables = builder.finished()
    func ticks(_ value: Int64) -> MediaTime {
      MediaTime(value: value, timescale: track.track.timescale).since(.zero, in: movieTimescale)
    }
    let length = ticks(Int64(clamping: tables.duration))
    let late = ticks(samples.first?.start ?? 0)
    guard late.value > 0 else { return MovieBoxBuilder.Content(tables: tables, edits: [], duration: length) }
    let edits = [
      Edit(duration: late, mediaTime: nil),
      Edit(duration: length, mediaTime: MediaTime(value: 0, timescale: track.track.timescale)),
    ]
    return MovieBoxBuilder.Content(tables: tables, edits: edits, duration: late.adding(length))
  }
}

extension String {
  /// As many whole Unicode scalars as fit in `limit` bytes of UTF-8.
  func truncated(toUTF8 limit: Int) -> [UInt8] {
    let bytes = Array(utf8)
    guard bytes.count > limit else { return bytes }
    var end = limit
    // The first byte left out must not continue a scalar (10xxxxxx).
    while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(bytes[..<end])
  }
}
