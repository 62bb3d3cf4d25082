internal import ISOBMFF
internal import MediaCore

/// The parsed samples of one `traf` box.
struct TrackFragmentContent {
  /// Which track it belongs to; without it nothing else counts.
  private(set) var header: TrackFragmentHeaderBox?
  private(set) var baseDecodeTime: Int64?
  private(set) var runs: [FragmentRun] = []
  /// One byte per sample, if a box of its own says how they depend on one another.
  private(set) var dependencies: ArraySlice<UInt8> = []
  /// Whether it has sample groups or sub-samples.
  private(set) var isAnnotated = false
  /// What is wrong with the box after the runs that were found.
  private(set) var defect: BoxError?

  /// Parses the payload of a `traf` box, as far as possible. `offset` is where the payload begins in the file.
  init(_ payload: ArraySlice<UInt8>, offset: UInt64) {
    let end = offset + UInt64(payload.count)
    var fileOffset = offset
    while case nil = defect,
      let box = BoxHeader(payload.dropFirst(Int(fileOffset - offset)), at: fileOffset, limit: end)
    {
      let body = payload.dropFirst(Int(box.payloadOffset - offset)).prefix(Int(box.payloadSize))
      do throws(BoxError) {
        switch box.type {
        case "tfhd" where header == nil: header = try TrackFragmentHeaderBox.read(body).0
        case "tfdt" where baseDecodeTime == nil:
          baseDecodeTime = Int64(
            bitPattern: try TrackFragmentBaseMediaDecodeTimeBox.read(body).0.baseMediaDecodeTime)
        case "trun": try addRun(body)
        case "sdtp": dependencies = body.dropFirst(4)
        case "sbgp", "csgp", "subs": isAnnotated = true
        default: break
        }
      } catch {
        defect = error.located(path: "moof/traf/\(box.type)", offset: box.offset)
      }
      fileOffset = box.end
    }
  }

  /// A run that claims more samples than fit in it is kept as far as it goes.
  private mutating func addRun(_ body: ArraySlice<UInt8>) throws(BoxError) {
    do throws(BoxError) {
      runs.append(FragmentRun(try TrackRunBox.read(body).0))
    } catch {
      guard case .countExceedsBox(_, let room) = error.code else { throw error }
      var shortened = Array(body.prefix(4))
      shortened.appendBigEndian(UInt32(clamping: room))
      shortened += body.dropFirst(8)
      runs.append(FragmentRun(try TrackRunBox.read(shortened[...]).0))
      throw error
    }
  }
}

/// Walks the samples of one `traf` box.
struct TrackFragmentCursor: Sendable {
  private let runs: [FragmentRun]
  private let defaults: FragmentDefaults
  private let base: UInt64
  private let dependencies: ArraySlice<UInt8>
  /// How many samples were delivered.
  private var delivered = 0
  private var runIndex = 0
  private var sampleIndex: UInt32 = 0
  private(set) var position: UInt64
  private(set) var decodeTime: Int64
  /// When the sample that is shown last ends, of those that were delivered or skipped.
  private(set) var lastShownEnd: Int64?

  init(
    _ content: TrackFragmentContent, header: TrackFragmentHeaderBox, defaults: FragmentDefaults, base: UInt64,
    decodeTime: Int64
  ) {
    runs = content.runs
    self.defaults = defaults.overridden(by: header)
    self.base = base
    dependencies = content.dependencies
    position = base
    self.decodeTime = decodeTime
  }

  /// Enters the next run, if the current one is over. A run without samples still determines where the next one begins.
  ///
  /// - Returns: whether any sample is left.
  @inline(__always)
  private mutating func enterRun() -> Bool {
    while runIndex < runs.count {
      if sampleIndex == 0, let dataOffset = runs[runIndex].dataOffset {
        position = base &+ UInt64(bitPattern: Int64(dataOffset))
      }
      if sampleIndex < runs[runIndex].sampleCount { return true }
      runIndex += 1
      sampleIndex = 0
    }
    return false
  }

  /// What an index needs to know about a run.
  struct RunTotals {
    let count: UInt32
    /// The size of each sample, if the run has no fields for sizes.
    let bareSize: UInt32?
    let bytes: UInt64
    /// Sum of the durations.
    let ticks: UInt64
    /// When the sample that is shown last ends, relative to when the first one is decoded.
    let shownEnd: Int64
  }

  /// The totals of the run that begins with the next sample, without parsing each sample: opening a movie scans all its
  /// fragments. `nil` after the last one, and inside a run.
  mutating func runTotals() -> RunTotals? {
    guard enterRun(), sampleIndex == 0 else { return nil }
    let run = runs[runIndex]
    let count = UInt64(run.sampleCount)
    // None of these overflows: fewer than 2^32 numbers below 2^32.
    let bytes = run.hasSize ? run.sum(at: run.hasDuration ? 4 : 0) : UInt64(defaults.size) * count
    let (ticks, shownEnd) =
      run.hasCompositionOffset
      ? run.times(duration: defaults.duration)
      : run.hasDuration ? (run.sum(at: 0), nil) : (UInt64(defaults.duration) * count, nil)
    return RunTotals(
      count: run.sampleCount, bareSize: run.entrySize == 0 ? defaults.size : nil, bytes: bytes, ticks: ticks,
      shownEnd: shownEnd ?? Int64(clamping: ticks))
  }

  /// Skips a whole run.
  ///
  /// - Returns: whether its times fit in 64 bits, composition offsets included; if that is not certain, nothing was
  ///   skipped, and its samples have to be examined one by one.
  mutating func skip(_ run: RunTotals) -> Bool {
    let (end, overflow) = decodeTime.addingReportingOverflow(Int64(clamping: run.ticks))
    guard !overflow, end <= Int64.max - Int64(Int32.max), decodeTime >= Int64.min - Int64(Int32.min) else {
      return false
    }
    noteShown(until: decodeTime.saturatingAdd(run.shownEnd))
    decodeTime = end
    position &+= run.bytes
    runIndex += 1
    return true
  }

  @inline(__always)
  private mutating func noteShown(until end: Int64) {
    if let last = lastShownEnd, last >= end { return }
    lastShownEnd = end
  }

  /// The next sample, its number left at 0, or `nil` after the last.
  mutating func next() throws(MP4Error) -> SampleRecord? {
    guard enterRun() else { return nil }
    var (duration, size, sampleFlags, composition) = (defaults.duration, defaults.size, defaults.flags, Int32(0))
    if sampleIndex == 0, let first = runs[runIndex].firstSampleFlags { sampleFlags = first }
    if runs[runIndex].entrySize != 0 {
      let packed = runs[runIndex].packed
      let span = packed.span
      var offset = Int(sampleIndex) * runs[runIndex].entrySize
      if runs[runIndex].hasDuration {
        duration = span.bigEndian(at: offset)
        offset += 4
      }
      if runs[runIndex].hasSize {
        size = span.bigEndian(at: offset)
        offset += 4
      }
      if runs[runIndex].hasFlags {
        sampleFlags = span.bigEndian(at: offset)
        offset += 4
      }
      if runs[runIndex].hasCompositionOffset { composition = span.bigEndian(at: offset) }
    }
    let (presentation, overflow1) = decodeTime.addingReportingOverflow(Int64(composition))
    let (end, overflow2) = decodeTime.addingReportingOverflow(Int64(duration))
    guard !overflow1, !overflow2 else { throw MP4Error(.timeOverflow) }
    noteShown(until: presentation.saturatingAdd(Int64(duration)))
    defer {
      decodeTime = end
      position &+= UInt64(size)
      sampleIndex += 1
      delivered += 1
    }
    let dependency =
      delivered < dependencies.count
      ? dependencies[dependencies.startIndex + delivered] : UInt8(truncatingIfNeeded: sampleFlags >> 20)
    return SampleRecord(
      number: 0, offset: position, size: Int(size), decodeTime: decodeTime, presentationTime: presentation,
      duration: Int64(duration), isSync: sampleFlags & SampleFlags.isNonSync == 0, dependencies: dependency,
      descriptionIndex: max(Int(clamping: defaults.descriptionIndex), 1) - 1)
  }
}
