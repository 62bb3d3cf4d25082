/// A regular file that is changed where it lies.
///
/// Every change is one system call, and takes effect whole or not at all as far as other processes see, and this one
/// dying: so a file can be led from one valid state to another through valid states only. `sync()` between two changes
/// keeps their order through a power cut.
public final class EditableFile {
  /// The path it was opened by.
  public let name: String
  /// What the file system gives out at once, in bytes: ranges are inserted at its multiples.
  public let blockSize: UInt64
  private let file: FileDescriptor

  /// Opens a file for reading and writing.
  ///
  /// - Throws: `SinkError` `.cannotCreate`, also for what is not a regular file.
  public init(path: String) throws(SinkError) {
    name = path
    do throws(SystemError) {
      file = try System.openForEditing(path)
      blockSize = try System.blockSize(of: file)
      guard try System.status(of: file).kind == .regular else { throw SystemError(number: SystemError.cannotCopy[0]) }
    } catch {
      throw SinkError(.cannotCreate(error.number), name: path)
    }
  }

  /// How long the file is now.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  public func size() throws(SinkError) -> UInt64 {
    try attempt { () throws(SystemError) in try System.status(of: file).size }
  }

  /// Writes over bytes, or appends them.
  ///
  /// - Throws: `SinkError` `.writeFailed`: the disk is full.
  public func write(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    try attempt { () throws(SystemError) in try System.write(file, bytes, at: offset) }
  }

  /// Inserts zeros, which moves what is behind them without copying it.
  ///
  /// - Parameters:
  ///   - count: how many; a multiple of `blockSize`.
  ///   - offset: where; a multiple of `blockSize`, inside the file.
  /// - Returns: whether this file system can do that: ext4 and XFS can.
  /// - Throws: `SinkError` `.writeFailed`.
  public func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) -> Bool {
    try attempt { () throws(SystemError) in
      do throws(SystemError) {
        try System.insert(file, count, at: offset)
        return true
      } catch  where SystemError.cannotCopy.contains(error.number) {
        return false
      }
    }
  }

  /// Cuts the file off.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  public func truncate(to size: UInt64) throws(SinkError) {
    try attempt { () throws(SystemError) in try System.truncate(file, to: size) }
  }

  /// Has all changes so far survive a power cut.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  public func sync() throws(SinkError) {
    try attempt { () throws(SystemError) in try System.sync(file) }
  }

  private func attempt<Result>(_ body: () throws(SystemError) -> Result) throws(SinkError) -> Result {
    do throws(SystemError) { return try body() } catch { throw SinkError(.writeFailed(error.number), name: name) }
  }
}
