internal import MediaCore

/// A change to a file where it lies, as a value.
enum FileEdit: Sendable, Hashable {
  /// Reserves blocks on the disk, also beyond the file's end, which stays.
  case reserve(UInt64, at: UInt64)
  /// Writes bytes.
  case write([UInt8], at: UInt64)
  /// Inserts zeros: all that follows moves without being copied. Both numbers are multiples of the block size.
  case insert(UInt64, at: UInt64)
  /// Takes bytes out, as `insert` put them in.
  case collapse(UInt64, at: UInt64)
  /// Ends the file at a size.
  case truncate(UInt64)
  /// Waits until all changes before this one are safely on the disk.
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
