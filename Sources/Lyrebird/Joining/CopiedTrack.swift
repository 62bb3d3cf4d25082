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
  }

  /// - Parameters:
  ///   - row: the tracks of the parts.
  ///   - media: what is shown of each.
  ///   - parts: the movies.
  ///   - starts: where each part begins in the output.
  init(_ row: JoinRow, _ media: [PartMedia?], _ parts: [MP4Demuxer], starts: [MediaTime]) {
    timescale = row.timescale
    let placed = media.enumerated().compactMap { part, media in media.map { (part: part, media: $0) } }
    hasEdits = !placed.allSatisfy(\.media.isWhole)
    var all: [SampleDescription] = []
    var pieces: [Piece] = []
    var edits = JoinedEdits(timescale: timescale)
    for (part, media) in placed {
      let numbers = media.track.descriptions.map { description in
        if let number = all.firstIndex(where: { $0.isSame(as: description) }) { return number }
        all.append(description)
        return all.endIndex - 1
      }
      let shift =
        hasEdits
        ? edits.add(media, at: starts[part])
        : (starts[part] + media.delay).since(.zero, in: timescale).value.saturatingSubtract(media.start)
      pieces.append(Piece(movie: parts[part], track: media.track, descriptions: numbers, shift: shift))
    }
    var track = row.first
    (track.timescale, track.descriptions, track.references) = (timescale, all, [:])
    description = MuxerTrack(track)
    description.track.sampleCount = 0
    description.edits = hasEdits ? edits.edits : nil
    self.pieces = pieces[...]
  }

  func next() throws -> EncodedSample? {
    while let piece = pieces.first {
      if samples == nil { samples = piece.movie.samples(of: piece.track) }
      guard var sample = try samples?.next() else {
        samples = nil
        pieces.removeFirst()
        continue
      }
      var timing = sample.timing
      func ticks(_ value: Int64) -> Int64 {
        MediaTime(value: value, timescale: timing.timescale).since(.zero, in: timescale).value
      }
      timing = SampleTiming(
        decodeTime: ticks(timing.decodeTime).saturatingAdd(piece.shift),
        presentationTime: ticks(timing.presentationTime).saturatingAdd(piece.shift), duration: ticks(timing.duration),
        timescale: timescale)
      sample.timing = timing
      sample.descriptionIndex =
        piece.descriptions.indices.contains(sample.descriptionIndex) ? piece.descriptions[sample.descriptionIndex] : 0
      return sample
    }
    return nil
  }
}

extension SampleDescription {
  /// Whether samples of another description can do with this one. Bit rates, which many files state, do not count.
  fileprivate func isSame(as other: SampleDescription) -> Bool {
    guard entryType == other.entryType, protection == other.protection else { return false }
    switch (format, other.format) {
    // The entry holds the bit rates beside the set-up.
    case (.audio(let mine), .audio(let others)) where !mine.decoderConfiguration.isEmpty: return mine == others
    default: return SampleDescription.withoutBitRates(entry) == SampleDescription.withoutBitRates(other.entry)
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
