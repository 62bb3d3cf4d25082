/// Memory for the samples of a channel, at first zero.
///
/// Safe: it owns its memory, all of which is initialised, and lends a pointer only to as many elements as it has. Hot
/// loops use the pointers, as checking each index would cost as much as the arithmetic; each stays within the call that
/// it was taken for, which the owner outlives.
@safe final class SampleMemory {
  /// The number of samples.
  let count: Int
  private let memory: UnsafeMutableBufferPointer<Int32>

  /// Memory for `count` samples, at least 1.
  init(_ count: Int) {
    self.count = max(count, 1)
    unsafe memory = .allocate(capacity: self.count)
    unsafe memory.initialize(repeating: 0)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// A pointer to this many samples from an index on, which are checked to exist.
  @inline(__always)
  func pointer(at index: Int = 0, count: Int) -> UnsafeMutablePointer<Int32> {
    precondition(index >= 0 && count >= 0 && index <= self.count &- count)
    // Allocated memory has an address.
    return unsafe memory.baseAddress.unsafelyUnwrapped + index
  }
}
