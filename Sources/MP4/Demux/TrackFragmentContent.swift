internal import ISOBMFF
internal import MediaCore

/// The parsed samples of one `traf` box.
struct TrackFragmentContent {
  /// Which track it belongs to; without it nothing else counts.
  private(set) var header: TrackFragmentHeaderBox?
  private(set) var baseDecodeTime: Int64?
  private(set) var runs: [TrackRunBox] = []
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
      runs.append(try TrackRunBox.read(body).0)
    } catch {
      guard case .countExceedsBox(_, let room) = error.code else { throw error }
      var shortened = Array(body.prefix(4))
      shortened.appendBigEndian(UInt32(clamping: room))
      shortened += body.dropFirst(8)
      runs.append(try TrackRunBox.read(shortened[...]).0)
      throw error
    }
  }
}

/// Walks the samples of one `traf` box.
struct TrackFragmentCursor: Sendable {
  private let runs: [TrackRunBox]
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
      if sampleIndex == 0, runs[runIndex].has(TrackRunBox.Flag.dataOffset) {
        position = base &+ UInt64(bitPattern: Int64(runs[runIndex].dataOffset))
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
    typealias Flag = TrackRunBox.Flag
    guard enterRun(), sampleIndex == 0 else { return nil }
    let run = runs[runIndex]
    let count = UInt64(run.sampleCount)
    let hasDuration = run.has(Flag.sampleDuration)
    // None of these overflows: fewer than 2^32 numbers below 2^32.
    let bytes = run.has(Flag.sampleSize) ? run.sum(at: hasDuration ? 4 : 0) : UInt64(defaults.size) * count
    let (ticks, shownEnd) =
      run.has(Flag.sampleCompositionTimeOffset)
      ? run.times(duration: defaults.duration)
      : hasDuration ? (run.sum(at: 0), nil) : (UInt64(defaults.duration) * count, nil)
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
    typealias Flag = TrackRunBox.Flag
    guard enterRun() else { return nil }
    let flags = runs[runIndex].versionAndFlags.flags
    var (duration, size, sampleFlags, composition) = (defaults.duration, defaults.size, defaults.flags, Int32(0))
    if sampleIndex == 0, flags & Flag.firstSampleFlags != 0 { sampleFlags = runs[runIndex].firstSampleFlags }
    if flags & 0xF00 != 0 {
      let packed = runs[runIndex].packed
      let span = packed.span
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

extension TrackRunBox {
  /// The sum of the durations, and when the sample that is shown last ends, relative to when the first one is decoded;
  /// for runs with composition offsets.
  ///
  /// - Parameter duration: the duration of samples that have no field for it.
  fileprivate func times(duration: UInt32) -> (ticks: UInt64, shownEnd: Int64?) {
    let span = packed.span
    let stride = entrySize
    let hasDuration = has(Flag.sampleDuration)
    var (duration, time, shownEnd) = (Int64(duration), Int64(0), Int64.min)
    // The offset comes last in each entry.
    var bufferOffset = stride - 4
    for _ in 0..<sampleCount {
      if hasDuration { duration = Int64(span.bigEndian(at: bufferOffset &+ 4 &- stride, as: UInt32.self)) }
      time &+= duration
      shownEnd = max(shownEnd, time &+ Int64(span.bigEndian(at: bufferOffset, as: Int32.self)))
      bufferOffset &+= stride
    }
    return (UInt64(time), sampleCount == 0 ? nil : shownEnd)
  }

  /// The sum of one field of all samples, `offset` bytes into each entry.
  fileprivate func sum(at offset: Int) -> UInt64 {
    let span = packed.span
    let stride = entrySize
    var sum: UInt64 = 0
    var bufferOffset = offset
    for _ in 0..<sampleCount {
      sum &+= UInt64(span.bigEndian(at: bufferOffset, as: UInt32.self))
      bufferOffset += stride
    }
    return sum
  }
}
