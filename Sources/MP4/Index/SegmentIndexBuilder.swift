internal import ISOBMFF
internal import MediaCore

/// Builds the segment index of a fragmented movie: the size and duration of each fragment, and whether decoding can
/// begin with it.
///
/// Without it a player that seeks over a network reads the header of every fragment on the way, and ffmpeg 5 finds no
/// encryption data in a fragment that is not listed. Source: ISO/IEC 14496-12, 8.16.3.
struct SegmentIndexBuilder {
  private struct Fragment {
    let bytes: UInt64
    /// The earliest time at which one of its samples is shown, in ticks of the leading track; never before that of the
    /// previous fragment.
    let begin: Int64
    let startsWithSync: Bool
    /// Whether no sample is shown before the first one is.
    let beginsWithFirst: Bool

    /// Type 1 if the first sample decoded is the first one shown, otherwise unknown.
    var accessPoint: UInt32 {
      guard startsWithSync else { return 0 }
      return beginsWithFirst ? 0x9000_0000 : 0x8000_0000
    }
  }

  /// A track that leads fragments.
  struct Leader {
    let track: Track
    /// The media time, in ticks, at which the presentation begins; negative where the track begins after a delay.
    let origin: Int64

    /// - Parameters:
    ///   - track: the track.
    ///   - edits: its edits in the output.
    init(_ track: Track, edits: [Edit]) {
      self.track = track
      let delay = edits.delay.reduce(0 as Int64) {
        $0.saturatingAdd($1.duration.since(.zero, in: track.timescale).value)
      }
      origin = (edits.firstShown?.mediaTime?.value ?? 0).saturatingSubtract(delay)
    }

    /// The tick of another track at which the presentation is as far as at a tick of this one.
    func tick(_ tick: Int64, in other: Leader) -> Int64 {
      if other.track.id == track.id { return tick }
      let time = MediaTime(value: tick.saturatingSubtract(origin), timescale: track.timescale)
      return time.since(.zero, in: other.track.timescale).value.saturatingAdd(other.origin)
    }
  }

  /// The track whose times are in the index.
  private let leader: Leader
  private var fragments: [Fragment] = []
  private var end = Int64.min

  /// - Parameter leader: the track that leads the first fragment, whose times are in the index.
  init(_ leader: Leader) { self.leader = leader }

  /// Adds a fragment.
  ///
  /// - Parameters:
  ///   - bytes: its size, header included.
  ///   - samples: its samples of the track that leads it.
  ///   - own: the track that leads this fragment; another than the index's track once that one has ended.
  mutating func add(_ bytes: UInt64, _ samples: [SampleRecord], of own: Leader) {
    let (first, leader) = (samples.first, leader)
    let shown = samples.lazy.map { own.tick($0.presentationTime, in: leader) }.min()
    let begin = max(shown ?? end, fragments.last?.begin ?? .min)
    fragments.append(
      Fragment(
        bytes: bytes, begin: begin, startsWithSync: first?.isSync == true,
        beginsWithFirst: first.map { own.tick($0.presentationTime, in: leader) } == begin))
    for sample in samples {
      end = max(end, own.tick(sample.presentationTime.saturatingAdd(sample.duration), in: leader))
    }
  }

  /// The box, which goes directly before the first fragment; `nil` if the values do not fit in its fields.
  var box: SegmentIndexBox? {
    guard let first = fragments.first else { return nil }
    var box = SegmentIndexBox()
    box.versionAndFlags.version = 1
    box.referenceID = leader.track.id
    box.timescale = leader.track.timescale
    box.earliestPresentationTime = UInt64(max(first.begin.saturatingSubtract(leader.origin), 0))
    // A box lists at most 65 535 fragments: if there are more, several count as one.
    let joined = (fragments.count - 1) / Int(UInt16.max) + 1
    var references: [SegmentReference] = []
    for index in stride(from: 0, to: fragments.count, by: joined) {
      let next = min(index + joined, fragments.count)
      let bytes = fragments[index..<next].reduce(0) { $0 + $1.bytes }
      let until = next < fragments.count ? fragments[next].begin : end
      let length = max(until.saturatingSubtract(fragments[index].begin), 0)
      guard bytes <= UInt64(Int32.max), let duration = UInt32(exactly: length) else { return nil }
      references.append(
        SegmentReference(
          typeAndSize: UInt32(bytes), subsegmentDuration: duration, streamAccessPoint: fragments[index].accessPoint))
    }
    box.references = PackedTable(references)
    return box
  }
}
