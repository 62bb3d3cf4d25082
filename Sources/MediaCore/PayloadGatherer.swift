/// Collects the bytes of many samples in one buffer, with as few reads as their places in the sources allow.
///
/// Samples of audio are a few hundred bytes long. Reading each with a system call of its own costs several times what
/// copying it costs, so samples are queued by place: those that lie one behind another in a source grow into one run,
/// and `load()` reads a run at once, and runs with little between them together. Memory is bounded, whatever is added.
public struct PayloadGatherer: ~Copyable {
  /// A stretch of one source and where in the buffer it goes.
  private struct Run {
    let reader: SourceReader
    let offset: UInt64
    let place: Int
    var count: Int
  }

  /// Runs that are read at once.
  private struct Group {
    var runs: Range<Int>
    var length: Int
  }

  /// Runs that can be queued: they must not outweigh the bytes they stand for.
  private static let runLimit = 4096
  /// Bytes between two runs that are read rather than jumped over: a system call takes as long as copying these.
  private static let bridge = 4096
  /// Bytes that runs with gaps between them may span.
  private static let groupSize = 65_536

  private let buffer: WorkBuffer
  /// Where runs are read together with what lies between them.
  private let together = WorkBuffer(count: PayloadGatherer.groupSize)
  private var runs: [Run] = []
  /// Bytes added since the last `removeAll()`.
  public private(set) var count = 0

  /// A gatherer of up to `capacity` bytes at a time, at least 1.
  public init(capacity: Int) {
    buffer = WorkBuffer(count: capacity)
  }

  /// Bytes that can still be added.
  public var room: Int { buffer.bytes.count - count }

  /// Queues a sample's bytes behind those added before. What is in memory is copied now, the rest by `load()`.
  ///
  /// - Returns: whether it was taken. If not, `load()`, use and `removeAll()` make room; only what is longer than the
  ///   capacity never fits.
  public mutating func add(_ data: MediaData) -> Bool {
    let added = data.count
    guard added >= 0, added <= room else { return false }
    switch data {
    case .bytes(let bytes):
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[count...]).copyMemory(from: $0) }
    case .range(let reader, let offset, _):
      guard queue(reader, offset: offset, count: added) else { return false }
    }
    count += added
    return true
  }

  @inline(__always)
  private mutating func queue(_ reader: SourceReader, offset: UInt64, count added: Int) -> Bool {
    let last = runs.count - 1
    if last >= 0, runs[last].place + runs[last].count == count, runs[last].reader.isSame(as: reader),
      runs[last].offset &+ UInt64(runs[last].count) == offset
    {
      runs[last].count += added
      return true
    }
    guard runs.count < PayloadGatherer.runLimit else { return false }
    runs.append(Run(reader: reader, offset: offset, place: count, count: added))
    return true
  }

  /// Reads what was queued.
  ///
  /// - Throws: `SourceError`; `.endedEarly` with the offset at which a source turned out to be too short.
  public mutating func load() throws(SourceError) {
    var next = 0
    while next < runs.count {
      let group = group(from: next)
      let first = runs[next]
      if group.runs.count == 1 {
        try read(first, length: first.count, into: buffer.bytes[first.place..<(first.place + first.count)])
      } else {
        try read(first, length: group.length, into: together.bytes[..<group.length])
        for run in runs[group.runs] {
          let start = Int(run.offset - first.offset)
          UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[run.place..<(run.place + run.count)])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: together.bytes[start..<(start + run.count)]))
        }
      }
      next = group.runs.upperBound
    }
    runs.removeAll(keepingCapacity: true)
  }

  /// The run of a number and those behind it that are best read along.
  private func group(from first: Int) -> Group {
    let start = runs[first].offset
    var group = Group(runs: first..<(first + 1), length: runs[first].count)
    for run in runs[(first + 1)...] {
      // Offsets may be anything: what is far away is dropped before it is added to.
      guard run.reader.isSame(as: runs[first].reader), run.offset >= start,
        let distance = Int(exactly: run.offset - start), distance <= PayloadGatherer.groupSize,
        distance >= group.length, distance - group.length <= PayloadGatherer.bridge,
        run.count <= PayloadGatherer.groupSize - distance
      else { break }
      group.runs = first..<(group.runs.upperBound + 1)
      group.length = distance + run.count
    }
    return group
  }

  private func read(_ first: Run, length: Int, into target: Slice<UnsafeMutableRawBufferPointer>) throws(SourceError) {
    let done = try first.reader.read(at: first.offset, into: UnsafeMutableRawBufferPointer(rebasing: target))
    guard done == length else {
      throw SourceError(.endedEarly, name: first.reader.source.name, offset: first.offset &+ UInt64(done))
    }
  }

  /// Lends the bytes, in the order in which they were added; none at all while any of them have yet to be loaded, so
  /// that nobody sees memory that nothing was written to.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<(runs.isEmpty ? count : 0)]))
  }

  /// Forgets everything added, and keeps the memory for what comes next.
  public mutating func removeAll() {
    runs.removeAll(keepingCapacity: true)
    count = 0
  }
}
