// System calls for io_uring and for mapping files; what `unsafe` stands for is said in System.swift. Two calls last
// longer: registered memory belongs to the ring as long as there is one, and a mapping until it is unmapped.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension System {
  /// A new io_uring; see `ReadRing`.
  static func makeRing(requests: Int, _ parameters: inout io_uring_params) throws(SystemError) -> FileDescriptor {
    FileDescriptor(try call { unsafe lyrebird_ring_setup(UInt32(requests), &parameters) })
  }

  /// Registers a file with a ring, as its number 0.
  static func register(_ file: FileDescriptor, in ring: FileDescriptor) throws(SystemError) {
    _ = try call { lyrebird_ring_register_file(ring.number, file.number) }
  }

  /// Registers memory with a ring, as its number 0; it stays in physical memory while the ring exists.
  static func register(_ buffer: UnsafeMutableRawBufferPointer, in ring: FileDescriptor) throws(SystemError) {
    _ = try call { unsafe lyrebird_ring_register_memory(ring.number, buffer.baseAddress, buffer.count) }
  }

  /// Submits requests, and waits for answers.
  ///
  /// - Returns: requests taken.
  static func enter(_ ring: FileDescriptor, requests: Int, answers: Int) throws(SystemError) -> Int {
    Int(try call { lyrebird_ring_enter(ring.number, UInt32(requests), UInt32(answers)) })
  }

  /// Maps a part of a file into memory; what is written there is written to the file.
  static func map(_ file: FileDescriptor, _ count: Int, at offset: UInt64) throws(SystemError)
    -> UnsafeMutableRawPointer
  {
    let offset = try place(offset)
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, offset)
    // Failure is the address -1.
    guard let start = unsafe start, Int(bitPattern: start) != -1 else { throw SystemError(number: errno) }
    return unsafe start
  }

  static func unmap(_ start: UnsafeMutableRawPointer, _ count: Int) {
    unsafe munmap(start, count)
  }
}
