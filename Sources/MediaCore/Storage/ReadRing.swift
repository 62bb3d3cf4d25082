internal import CLinux
internal import Synchronization

/// A range of a file, and where in a buffer it goes.
struct ReadPiece {
  let offset: UInt64
  let place: Int
  let count: Int
}

/// Reads many short pieces of a file with one system call, through an io_uring.
///
/// The sound of a movie lies in thousands of pieces of half a kilobyte, and most of the time of such a short `pread`
/// goes into entering the kernel and returning, not into reading. A ring is memory shared with the kernel: requests are
/// written into it, submitted together, and answered together. The file and the buffer are registered with the kernel
/// beforehand, so that it need not look them up for each piece.
///
/// Errors are not examined here: if not everything was read, the caller reads again with plain calls, which recover and
/// report. Kernels, containers and limits on locked memory may all refuse a ring: then there is none.
///
/// Safe: pieces outside the buffer are refused, and no call returns while the kernel may still write to it. The offsets
/// of the queues come from the kernel, within the memory that it maps for them. Only `init` has to be trusted: the
/// buffer outlives the ring.
///
/// Source: io_uring(7).
@safe
struct ReadRing: ~Copyable {
  /// Requests submitted at once.
  private static let batch = 128

  private let file: FileDescriptor
  private let buffer: UnsafeMutableRawBufferPointer
  private let ring: FileDescriptor
  private let requests: SharedMemory
  private let queues: SharedMemory
  private let parameters: io_uring_params

  /// A ring for reading a file into a buffer, which outlives it; `nil` where the system does not offer one.
  init?(file: FileDescriptor, buffer: UnsafeMutableRawBufferPointer) {
    var parameters = io_uring_params()
    do {
      let ring = try System.makeRing(requests: ReadRing.batch, &parameters)
      // Before Linux 5.4 each queue had to be mapped separately: on such kernels there is no ring.
      guard parameters.features & UInt32(IORING_FEAT_SINGLE_MMAP) != 0 else { return nil }
      try System.register(file, in: ring)
      try unsafe System.register(buffer, in: ring)
      let indexEnd = Int(parameters.sq_off.array) + Int(parameters.sq_entries) * MemoryLayout<UInt32>.stride
      let answerEnd = Int(parameters.cq_off.cqes) + Int(parameters.cq_entries) * MemoryLayout<io_uring_cqe>.stride
      let queues = try SharedMemory(ring, at: UInt64(IORING_OFF_SQ_RING), count: max(indexEnd, answerEnd))
      let requests = try SharedMemory(
        ring, at: UInt64(IORING_OFF_SQES), count: Int(parameters.sq_entries) * MemoryLayout<io_uring_sqe>.stride)
      // Requests may be submitted in any order. Here they stay in the order of the queue.
      for index in 0..<parameters.sq_entries {
        let offset = Int(parameters.sq_off.array) + Int(index) * MemoryLayout<UInt32>.stride
        unsafe queues.start.storeBytes(of: index, toByteOffset: offset, as: UInt32.self)
      }
      self.file = file
      unsafe self.buffer = buffer
      self.ring = ring
      self.queues = queues
      self.requests = requests
      self.parameters = parameters
    } catch {
      return nil
    }
  }

  /// Whether this ring reads the given file.
  func reads(_ file: FileDescriptor) -> Bool { self.file === file }

  /// Reads pieces, all of which lie inside the buffer.
  ///
  /// - Returns: whether each was read whole. If not, nothing is pending any more, and the ring must be given up.
  func read(_ pieces: [ReadPiece]) -> Bool {
    var next = 0
    while next < pieces.count {
      let batch = pieces[next..<min(next + ReadRing.batch, pieces.count)]
      guard read(batch) else { return false }
      next = batch.endIndex
    }
    return true
  }

  private func read(_ batch: ArraySlice<ReadPiece>) -> Bool {
    // The kernel has taken all requests before these, and only this side moves the tail of the queue.
    let tail = unsafe counter(parameters.sq_off.tail)
    let mask = parameters.sq_entries - 1
    let slots = unsafe requests.start.assumingMemoryBound(to: io_uring_sqe.self)
    var end = unsafe tail.pointee.load(ordering: .relaxed)
    for index in batch.indices {
      let piece = batch[index]
      // An offset of -1 would mean the file's current position.
      guard Int64(exactly: piece.offset) != nil, piece.place >= 0, piece.count >= 0,
        unsafe piece.count <= buffer.count - piece.place, let count = UInt32(exactly: piece.count),
        let start = unsafe buffer.baseAddress
      else { return false }
      unsafe lyrebird_ring_request_read(
        slots + Int(end & mask), piece.offset, start + piece.place, count, UInt64(index))
      end &+= 1
    }
    unsafe tail.pointee.store(end, ordering: .releasing)
    return complete(batch)
  }

  /// Submits what is queued, and returns once all of it has been answered: until then the kernel may write to the
  /// buffer.
  private func complete(_ batch: ArraySlice<ReadPiece>) -> Bool {
    var unsent = batch.count
    var unanswered = batch.count
    var isWhole = true
    while unanswered > 0 {
      do throws(SystemError) {
        unsent -= try System.enter(ring, requests: unsent, answers: unanswered)
      } catch {
        // Requests that were not taken never will be. Those that were are waited for.
        unanswered -= unsent
        unsent = 0
        isWhole = false
      }
      let head = unsafe counter(parameters.cq_off.head)
      var first = unsafe head.pointee.load(ordering: .relaxed)
      let end = unsafe counter(parameters.cq_off.tail).pointee.load(ordering: .acquiring)
      while first != end {
        let place = Int(first & (parameters.cq_entries - 1)) * MemoryLayout<io_uring_cqe>.stride
        let answer = unsafe (queues.start + Int(parameters.cq_off.cqes))
          .loadUnaligned(fromByteOffset: place, as: io_uring_cqe.self)
        if Int(answer.res) != batch[Int(answer.user_data)].count { isWhole = false }
        first &+= 1
        unanswered -= 1
      }
      unsafe head.pointee.store(first, ordering: .releasing)
    }
    return isWhole
  }

  /// One of the counters by which this side and the kernel tell each other how far they are.
  private func counter(_ offset: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> {
    unsafe (queues.start + Int(offset)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}

/// A file mapped into memory: here, what is shared with the kernel.
///
/// Safe: it unmaps only what it mapped. Its pointer is marked where it is used.
@safe
private struct SharedMemory: ~Copyable {
  let start: UnsafeMutableRawPointer
  private let count: Int

  init(_ file: FileDescriptor, at offset: UInt64, count: Int) throws(SystemError) {
    unsafe start = try System.map(file, count, at: offset)
    self.count = count
  }

  deinit {
    unsafe System.unmap(start, count)
  }
}
