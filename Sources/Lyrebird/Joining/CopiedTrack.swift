internal import MP4
internal import MediaCore

/// A track whose samples are all kept.
///
/// If nothing of the parts is hidden, their samples follow one another in one timeline, that of the presentation, and
/// no edits are needed. Otherwise, where parts begin with an encoder's priming or with pictures that only others need,
/// the parts follow one another as they are, and an edit for each shows what is to be shown.
final class CopiedTrack: JoinedTrack {
  private(set) var description: MuxerTrack
  let hasEdits: Bool
  let hasOpenSeams: Bool
  var keptPackets: UInt64 { 0 }
  var encodedPackets: UInt64 { 0 }

  private let timescale: UInt32
  private var pieces: ArraySlice<Piece>
  private var samples: SampleReader?

  /// The samples of a part.
  private struct Piece {
    let movie: MP4Demuxer
    let track: Track
    /// The numbers of its descriptions among those of all parts.
    let descriptions: [Int]
    /// What is added to the times of its samples.
    let shift: Int64
    /// Ticks of each packet, if the next part follows whole packets; see `PartMedia.grid`.
    let grid: Int64?
    /// When its next sample is decoded, on that grid.
    var next: Int64?
    /// When the next part begins, where that leaves samples out: those of metadata that describe more than is seen.
    var end = Int64.max
    /// Whether decoders are to be told that its first picture is not a continuation of what comes before it.
    var breaksLink = false
  }

  /// - Parameters:
  ///   - row: the tracks of the parts.
  ///   - media: what is shown of each.
  ///   - parts: the movies.
  ///   - starts: where each part begins in the output.
  /// - Throws: `MP4Error` if the first pictures of parts cannot be read.
  init(_ row: JoinRow, _ media: [PartMedia?], _ parts: [MP4Demuxer], starts: [MediaTime]) throws(MP4Error) {
    timescale = row.timescale
    let placed = media.enumerated().compactMap { part, media in media.map { (part: part, media: $0) } }
    hasEdits = !placed.allSatisfy(\.media.isWhole)
    var all: [SampleDescription] = []
    var known: [DescriptionIdentity: Int] = [:]
    var pieces: [Piece] = []
    var edits = JoinedEdits(timescale: timescale)
    var hasOpenSeams = false
    for (part, media) in placed {
      let numbers = media.track.descriptions.map { description in
        let identity = DescriptionIdentity(description)
        if let number = known[identity] { return number }
        all.append(description)
        known[identity] = all.endIndex - 1
        return all.endIndex - 1
      }
      let shift =
        hasEdits
        ? edits.add(media, at: starts[part])
        : (starts[part] + media.delay).since(.zero, in: timescale).value.saturatingSubtract(media.start)
      var breaksLink = false
      if !pieces.isEmpty {
        let seam = try PictureSeam(parts[part], media.track)
        breaksLink = seam == .brokenLink
        hasOpenSeams = hasOpenSeams || seam == .open
      }
      let isCut = !hasEdits && !row.isPresented && part + 1 < starts.count
      let end = isCut ? starts[part + 1].since(.zero, in: timescale).value : .max
      pieces.append(
        Piece(
          movie: parts[part], track: media.track, descriptions: numbers, shift: shift,
          grid: hasEdits && part != placed.last?.part ? media.grid : nil, end: end, breaksLink: breaksLink))
    }
    var track = row.first
    (track.timescale, track.descriptions) = (timescale, all)
    description = MuxerTrack(track)
    if let first = placed.first {
      description.keepBoxes(of: first.media.track, in: parts[first.part], isQuickTime: parts.areQuickTime)
    }
    description.track.sampleCount = 0
    description.edits = hasEdits ? edits.edits : nil
    self.pieces = pieces[...]
    self.hasOpenSeams = hasOpenSeams
  }

  func next() throws -> EncodedSample? {
    while let piece = pieces.first {
      let isFirst = samples == nil
      if isFirst { samples = piece.movie.samples(of: piece.track) }
      guard var sample = try samples?.next() else {
        samples = nil
        pieces.removeFirst()
        continue
      }
      if isFirst, piece.breaksLink {
        do throws(SourceError) { sample.payload = try PictureSeam.withBrokenLink(sample.payload, piece.track) } catch {
          throw MP4Error(.source(error), file: piece.movie.reader.source.name)
        }
      }
      var timing = sample.timing
      if let grid = piece.grid {
        let time = piece.next ?? timing.decodeTime
        (timing.decodeTime, timing.presentationTime, timing.duration) = (time, time, grid)
        pieces[pieces.startIndex].next = time.saturatingAdd(grid)
      }
      func ticks(_ value: Int64) -> Int64 {
        MediaTime(value: value, timescale: timing.timescale).since(.zero, in: timescale).value
      }
      timing = SampleTiming(
        decodeTime: ticks(timing.decodeTime).saturatingAdd(piece.shift),
        presentationTime: ticks(timing.presentationTime).saturatingAdd(piece.shift), duration: ticks(timing.duration),
        timescale: timescale)
      if timing.decodeTime >= piece.end { continue }
      sample.timing = timing
      sample.descriptionIndex =
        piece.descriptions.indices.contains(sample.descriptionIndex) ? piece.descriptions[sample.descriptionIndex] : 0
      return sample
    }
    return nil
  }
}

/// What has to be equal in two descriptions for the samples of one to be decoded with the other. Bit rates, which many
/// files state, do not count.
private struct DescriptionIdentity: Hashable {
  private let entryType: FourCC
  /// Of sound with a decoder configuration, whose entry holds the bit rates beside it.
  private let sound: AudioTrackFormat?
  private let entry: [UInt8]

  init(_ description: SampleDescription) {
    entryType = description.entryType
    if case .audio(let format) = description.format, !format.decoderConfiguration.isEmpty {
      (sound, entry) = (format, [])
    } else {
      (sound, entry) = (nil, DescriptionIdentity.withoutBitRates(description.entry))
    }
  }

  /// A sample entry without its size, which comes first, and without its `btrt` box, if it has one.
  private static func withoutBitRates(_ entry: [UInt8]) -> [UInt8] {
    let header: [UInt8] = [0, 0, 0, 20] + Array("btrt".utf8)
    var rest = Array(entry.dropFirst(4))
    let start = rest.indices.first { rest[$0...].starts(with: header) }
    if let start, start + 20 <= rest.count { rest.removeSubrange(start..<(start + 20)) }
    return rest
  }
}
