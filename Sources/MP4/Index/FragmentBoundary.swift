internal import MediaCore

/// Decides where a fragment ends: before a sync sample of the leading track, once it is long enough, or wherever it
/// cannot hold the next sample. It keeps what it needs to know about the samples in the fragment so far.
///
/// A fragment states when its first sample is decoded, and the others follow by their durations: so a gap or a step
/// back begins another fragment. It has one description for all samples of a track, and encryption data for all of them
/// or for none.
struct FragmentBoundary {
  /// What the rules consider in a sample.
  struct Sample {
    /// In ticks of its track.
    var decodeTime: Int64
    /// In ticks of its track.
    var duration: Int64
    /// In bytes.
    var size: Int
    var isSync: Bool
    var descriptionIndex: Int
    /// Whether there is encryption data for it.
    var isEncrypted = false
  }

  /// The samples of a track that are in the fragment.
  private struct Part {
    let firstTime: Int64
    var last: Sample
    var count: Int
  }

  /// The most samples of one track in a fragment: memory use depends on this.
  static let maximumSamples = 1 << 16
  /// The most bytes in a fragment: offsets in it take 31 bits. A larger sample gets a fragment of its own.
  static let maximumBytes: UInt64 = 1 << 30

  /// The minimum duration of a fragment.
  let minimumDuration: MediaTime
  private let kinds: [Track.Kind]
  /// The same in ticks of each track.
  private let durations: [Double]
  private let limitsLeader: Bool
  private let splitsAtZero: Bool
  private var parts: [Part?]
  private var bytes: UInt64 = 0

  /// - Parameters:
  ///   - tracks: the tracks that are cut into fragments together.
  ///   - seconds: the minimum duration of a fragment.
  ///   - limitsLeader: whether `maximumSamples` holds for the leading track too.
  ///   - splitsAtZero: whether samples decoded before time 0, which a fragment cannot express, are kept apart from
  ///     those after it, whose times then hold.
  init(_ tracks: [Track], seconds: Double, limitsLeader: Bool, splitsAtZero: Bool) {
    minimumDuration = MediaTime(value: Int64(exactly: (seconds * 1000).rounded()) ?? .max, timescale: 1000)
    kinds = tracks.map(\.kind)
    durations = tracks.map { seconds * Double($0.timescale) }
    self.limitsLeader = limitsLeader
    self.splitsAtZero = splitsAtZero
    parts = tracks.map { _ in nil }
  }

  /// The track that decides where fragments end: the first video track, or otherwise the first track.
  ///
  /// - Parameter hasSamples: whether the track with this index has samples to come; tracks without do not count.
  func leader(where hasSamples: (Int) -> Bool) -> Int? {
    let candidates = kinds.indices.filter(hasSamples)
    return candidates.first { kinds[$0] == .video } ?? candidates.first
  }

  /// Whether the fragment ends before a sample.
  ///
  /// - Parameters:
  ///   - track: the index of its track.
  ///   - isLeader: whether that is the leading track.
  func ends(before sample: Sample, of track: Int, isLeader: @autoclosure () -> Bool) -> Bool {
    guard hasRoom(for: sample) else { return true }
    guard let part = parts[track] else { return false }
    if !continues(part.last, with: sample) { return true }
    if part.count >= FragmentBoundary.maximumSamples, limitsLeader || !isLeader() { return true }
    guard sample.isSync else { return false }
    return Double(sample.decodeTime) - Double(part.firstTime) >= durations[track] && isLeader()
  }

  private func hasRoom(for sample: Sample) -> Bool {
    bytes == 0 || bytes + UInt64(sample.size) <= FragmentBoundary.maximumBytes
  }

  /// Whether a fragment that ends with one sample of a track can hold the next.
  private func continues(_ last: Sample, with next: Sample) -> Bool {
    if splitsAtZero, last.decodeTime < 0, next.decodeTime >= 0 { return false }
    let (end, overflow) = last.decodeTime.addingReportingOverflow(Int64(UInt32(clamping: last.duration)))
    return !overflow && end == next.decodeTime && last.descriptionIndex == next.descriptionIndex
      && last.isEncrypted == next.isEncrypted
  }

  /// Counts a sample as part of the fragment.
  mutating func add(_ sample: Sample, to track: Int) {
    bytes += UInt64(sample.size)
    if parts[track] == nil {
      parts[track] = Part(firstTime: sample.decodeTime, last: sample, count: 1)
    } else {
      parts[track]?.last = sample
      parts[track]?.count += 1
    }
  }

  /// Begins the next fragment, which is empty.
  mutating func begin() {
    bytes = 0
    for track in parts.indices { parts[track] = nil }
  }
}
