internal import MediaCore

/// A change to a file in place, as a value.
enum FileEdit: Sendable, Hashable {
  /// Reserves blocks on disk, even beyond the end of the file, which stays where it is.
  case reserve(UInt64, at: UInt64)
  /// Writes bytes.
  case write([UInt8], at: UInt64)
  /// Inserts zeros: everything after them moves without being copied. Both numbers are multiples of the block size.
  case insert(UInt64, at: UInt64)
  /// Removes bytes, the reverse of `insert`.
  case collapse(UInt64, at: UInt64)
  /// Sets the size of the file.
  case truncate(UInt64)
  /// Waits until all earlier changes are safely on disk.
  case sync
}

extension EditableFile {
  /// Makes a change.
  ///
  /// - Returns: whether the file system can do that; if not, the file is as it was.
  func apply(_ edit: FileEdit) throws(SinkError) -> Bool {
    switch edit {
    case .reserve(let count, let offset): return try reserve(count, at: offset)
    case .insert(let count, let offset): return try insert(count, at: offset)
    case .collapse(let count, let offset): return try collapse(count, at: offset)
    case .write(let bytes, let offset): try write(bytes, at: offset)
    case .truncate(let size): try truncate(to: size)
    case .sync: try sync()
    }
    return true
  }
}
