// Files that are visible under their name from the first byte on: recordings.

extension FileSink {
  /// A growing file, and what distinguishes it from another one put in its place.
  struct Growing {
    let file: FileDescriptor
    let identity: FileStatus.Identity

    /// Creates the file, which must not exist yet, and locks it, so that others can tell it from one left over from a
    /// process that died.
    ///
    /// - Parameter target: the file to be replaced in the end. Its owner and mode are taken over at once: what is
    ///   private stays private while it grows.
    init(_ path: String, replacing target: OutputTarget?) throws(SystemError) {
      let existing = target?.existing
      file = try System.create(path, mode: existing == nil ? 0o666 : 0o600)
      // If the file system has no locks, the file stays unlocked.
      _ = try? System.lock(file, .shared)
      System.mark(file)
      do throws(SystemError) {
        if let existing {
          System.setOwner(file, owner: existing.owner, group: existing.group)
          let made = try System.status(of: file)
          // Permissions of the target's group are not meant for another group.
          try System.setMode(file, made.group == existing.group ? existing.mode : existing.mode & ~0o070)
        }
        identity = try System.status(of: file).identity
      } catch {
        System.remove(path)
        throw error
      }
    }
  }

  /// Whether the regular file at a path is growing, in this process or another. Opens it, which a pipe or a device would
  /// notice.
  package static func isGrowing(_ path: String) -> Bool { System.isMarked(path) }

  /// Whether a file is growing at a path, or being read. A file that exists but is not in use is a leftover.
  package static func isInUse(_ path: String) -> Bool { System.isInUse(path) }

  /// Whether the growing file is still where it was created, rather than moved, removed or replaced.
  package var isInPlace: Bool {
    guard let growing else { return false }
    return (try? System.status(of: name))??.identity == growing
  }

  /// Whether the growing file was moved, removed or replaced; false if that cannot be determined now.
  package var isGone: Bool {
    guard let growing else { return true }
    do { return try System.status(of: name)?.identity != growing } catch { return false }
  }

  /// Closes the file and leaves it as it is.
  package func close() { output = nil }

  /// Syncs what was written so far; for any thread, also while more is being written.
  package var dataSync: DataSync? { output.map { DataSync(file: $0, name: name) } }
}

/// Syncs the bytes of a file to the disk.
package struct DataSync: Sendable {
  let file: FileDescriptor
  let name: String

  /// Waits until the disk has what was written up to now.
  ///
  /// - Throws: `SinkError` `.writeFailed`.
  package func run() throws(SinkError) {
    do throws(SystemError) { try System.syncData(file) } catch {
      throw SinkError(.writeFailed(error.number), name: name)
    }
  }
}
