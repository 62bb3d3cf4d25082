/// Collects the bytes of many samples in one buffer, with as few reads as their offsets in the sources allow.
///
/// Audio samples are a few hundred bytes long. Reading each with its own system call costs several times as much as
/// copying it, so samples are queued by offset: samples adjacent in a source grow into one run, and `load()` reads a
/// run at once, and runs with small gaps between them together. Memory is bounded, whatever is added.
///
/// A header that goes before a sample is stored at once, and the sample is later read to its position after it: what
/// was gathered is ready to be written.
package struct PayloadGatherer: ~Copyable {
  /// A stretch of one source and where in the buffer it goes.
  private struct Run {
    /// Index into `readers`: copying a number is free, copying a reference means counting it.
    let reader: Int
    let offset: UInt64
    let place: Int
    var count: Int
  }

  /// Several runs that are read at once into spare memory, together with the gaps between them.
  private struct Group {
    let runs: Range<Int>
    let place: Int
  }

  /// Runs that can be queued: they must not outweigh the bytes they stand for.
  private static let runLimit = 4096
  /// How many bytes can be copied in the time of a system call. A gap up to this size is read rather than skipped; a
  /// longer run is read straight to its position, not into the spare memory with others.
  private static let bridge = 4096
  /// Bytes that runs read together may span: few enough to still be in the fastest caches when they are distributed.
  private static let groupSize = 65_536
  /// The number of pieces from which on making a ring pays.
  private static let ringThreshold = 64
  /// The longest header.
  private static let headerLimit = 8

  /// The most bytes that are gathered.
  private let capacity: Int
  /// The gathered bytes, followed by the spare memory.
  private let buffer: WorkBuffer
  private var runs: [Run] = []
  /// The sources of the runs; runs in a row from one source share its entry.
  private var readers: [SourceReader] = []
  /// The pieces that `load()` is about to read; a property, so that its memory is reused.
  private var pieces: [ReadPiece] = []
  private var groups: [Group] = []
  /// For reading many pieces at once: made when it is first needed, and given up after a read that was not complete.
  private var ring: ReadRing?
  private var mayUseRing = true
  /// Bytes added since the last `removeAll()`.
  package private(set) var count = 0

  /// A gatherer of up to `capacity` bytes at a time, at least 1.
  package init(capacity: Int) {
    self.capacity = max(capacity, 1)
    // A header is stored as a whole word, whatever its length.
    buffer = WorkBuffer(count: self.capacity + PayloadGatherer.headerLimit + PayloadGatherer.groupSize)
  }

  /// Bytes that can still be added.
  package var room: Int { capacity - count }

  /// Queues a sample's bytes after those added before. What is in memory is copied now, the rest by `load()`.
  ///
  /// - Parameters:
  ///   - data: the sample.
  ///   - header: what goes before it, as a number whose lowest byte comes last.
  ///   - headerSize: bytes of the header, 0 to 8.
  /// - Returns: whether it was taken, along with its header. If not, make room with `load()`, use the bytes, and call
  ///   `removeAll()`; only what is longer than the capacity never fits.
  package mutating func add(_ data: MediaData, after header: UInt64 = 0, of headerSize: Int = 0) -> Bool {
    let added = data.count
    guard (0...PayloadGatherer.headerLimit).contains(headerSize), added >= 0, added <= room - headerSize else {
      return false
    }
    let place = count + headerSize
    switch data {
    case .bytes(let bytes):
      store(header, of: headerSize)
      unsafe bytes.withUnsafeBytes { unsafe buffer[place..<(place + added)].copyMemory(from: $0) }
    case .range(let reader, let offset, _):
      guard queue(reader, offset: offset, count: added, at: place) else { return false }
      store(header, of: headerSize)
    }
    count = place + added
    return true
  }

  @inline(__always)
  private func store(_ header: UInt64, of size: Int) {
    guard size > 0 else { return }
    // Stores eight bytes at once; the sample overwrites what follows the header. They fit, as there is spare memory
    // after the gathered bytes.
    let leading = header << UInt64((PayloadGatherer.headerLimit - size) * 8)
    unsafe buffer.bytes.storeBytes(of: leading.bigEndian, toByteOffset: count, as: UInt64.self)
  }

  @inline(__always)
  private mutating func queue(_ reader: SourceReader, offset: UInt64, count added: Int, at place: Int) -> Bool {
    guard added > 0 else { return true }
    let last = runs.count - 1
    let isLastReader = readers.last?.isSame(as: reader) ?? false
    if isLastReader, last >= 0, runs[last].place + runs[last].count == place,
      runs[last].offset &+ UInt64(runs[last].count) == offset
    {
      runs[last].count += added
      return true
    }
    guard runs.count < PayloadGatherer.runLimit else { return false }
    if !isLastReader { readers.append(reader) }
    runs.append(Run(reader: readers.count - 1, offset: offset, place: place, count: added))
    return true
  }

  /// Reads what was queued.
  ///
  /// - Throws: `SourceError`; `.endedEarly` with the offset at which a source turned out to be too short.
  package mutating func load() throws(SourceError) {
    var next = 0
    while next < runs.count {
      let reader = readers[runs[next].reader]
      try reader.checkCancellation()
      next = plan(from: next)
      if !readByRing(reader) {
        for piece in pieces { try read(piece, from: reader) }
      }
      distribute()
    }
    forgetRuns()
  }

  /// Decides how to read a run, together with as many of the following ones as are of the same source and fit the spare
  /// memory.
  ///
  /// - Returns: the first run that is left for later.
  private mutating func plan(from first: Int) -> Int {
    pieces.removeAll(keepingCapacity: true)
    groups.removeAll(keepingCapacity: true)
    // A local copy: accessed through `self`, each run would cost a copy of it.
    let runs = runs
    var aside = buffer.count - PayloadGatherer.groupSize
    var next = first
    while next < runs.count, runs[next].reader == runs[first].reader {
      let run = runs[next]
      let (end, length) = PayloadGatherer.group(of: runs, from: next)
      if end - next == 1 {
        pieces.append(ReadPiece(offset: run.offset, place: run.place, count: run.count))
      } else {
        guard length <= buffer.count - aside else { break }
        pieces.append(ReadPiece(offset: run.offset, place: aside, count: length))
        groups.append(Group(runs: next..<end, place: aside))
        aside += length
      }
      next = end
    }
    return next
  }

  /// Which runs are best read together with the one at `first`.
  ///
  /// - Returns: the index after the last of them, and the bytes from the start of the first to the end of the last.
  private static func group(of runs: [Run], from first: Int) -> (end: Int, length: Int) {
    let (start, reader) = (runs[first].offset, runs[first].reader)
    var (end, length) = (first + 1, runs[first].count)
    while end < runs.count, length <= PayloadGatherer.bridge || end > first + 1 {
      let run = runs[end]
      // Offsets may be anything: distant ones are rejected before anything is added to them.
      guard run.reader == reader, run.count <= PayloadGatherer.bridge, run.offset >= start,
        let distance = Int(exactly: run.offset - start), distance <= PayloadGatherer.groupSize,
        distance >= length, distance - length <= PayloadGatherer.bridge,
        run.count <= PayloadGatherer.groupSize - distance
      else { break }
      end += 1
      length = distance + run.count
    }
    return (end, length)
  }

  /// Copies what was read into spare memory to where it belongs.
  private func distribute() {
    for group in groups {
      let origin = runs[group.runs.lowerBound].offset
      for run in runs[group.runs] {
        buffer.move(run.count, from: group.place + Int(run.offset - origin), to: run.place)
      }
    }
  }

  /// Reads the pieces through a ring, if there are many and the source is a file.
  ///
  /// - Returns: whether all of them were read.
  private mutating func readByRing(_ reader: SourceReader) -> Bool {
    guard mayUseRing, pieces.count >= PayloadGatherer.ringThreshold, let source = reader.source as? FileSource else {
      return false
    }
    // The ring goes when this gatherer goes, and with it the kernel's use of the buffer.
    if ring?.reads(source.file) != true { ring = unsafe ReadRing(file: source.file, buffer: buffer.bytes) }
    mayUseRing = ring?.read(pieces) ?? false
    if !mayUseRing { ring = nil }
    return mayUseRing
  }

  private func read(_ piece: ReadPiece, from reader: SourceReader) throws(SourceError) {
    let done = try unsafe reader.read(at: piece.offset, into: buffer[piece.place..<(piece.place + piece.count)])
    guard done == piece.count else {
      throw SourceError(.endedEarly, name: reader.source.name, offset: piece.offset &+ UInt64(done))
    }
  }

  /// Lends the bytes, in the order in which they were added; none at all while any of them are still to be loaded, so
  /// that uninitialized memory is never seen.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(UnsafeRawBufferPointer(buffer[0..<(runs.isEmpty ? count : 0)]))
  }

  /// Reads what was queued, writes the first `wanted` bytes, and keeps the rest for later.
  ///
  /// - Throws: `TransferError`, from whichever end failed; nothing is forgotten then.
  package mutating func write(_ wanted: Int, to sink: any ByteSink) throws(TransferError) {
    let written = min(wanted, count)
    do throws(SourceError) { try load() } catch { throw .source(error) }
    do throws(SinkError) {
      try unsafe withBytes { (bytes) throws(SinkError) in
        if written > 0 { try unsafe sink.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(written))) }
      }
    } catch {
      throw .sink(error)
    }
    removeFirst(written)
  }

  /// Discards everything added, but keeps the memory for what comes next.
  package mutating func removeAll() {
    forgetRuns()
    count = 0
  }

  /// Discards the first `removed` bytes, once they are loaded; the rest stays.
  package mutating func removeFirst(_ removed: Int) {
    guard runs.isEmpty, removed > 0, removed <= count else { return }
    count -= removed
    buffer.move(count, from: removed, to: 0)
  }

  private mutating func forgetRuns() {
    runs.removeAll(keepingCapacity: true)
    readers.removeAll(keepingCapacity: true)
  }
}
