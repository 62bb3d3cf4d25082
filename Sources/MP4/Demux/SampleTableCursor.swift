internal import ISOBMFF
internal import MediaCore

/// Walks the samples of a progressive track in decoding order.
struct SampleTableCursor: Sendable {
  private let sampleCount: UInt64
  private let packing: SampleTable.Packing?
  private var chunks: ChunkCursor?
  private var sizes: SizeCursor
  private var times: RunCursor?
  private var compositions: RunCursor?
  private var syncs: SyncSampleCursor?
  private var dependencies: TableWindow<UInt8>?

  /// Number of the sample that `next()` delivers.
  private(set) var number: UInt64 = 0
  private var decodeTime: Int64 = 0
  private var leftInChunk: UInt64 = 0
  private var position: UInt64 = 0
  /// Sample entry of the current chunk, counted from 0.
  private var descriptionIndex = 0

  init(_ table: SampleTable) {
    sampleCount = table.sampleCount
    packing = table.packing
    if let runs = table.sampleToChunk, let offsets = table.chunkOffsets {
      chunks = ChunkCursor(runs: runs, offsets: offsets)
    }
    sizes = SizeCursor(table.sizes)
    times = table.timeToSample.map { RunCursor($0, repeatsLast: true) }
    compositions = table.compositionOffsets.map { RunCursor($0, repeatsLast: false) }
    dependencies = table.dependencies.map { TableWindow($0) }
    syncs = table.syncSamples.map { SyncSampleCursor($0) }
  }

  /// The next sample, or `nil` after the last. Where there are more sizes than the chunks hold, the chunks decide: a
  /// sample in no chunk cannot be read.
  @inline(__always)
  mutating func next() throws(MP4Error) -> SampleRecord? {
    while leftInChunk == 0 {
      guard number < sampleCount, try chunks?.advance() == true else { return nil }
      enterChunk()
    }
    guard number < sampleCount else { return nil }
    if let packing { return try nextPacked(packing) }
    let size = try sizes.size(at: number)
    let duration = try times?.next() ?? 0
    let composition = try compositions?.next() ?? 0
    let record = SampleRecord(
      number: number, offset: position, size: Int(size), decodeTime: decodeTime,
      presentationTime: try sum(decodeTime, composition), duration: duration,
      isSync: try syncs?.contains(number + 1) ?? true, dependencies: try dependency(),
      descriptionIndex: descriptionIndex)
    decodeTime = try sum(decodeTime, duration)
    position &+= UInt64(size)
    number += 1
    leftInChunk -= 1
    return record
  }

  /// Seeks to a sample by number, without visiting those before it; in PCM, to the piece that holds the frame.
  ///
  /// - Returns: whether there is such a sample.
  mutating func seek(to target: UInt64, in table: SampleTable) throws(MP4Error) -> Bool {
    self = SampleTableCursor(table)
    guard target < sampleCount, let intoChunk = try chunks?.skip(samples: target) else { return false }
    let first = target - intoChunk
    // PCM is delivered in pieces that begin where their chunk begins or the previous piece ended; for anything else,
    // the sizes before the target in its chunk need only be added up.
    let start = packing == nil ? target : first
    guard let time = try times == nil ? 0 : times?.skip(start) else { throw MP4Error(.timeOverflow) }
    _ = try compositions?.skip(start)
    decodeTime = time
    number = start
    enterChunk()
    guard let packing else {
      position &+= try table.sizes.byteCount(of: first..<target)
      leftInChunk -= intoChunk
      return true
    }
    while number + min(leftInChunk, packing.deliveredFrames) <= target {
      guard try next() != nil else { return false }
    }
    return true
  }

  @inline(__always)
  private mutating func dependency() throws(MP4Error) -> UInt8 {
    guard let count = dependencies?.count, number < count else { return 0 }
    return try dependencies?.entry(at: Int(number)) ?? 0
  }

  private mutating func enterChunk() {
    leftInChunk = UInt64(chunks?.samplesPerChunk ?? 0)
    position = chunks?.offset ?? 0
    descriptionIndex = chunks?.descriptionIndex ?? 0
  }

  /// The part of the chunk that is delivered at once, as one sample.
  private mutating func nextPacked(_ packing: SampleTable.Packing) throws(MP4Error) -> SampleRecord {
    let frames = min(leftInChunk, sampleCount - number, packing.deliveredFrames)
    let bytes = packing.byteCount(frames: frames)
    guard let duration = try times == nil ? Int64(frames) : times?.skip(frames) else { throw MP4Error(.timeOverflow) }
    let record = SampleRecord(
      number: number, offset: position, size: Int(bytes), decodeTime: decodeTime, presentationTime: decodeTime,
      duration: duration, isSync: true, descriptionIndex: descriptionIndex)
    decodeTime = try sum(decodeTime, duration)
    position &+= bytes
    number += frames
    leftInChunk -= frames
    return record
  }

  @inline(__always)
  private func sum(_ time: Int64, _ ticks: Int64) throws(MP4Error) -> Int64 {
    let (result, overflow) = time.addingReportingOverflow(ticks)
    if overflow { throw MP4Error(.timeOverflow) }
    return result
  }
}

/// Sizes of samples by number.
struct SizeCursor: Sendable {
  private let constant: UInt32
  private var table: TableWindow<UInt32>?
  private var compact: TableWindow<UInt8>?
  private let bits: Int

  init(_ sizes: SampleTable.Sizes) {
    switch sizes {
    case .constant(let size):
      constant = size
      bits = 0
    case .table(let location):
      constant = 0
      bits = 0
      table = TableWindow(location)
    case .compact(let location, let bits):
      constant = 0
      self.bits = bits
      compact = TableWindow(location)
    }
  }

  /// The size of the sample with this number, from 0. The caller has bounded the number by the table.
  @inline(__always)
  mutating func size(at number: UInt64) throws(MP4Error) -> UInt32 {
    if let size = try table?.entry(at: Int(number)) { return size }
    return compact == nil ? constant : try compactSize(at: Int(number))
  }

  private mutating func compactSize(at number: Int) throws(MP4Error) -> UInt32 {
    switch bits {
    case 4:
      let byte = UInt32(try compact?.entry(at: number / 2) ?? 0)
      return number.isMultiple(of: 2) ? byte >> 4 : byte & 15
    case 8: return UInt32(try compact?.entry(at: number) ?? 0)
    default:
      let high = UInt32(try compact?.entry(at: number * 2) ?? 0)
      return high << 8 | UInt32(try compact?.entry(at: number * 2 + 1) ?? 0)
    }
  }
}

/// Tells which samples are sync samples; to be asked in ascending order.
struct SyncSampleCursor: Sendable {
  private var window: TableWindow<UInt32>
  private var index = 0
  private var upcoming: UInt64 = 0
  private var isChecked = false
  /// All numbers in order, if the file does not have them in order.
  private var sorted: [UInt32]?

  init(_ location: TableLocation) {
    window = TableWindow(location)
  }

  /// Reads all numbers once, to see whether they ascend.
  private mutating func check() throws(MP4Error) {
    var scan = window
    var last: UInt32 = 0
    for index in 0..<window.count {
      let number = try scan.entry(at: index)
      if number < last {
        try sort()
        break
      }
      last = number
    }
    isChecked = true
  }

  /// Whether the sample with this number, from 1, is a sync sample.
  mutating func contains(_ number: UInt64) throws(MP4Error) -> Bool {
    if !isChecked { try check() }
    while upcoming < number, index < window.count {
      if let sorted {
        upcoming = UInt64(sorted[index])
      } else {
        upcoming = UInt64(try window.entry(at: index))
      }
      index += 1
    }
    return upcoming == number
  }

  private mutating func sort() throws(MP4Error) {
    var numbers: [UInt32] = []
    for index in 0..<window.count { numbers.append(try window.entry(at: index)) }
    sorted = numbers.sorted()
  }
}
