// System calls about the names of files; what `unsafe` stands for is said in System.swift.

internal import CLinux

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension System {
  /// Whether `link` can name this file: that goes through `/proc`, which a sandbox may not have.
  static func canLink(_ file: FileDescriptor) -> Bool {
    guard let here = try? status(of: file), let there = try? status(of: link(to: file)) else { return false }
    return here.identity == there.identity
  }

  /// Gives an unnamed file its name; fails if the name is taken.
  static func link(_ file: FileDescriptor, to path: String) throws(SystemError) {
    try checkPath(path)
    _ = try call { unsafe linkat(AT_FDCWD, link(to: file), AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
  }

  private static func link(to file: FileDescriptor) -> String { "/proc/self/fd/\(file.number)" }

  /// Renames a file, replacing an older file of that name. Without `replacing` the call fails if there is one, which
  /// the kernel decides in the same step.
  static func rename(_ from: String, to path: String, replacing: Bool = true) throws(SystemError) {
    try checkPath(from)
    try checkPath(path)
    guard !replacing else {
      #if canImport(Glibc)
        _ = try call { unsafe Glibc.rename(from, path) }
      #else
        _ = try call { Musl.rename(from, path) }
      #endif
      return
    }
    do {
      _ = try call { unsafe lyrebird_rename_new(from, path) }
    } catch  where SystemError.unsupported.contains(error.number) {
      // Not every file system can do this; a link does not replace an existing name either.
      _ = try call { unsafe linkat(AT_FDCWD, from, AT_FDCWD, path, 0) }
      remove(from)
    }
  }

  /// Checks that an existing file may be written to, by its mode, its owner and the mount. A file that its owner
  /// protected from writing may not, not even by root, whom the kernel would let.
  static func checkWritable(_ path: String, _ status: FileStatus) throws(SystemError) {
    try checkPath(path)
    guard status.mode & UInt32(S_IWUSR) != 0 else { throw SystemError(number: EACCES) }
    _ = try call { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) }
  }

  /// Opens the folder of a name, to be synced after the name was given.
  ///
  /// - Returns: `nil` if the folder may be written to but not read: it cannot be opened then.
  static func openFolder(of path: String) throws(SystemError) -> FileDescriptor? {
    do {
      return try openFile(folder(of: path), O_RDONLY | O_DIRECTORY)
    } catch  where error.number == EACCES {
      return nil
    }
  }

  /// Makes new names in a folder survive a power cut.
  static func syncFolder(_ folder: FileDescriptor) throws(SystemError) {
    do {
      try sync(folder)
    } catch  where error.number == EINVAL {
      // Some network file systems sync no folders.
    }
  }

  /// The folder part of a path.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func remove(_ path: String) {
    guard !hasZero(path) else { return }
    _ = unsafe unlink(path)
  }

  /// The path with symbolic links resolved, or `nil` if it leads nowhere.
  static func resolved(_ path: String) -> String? {
    // The C library allocates the path, for its caller to free.
    guard !hasZero(path), let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  /// Where a symbolic link points, or `nil` if the path is not one.
  static func linkTarget(_ path: String) -> String? {
    guard !hasZero(path) else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
