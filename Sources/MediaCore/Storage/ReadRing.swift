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
/// The sound of a movie lies in thousands of pieces of half a kilobyte, and of what a `pread` of so little takes, more
/// is the way into the kernel and back than reading. A ring is memory shared with the kernel: requests are written into
/// it, handed in together, and answered together. The file and the buffer are made known to the kernel beforehand, so
/// that it need not look them up for each piece.
///
/// Errors are not examined here: a caller that is told that not all was read reads again with plain calls, which recover
/// and report. Kernels, containers and limits on memory that is locked may all refuse a ring: then there is none.
///
/// Source: io_uring(7).
struct ReadRing: ~Copyable {
  /// Requests handed in at once.
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
      // Before Linux 5.4 each queue was mapped by itself: such kernels go without.
      guard parameters.features & UInt32(IORING_FEAT_SINGLE_MMAP) != 0 else { return nil }
      try System.register(file, in: ring)
      try System.register(buffer, in: ring)
      let indexEnd = Int(parameters.sq_off.array) + Int(parameters.sq_entries) * MemoryLayout<UInt32>.stride
      let answerEnd = Int(parameters.cq_off.cqes) + Int(parameters.cq_entries) * MemoryLayout<io_uring_cqe>.stride
      let queues = try SharedMemory(ring, at: UInt64(IORING_OFF_SQ_RING), count: max(indexEnd, answerEnd))
      let requests = try SharedMemory(
        ring, at: UInt64(IORING_OFF_SQES), count: Int(parameters.sq_entries) * MemoryLayout<io_uring_sqe>.stride)
      // Requests may be handed in in any order. Here the order is theirs.
      for index in 0..<parameters.sq_entries {
        let offset = Int(parameters.sq_off.array) + Int(index) * MemoryLayout<UInt32>.stride
        queues.start.storeBytes(of: index, toByteOffset: offset, as: UInt32.self)
      }
      self.file = file
      self.buffer = buffer
      self.ring = ring
      self.queues = queues
      self.requests = requests
      self.parameters = parameters
    } catch {
      return nil
    }
  }

  /// Whether it reads this file.
  func reads(_ file: FileDescriptor) -> Bool { self.file === file }

  /// Reads pieces, all of which lie inside the buffer.
  ///
  /// - Returns: whether each was read whole. If not, nothing is under way any more, and the ring is to be given up.
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
    // The kernel has taken all requests before these: of the queue's end only this side moves.
    let tail = counter(parameters.sq_off.tail)
    let mask = parameters.sq_entries - 1
    let slots = requests.start.assumingMemoryBound(to: io_uring_sqe.self)
    var end = tail.pointee.load(ordering: .relaxed)
    for index in batch.indices {
      let piece = batch[index]
      // An offset of -1 would mean: wherever the file was read last.
      guard Int64(exactly: piece.offset) != nil, piece.place >= 0, piece.count >= 0,
        piece.count <= buffer.count - piece.place, let count = UInt32(exactly: piece.count),
        let start = buffer.baseAddress
      else { return false }
      lyrebird_ring_request_read(slots + Int(end & mask), piece.offset, start + piece.place, count, UInt64(index))
      end &+= 1
    }
    tail.pointee.store(end, ordering: .releasing)
    return complete(batch)
  }

  /// Hands in what is queued, and comes back when all of it has been answered: until then the kernel may write to the
  /// buffer.
  private func complete(_ batch: ArraySlice<ReadPiece>) -> Bool {
    var unsent = batch.count
    var unanswered = batch.count
    var isWhole = true
    while unanswered > 0 {
      do throws(SystemError) {
        unsent -= try System.enter(ring, requests: unsent, answers: unanswered)
      } catch {
        // What was not taken never will be. What was is waited for.
        unanswered -= unsent
        unsent = 0
        isWhole = false
      }
      let head = counter(parameters.cq_off.head)
      var first = head.pointee.load(ordering: .relaxed)
      let end = counter(parameters.cq_off.tail).pointee.load(ordering: .acquiring)
      while first != end {
        let place = Int(first & (parameters.cq_entries - 1)) * MemoryLayout<io_uring_cqe>.stride
        let answer = (queues.start + Int(parameters.cq_off.cqes))
          .loadUnaligned(fromByteOffset: place, as: io_uring_cqe.self)
        if Int(answer.res) != batch[Int(answer.user_data)].count { isWhole = false }
        first &+= 1
        unanswered -= 1
      }
      head.pointee.store(first, ordering: .releasing)
    }
    return isWhole
  }

  /// One of the numbers by which this side and the kernel tell each other how far they are.
  private func counter(_ offset: UInt32) -> UnsafeMutablePointer<Atomic<UInt32>> {
    (queues.start + Int(offset)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}

/// Memory of a file that changes with it: here, what is shared with the kernel.
private struct SharedMemory: ~Copyable {
  let start: UnsafeMutableRawPointer
  private let count: Int

  init(_ file: FileDescriptor, at offset: UInt64, count: Int) throws(SystemError) {
    start = try System.map(file, count, at: offset)
    self.count = count
  }

  deinit {
    System.unmap(start, count)
  }
}
