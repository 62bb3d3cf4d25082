/// Collects the bytes of many samples in one buffer, with as few reads as their places in the sources allow.
///
/// Samples of audio are a few hundred bytes long. Reading each with a system call of its own costs several times what
/// copying it costs, so samples are queued by place: those that lie one behind another in a source grow into one run,
/// and `load()` reads each run at once. Memory is what `capacity` says, whatever is added.
public struct PayloadGatherer: ~Copyable {
  /// A stretch of one source and where in the buffer it goes.
  private struct Run {
    let reader: SourceReader
    let offset: UInt64
    let place: Int
    var count: Int
  }

  private let buffer: WorkBuffer
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
  /// - Returns: whether it fitted; if not, nothing was added. What is longer than the capacity never fits.
  public mutating func add(_ data: MediaData) -> Bool {
    let added = data.count
    guard added >= 0, added <= room else { return false }
    switch data {
    case .bytes(let bytes):
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[count...]).copyMemory(from: $0) }
    case .range(let reader, let offset, _):
      queue(reader, offset: offset, count: added)
    }
    count += added
    return true
  }

  @inline(__always)
  private mutating func queue(_ reader: SourceReader, offset: UInt64, count added: Int) {
    let last = runs.count - 1
    if last >= 0, runs[last].place + runs[last].count == count, runs[last].reader.isSame(as: reader),
      runs[last].offset &+ UInt64(runs[last].count) == offset
    {
      runs[last].count += added
    } else {
      runs.append(Run(reader: reader, offset: offset, place: count, count: added))
    }
  }

  /// Reads what was queued, one read a run.
  ///
  /// - Throws: `SourceError`; `.endedEarly` with the offset at which a source turned out to be too short.
  public mutating func load() throws(SourceError) {
    for run in runs {
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[run.place..<(run.place + run.count)])
      let done = try run.reader.read(at: run.offset, into: target)
      guard done == run.count else {
        throw SourceError(.endedEarly, name: run.reader.source.name, offset: run.offset &+ UInt64(done))
      }
    }
    runs.removeAll(keepingCapacity: true)
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
