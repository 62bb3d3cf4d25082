/// A regular file that is changed in place.
///
/// Inserting and removing ranges, cutting off the end, and overwriting bytes of one block are one system call each,
/// which takes effect whole or not at all, both as seen by other processes and if this one dies: so a file can be taken
/// from one valid state to another through valid states only. `sync()` between two changes keeps their order through a
/// power cut.
package final class EditableFile {
  /// The path it was opened by.
  package let name: String
  /// The file system's block size in bytes: ranges are inserted at multiples of it.
  package let blockSize: UInt64
  private let file: FileDescriptor

  /// Opens a file for changing while no other code that uses this library reads or changes it, in this process or
  /// another. Waits for such code to finish, but no longer than a second.
  ///
  /// - Returns: `nil` if the file system has no locks, so that others cannot be kept out.
  /// - Throws: `SinkError`: `.inUse`; `.cannotChange`, also for what is not a regular file.
  package static func locked(path: String) throws(SinkError) -> EditableFile? {
    try locked(path: path, patience: FileLock.patience)
  }

  static func locked(path: String, patience: Int) throws(SinkError) -> EditableFile? {
    // The last process that held the lock may have replaced the file: then the new one is the one to change.
    for _ in 0..<EditableFile.attempts {
      let file = try EditableFile(path: path)
      let isLocked: Bool
      do throws(SystemError) {
        isLocked = try System.lock(file.file, .exclusive, patience: patience)
      } catch {
        return nil
      }
      guard isLocked else { break }
      if file.stillHasItsName { return file }
    }
    throw SinkError(.inUse, name: path)
  }

  private var stillHasItsName: Bool {
    guard let own = try? System.status(of: file), let named = try? System.status(of: name) else { return false }
    return own.identity == named.identity
  }

  /// How often a file may be replaced while it is being opened.
  private static let attempts = 10

  /// Opens a file for reading and writing.
  ///
  /// - Throws: `SinkError` `.cannotChange`, also for what is not a regular file.
  package init(path: String) throws(SinkError) {
    name = path
    do throws(SystemError) {
      file = try System.openForEditing(path)
      blockSize = try System.blockSize(of: file)
      let status = try System.status(of: file)
      guard status.kind == .regular else { throw SystemError(number: SystemError.invalidArgument) }
      try System.checkWritable(path, status)
    } catch {
      throw SinkError(.cannotChange(error.number), name: path)
    }
  }

  /// The current length in bytes.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  package func size() throws(SinkError) -> UInt64 {
    try attempt { () throws(SystemError) in try System.status(of: file).size }
  }

  /// Overwrites bytes, or appends them.
  ///
  /// - Throws: `SinkError` `.writeFailed`: the disk is full.
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    try attempt { () throws(SystemError) in try System.write(file, bytes, at: offset) }
  }

  /// Allocates space, also past the end of the file, whose size stays the same.
  ///
  /// - Returns: whether this file system can do that.
  /// - Throws: `SinkError` `.writeFailed`: the disk is full.
  package func reserve(_ count: UInt64, at offset: UInt64) throws(SinkError) -> Bool {
    try attemptIfPossible { () throws(SystemError) in try System.reserve(file, count, at: offset) }
  }

  /// Inserts zeros. The file system moves what follows without copying it.
  ///
  /// - Parameters:
  ///   - count: how many; a multiple of `blockSize`.
  ///   - offset: where; a multiple of `blockSize`, inside the file.
  /// - Returns: whether this file system can do that: ext4 and XFS can.
  /// - Throws: `SinkError` `.writeFailed`.
  package func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) -> Bool {
    try attemptIfPossible { () throws(SystemError) in try System.insert(file, count, at: offset) }
  }

  /// Removes bytes: the reverse of `insert`.
  ///
  /// - Returns: whether this file system can do that.
  /// - Throws: `SinkError` `.writeFailed`.
  package func collapse(_ count: UInt64, at offset: UInt64) throws(SinkError) -> Bool {
    try attemptIfPossible { () throws(SystemError) in try System.collapse(file, count, at: offset) }
  }

  /// Whether a power cut leaves an insertion either done or not done, never half done.
  ///
  /// ext4 moves all extents in one transaction of its journal. XFS takes one for each extent.
  package var insertsAtomically: Bool {
    (try? System.isExt4(file)) ?? false
  }

  /// A source that reads the file as it is now; not to be used after the next change.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  package func source() throws(SinkError) -> FileSource {
    let status = try attempt { () throws(SystemError) in try System.status(of: file) }
    return FileSource(lent: file, status: status, name: name)
  }

  /// Truncates the file.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  package func truncate(to size: UInt64) throws(SinkError) {
    try attempt { () throws(SystemError) in try System.truncate(file, to: size) }
  }

  /// Makes all changes so far survive a power cut.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  package func sync() throws(SinkError) {
    try attempt { () throws(SystemError) in try System.syncData(file) }
  }

  // MARK: Names

  /// Renames the file in one step, replacing an older file of that name if allowed. Symbolic links are followed: the
  /// file they lead to is replaced, and its mode taken over.
  ///
  /// - Throws: `SinkError`: `.exists` if there is an older file and `clobber` is not set; `.writeFailed`; `.notSynced`:
  ///   it has the name, but a power cut may take it back.
  package func moveIntoPlace(of path: String, clobber: Bool) throws(SinkError) {
    var folder: FileDescriptor?
    do throws(SystemError) {
      let target = try OutputPlace.target(of: path)
      if let existing = try System.status(of: target) {
        guard clobber, existing.kind == .regular else { throw SystemError(number: SystemError.exists) }
        try System.checkWritable(target, existing)
        try System.setMode(file, existing.mode)
      }
      try System.sync(file)
      folder = try System.openFolder(of: target)
      try System.rename(name, to: target, replacing: clobber)
    } catch {
      throw SinkError(error.number == SystemError.exists ? .exists : .writeFailed(error.number), name: path)
    }
    guard let folder else { return }
    do { try System.syncFolder(folder) } catch { throw SinkError(.notSynced(error.number), name: path) }
  }

  /// Whether anything exists under a name.
  package static func exists(_ path: String) -> Bool {
    // What cannot be examined counts as existing.
    (try? System.status(of: path)) != .some(nil)
  }

  /// Removes a file, if it exists.
  package static func remove(_ path: String) {
    System.remove(path)
  }

  private func attempt<Result>(_ body: () throws(SystemError) -> Result) throws(SinkError) -> Result {
    do throws(SystemError) { return try body() } catch { throw SinkError(.writeFailed(error.number), name: name) }
  }

  private func attemptIfPossible(_ body: () throws(SystemError) -> Void) throws(SinkError) -> Bool {
    try attempt { () throws(SystemError) in
      do throws(SystemError) {
        try body()
        return true
      } catch  where SystemError.unsupported.contains(error.number) {
        return false
      }
    }
  }
}
