// System calls for the space that a file takes.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension System {
  /// Inserts a hole: everything after it moves towards the end, and so does the position of the next plain `write`.
  static func insert(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_insert_range(file.number, offset, count) }
  }

  /// Removes a range: everything after it moves towards the start.
  static func collapse(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_collapse_range(file.number, offset, count) }
  }

  /// Allocates blocks for a file; its size stays the same.
  static func reserve(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_reserve(file.number, offset, count) }
  }

  /// Allocates blocks for a file and sets its size, before they are written.
  static func allocate(_ file: FileDescriptor, _ count: UInt64) throws(SystemError) {
    let count = try place(count)
    _ = try call { lyrebird_allocate(file.number, count) }
  }

  static func truncate(_ file: FileDescriptor, to size: UInt64) throws(SystemError) {
    let size = try place(size)
    _ = try call { ftruncate(file.number, size) }
  }
}
