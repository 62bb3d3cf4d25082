// System calls about the room that a file takes.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension System {
  /// Inserts a hole: all that is behind it moves back, and so does where the next plain `write` goes.
  static func insert(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_insert_range(file.number, offset, count) }
  }

  /// Takes a range out: all that is behind it moves forward.
  static func collapse(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_collapse_range(file.number, offset, count) }
  }

  /// Gives a file blocks; its size stays as it is.
  static func reserve(_ file: FileDescriptor, _ count: UInt64, at offset: UInt64) throws(SystemError) {
    let (offset, count) = (try place(offset), try place(count))
    _ = try call { lyrebird_reserve(file.number, offset, count) }
  }

  /// Gives a file its blocks, and its size, before they are written.
  static func allocate(_ file: FileDescriptor, _ count: UInt64) throws(SystemError) {
    let count = try place(count)
    _ = try call { lyrebird_allocate(file.number, count) }
  }

  static func truncate(_ file: FileDescriptor, to size: UInt64) throws(SystemError) {
    let size = try place(size)
    _ = try call { ftruncate(file.number, size) }
  }
}
