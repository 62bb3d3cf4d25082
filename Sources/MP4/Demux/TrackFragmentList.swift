internal import ISOBMFF
internal import MediaCore

/// The track fragments of one track: the offset of each `traf` box, and their totals.
struct TrackFragmentList: Sendable, Equatable {
  var entries: [TrackFragment] = []
  var sampleCount: UInt64 = 0
  var byteCount: UInt64 = 0
  /// When the sample after the last fragment would be decoded.
  var endTime: Int64 = 0
  var firstTime: Int64?
  /// When the sample that is shown last, of those in fragments, ends.
  private(set) var lastShownEnd: Int64?

  /// Adds a fragment whose samples have this many bytes in total.
  ///
  /// - Parameters:
  ///   - endTime: when the sample after it would be decoded.
  ///   - shownEnd: when its sample that is shown last ends; `nil` without samples.
  mutating func append(_ fragment: TrackFragment, bytes: UInt64, endTime: Int64, shownEnd: Int64?) {
    entries.append(fragment)
    sampleCount += UInt64(fragment.sampleCount)
    byteCount &+= bytes
    firstTime = firstTime ?? fragment.decodeTime
    self.endTime = endTime
    if let shownEnd { lastShownEnd = max(lastShownEnd ?? shownEnd, shownEnd) }
  }
}

/// One `traf` box: some samples of one track.
struct TrackFragment: Sendable, Equatable {
  /// The offset of the box, including its header.
  let offset: UInt64
  let size: UInt32
  /// Whether it has sample groups or sub-samples.
  let isAnnotated: Bool
  let sampleCount: UInt32
  /// What data offsets count from.
  let base: UInt64
  /// When its first sample is decoded.
  let decodeTime: Int64
  /// Number of its first sample within the track, those of the movie header included.
  let firstSample: UInt64
}

/// What applies to a track's fragments unless they say otherwise.
struct FragmentDefaults: Sendable {
  var descriptionIndex: UInt32 = 1
  var duration: UInt32 = 0
  var size: UInt32 = 0
  var flags: UInt32 = 0

  init(_ box: TrackExtendsBox?) {
    guard let box else { return }
    descriptionIndex = box.defaultSampleDescriptionIndex
    duration = box.defaultSampleDuration
    size = box.defaultSampleSize
    flags = box.defaultSampleFlags
  }

  /// The defaults of all tracks by number; of two for the same track, the last applies.
  static func byTrack(in moov: BoxNode?) -> [UInt32: FragmentDefaults] {
    var defaults: [UInt32: FragmentDefaults] = [:]
    for node in moov?.first("mvex")?.all("trex") ?? [] {
      if let box = node.box(as: TrackExtendsBox.self) { defaults[box.trackID] = FragmentDefaults(box) }
    }
    return defaults
  }

  func overridden(by header: TrackFragmentHeaderBox) -> FragmentDefaults {
    typealias Flag = TrackFragmentHeaderBox.Flag
    var result = self
    if header.has(Flag.sampleDescriptionIndex) { result.descriptionIndex = header.sampleDescriptionIndex }
    if header.has(Flag.defaultSampleDuration) { result.duration = header.defaultSampleDuration }
    if header.has(Flag.defaultSampleSize) { result.size = header.defaultSampleSize }
    if header.has(Flag.defaultSampleFlags) { result.flags = header.defaultSampleFlags }
    return result
  }
}
