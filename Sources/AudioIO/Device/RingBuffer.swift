internal import Synchronization

/// A queue between two threads that neither of them ever waits for.
///
/// One thread writes, another reads, both any number of elements at a time. The two counts below only grow: what was
/// written, moved by the writer alone, and what was read, moved by the reader alone. Each publishes its count after it
/// is done with the memory (release) and reads the other's before it touches any (acquire); nothing else has to be
/// agreed on. No lock, no allocation after `init`, so a device's thread may use it.
///
/// `@unchecked Sendable`: the memory is only touched by the thread whose turn the counts say it is. Safe: whatever the
/// counts say, what is copied lies inside the memory, and inside the span.
@safe
final class RingBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
  /// How many elements fit: a power of two, so that masking a count gives an index.
  let capacity: Int
  private let memory: UnsafeMutablePointer<Element>
  private let written = Atomic<Int>(0)
  private let read = Atomic<Int>(0)

  /// A ring for at least this many elements, or as many as `DeviceLimits.ringBytes` has room for.
  init(atLeast count: Int) {
    let wanted = min(count, DeviceLimits.ringBytes / MemoryLayout<Element>.stride)
    var capacity = 1
    while capacity < wanted { capacity *= 2 }
    self.capacity = capacity
    unsafe memory = .allocate(capacity: capacity)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// Elements that can be read now. To the reader it is never too many, to the writer never too few.
  var readableCount: Int { written.load(ordering: .acquiring) &- read.load(ordering: .acquiring) }

  /// Elements that can be written now. To the writer it is never too many.
  var writableCount: Int { capacity &- readableCount }

  /// Copies as much as fits into the ring. Only the writing thread calls this.
  ///
  /// - Returns: elements copied.
  func write(_ source: Span<Element>) -> Int {
    let start = written.load(ordering: .relaxed)
    let room = capacity &- (start &- read.load(ordering: .acquiring))
    let count = min(source.count, min(room, capacity))
    guard count > 0 else { return 0 }
    let place = start & (capacity &- 1)
    let first = min(count, capacity &- place)
    unsafe source.withUnsafeBufferPointer { source in
      guard let from = source.baseAddress else { return }
      unsafe (memory + place).update(from: from, count: first)
      unsafe memory.update(from: from + first, count: count &- first)
    }
    written.store(start &+ count, ordering: .releasing)
    return count
  }

  /// Copies as much as there is out of the ring, and removes it. Only the reading thread calls this.
  ///
  /// - Returns: elements copied.
  func read(into target: inout MutableSpan<Element>) -> Int {
    let start = read.load(ordering: .relaxed)
    let count = min(target.count, min(written.load(ordering: .acquiring) &- start, capacity))
    guard count > 0 else { return 0 }
    let place = start & (capacity &- 1)
    let first = min(count, capacity &- place)
    unsafe target.withUnsafeMutableBufferPointer { target in
      guard let to = target.baseAddress else { return }
      unsafe to.update(from: memory + place, count: first)
      unsafe (to + first).update(from: memory, count: count &- first)
    }
    read.store(start &+ count, ordering: .releasing)
    return count
  }
}

extension RingBuffer<UInt8> {
  // Memory of any kind may be taken as bytes.

  /// Copies as much as fits into the ring, as above.
  func write(_ source: RawSpan) -> Int {
    unsafe source.withUnsafeBytes { unsafe $0.withMemoryRebound(to: UInt8.self) { write(unsafe $0.span) } }
  }

  /// Copies as much as there is out of the ring, as above.
  func read(into target: inout MutableRawSpan) -> Int {
    unsafe target.withUnsafeMutableBytes { bytes in
      unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
        var bytes = unsafe bytes.mutableSpan
        return read(into: &bytes)
      }
    }
  }
}
