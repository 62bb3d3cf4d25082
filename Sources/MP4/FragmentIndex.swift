internal import ISOBMFF
internal import MediaCore

/// Where the fragments of one track lie: an entry for each `traf` box.
struct FragmentIndex: Sendable {
  var fragments: [TrackFragment] = []
  var sampleCount: UInt64 = 0
  var byteCount: UInt64 = 0
  /// When the sample behind the last fragment would be decoded.
  var endTime: Int64 = 0
  var firstTime: Int64?
}

/// One `traf` box: some samples of one track.
struct TrackFragment: Sendable {
  /// Where the box begins, header included.
  let offset: UInt64
  let size: UInt32
  let sampleCount: UInt32
  /// What data offsets count from.
  let base: UInt64
  /// When its first sample is decoded.
  let decodeTime: Int64
  /// Number of its first sample within the track, those of the movie header included.
  let firstSample: UInt64
}

/// What holds for a track's fragments unless they say otherwise.
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

  /// The defaults of all tracks by number; of two for the same track, the last counts.
  static func byTrack(in moov: BoxNode) -> [UInt32: FragmentDefaults] {
    var defaults: [UInt32: FragmentDefaults] = [:]
    for node in moov.first("mvex")?.all("trex") ?? [] {
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

/// The samples of one `traf` box, taken apart.
struct TrackFragmentContent {
  let header: TrackFragmentHeaderBox
  let baseDecodeTime: Int64?
  let runs: [TrackRunBox]

  /// Takes the payload of a `traf` box apart. `offset` is where the payload begins in the file.
  ///
  /// - Throws: `BoxError` for a run that claims more than there is; the box it is in cannot be read then.
  init?(_ payload: ArraySlice<UInt8>, offset: UInt64) throws(BoxError) {
    var header: TrackFragmentHeaderBox?
    var time: Int64?
    var runs: [TrackRunBox] = []
    let end = offset + UInt64(payload.count)
    var place = offset
    while let box = BoxHeader(payload.dropFirst(Int(place - offset)), at: place, limit: end) {
      let body = payload.dropFirst(Int(box.payloadOffset - offset)).prefix(Int(box.payloadSize))
      do throws(BoxError) {
        switch box.type {
        case "tfhd" where header == nil: header = try TrackFragmentHeaderBox.read(body).0
        case "tfdt" where time == nil:
          time = Int64(bitPattern: try TrackFragmentBaseMediaDecodeTimeBox.read(body).0.baseMediaDecodeTime)
        case "trun": runs.append(try TrackRunBox.read(body).0)
        default: break
        }
      } catch {
        throw error.located(path: "moof/traf/\(box.type)", offset: box.offset)
      }
      place = box.end
    }
    guard let header else { return nil }
    self.header = header
    self.runs = runs
    baseDecodeTime = time
  }
}

extension TrackFragmentContent {
  /// What an index needs to know of some samples.
  struct Totals {
    var samples: UInt64 = 0
    var bytes: UInt64 = 0
    /// Sum of the durations.
    var ticks: UInt64 = 0
    /// Where the data of the last one ends.
    var dataEnd: UInt64
  }

  /// Adds the samples up without taking each apart: a movie's fragments are all gone through when it is opened.
  func totals(defaults: FragmentDefaults, base: UInt64) -> Totals {
    typealias Flag = TrackRunBox.Flag
    let defaults = defaults.overridden(by: header)
    var totals = Totals(dataEnd: base)
    for run in runs {
      if run.has(Flag.dataOffset) { totals.dataEnd = base &+ UInt64(bitPattern: Int64(run.dataOffset)) }
      let hasDuration = run.has(Flag.sampleDuration)
      let ticks = hasDuration ? run.sum(at: 0) : UInt64(defaults.duration) * UInt64(run.sampleCount)
      let bytes = run.has(Flag.sampleSize) ? run.sum(at: hasDuration ? 4 : 0) : UInt64(defaults.size) * UInt64(run.sampleCount)
      totals.samples += UInt64(run.sampleCount)
      // Sums of fewer than 2^32 numbers below 2^32; of several such runs only a damaged file has so much.
      totals.ticks &+= ticks
      totals.bytes &+= bytes
      totals.dataEnd &+= bytes
    }
    return totals
  }
}

extension TrackRunBox {
  /// The sum of one field of all samples, `offset` bytes into each entry.
  fileprivate func sum(at offset: Int) -> UInt64 {
    let span = packed.span.bytes
    let stride = entrySize
    var sum: UInt64 = 0
    var place = offset
    for _ in 0..<sampleCount {
      sum &+= UInt64(span.bigEndian(at: place, as: UInt32.self))
      place += stride
    }
    return sum
  }
}

/// Walks the samples of one `traf` box.
struct TrackFragmentCursor: Sendable {
  private let runs: [TrackRunBox]
  private let defaults: FragmentDefaults
  private let base: UInt64
  private var runIndex = 0
  private var sampleIndex: UInt32 = 0
  private(set) var position: UInt64
  private(set) var decodeTime: Int64

  init(_ content: TrackFragmentContent, defaults: FragmentDefaults, base: UInt64, decodeTime: Int64) {
    runs = content.runs
    self.defaults = defaults.overridden(by: content.header)
    self.base = base
    position = base
    self.decodeTime = decodeTime
  }

  /// The next sample, its number left at 0, or `nil` behind the last.
  mutating func next() throws(MP4Error) -> SampleRecord? {
    typealias Flag = TrackRunBox.Flag
    while runIndex < runs.count, sampleIndex == runs[runIndex].sampleCount {
      runIndex += 1
      sampleIndex = 0
    }
    guard runIndex < runs.count else { return nil }
    let flags = runs[runIndex].versionAndFlags.flags
    if sampleIndex == 0, flags & Flag.dataOffset != 0 {
      position = base &+ UInt64(bitPattern: Int64(runs[runIndex].dataOffset))
    }
    var (duration, size, sampleFlags, composition) = (defaults.duration, defaults.size, defaults.flags, Int32(0))
    if sampleIndex == 0, flags & Flag.firstSampleFlags != 0 { sampleFlags = runs[runIndex].firstSampleFlags }
    if flags & 0xF00 != 0 {
      let packed = runs[runIndex].packed
      let span = packed.span.bytes
      var offset = Int(sampleIndex) * runs[runIndex].entrySize
      if flags & Flag.sampleDuration != 0 {
        duration = span.bigEndian(at: offset)
        offset += 4
      }
      if flags & Flag.sampleSize != 0 {
        size = span.bigEndian(at: offset)
        offset += 4
      }
      if flags & Flag.sampleFlags != 0 {
        sampleFlags = span.bigEndian(at: offset)
        offset += 4
      }
      if flags & Flag.sampleCompositionTimeOffset != 0 { composition = span.bigEndian(at: offset) }
    }
    let (presentation, overflow1) = decodeTime.addingReportingOverflow(Int64(composition))
    let (end, overflow2) = decodeTime.addingReportingOverflow(Int64(duration))
    guard !overflow1, !overflow2 else { throw MP4Error(.timeOverflow) }
    defer {
      decodeTime = end
      position &+= UInt64(size)
      sampleIndex += 1
    }
    return SampleRecord(
      number: 0, offset: position, size: Int(size), decodeTime: decodeTime, presentationTime: presentation,
      duration: Int64(duration), isSync: sampleFlags & SampleFlags.isNonSync == 0,
      descriptionIndex: max(Int(defaults.descriptionIndex), 1) - 1)
  }
}
