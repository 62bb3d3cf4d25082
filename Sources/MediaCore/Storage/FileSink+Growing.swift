// Files that are visible under their name from their first byte on: recordings.

extension FileSink {
  /// A growing file, and what tells it from another one that took its place.
  struct Growing {
    let file: FileDescriptor
    let identity: FileStatus.Identity

    /// Makes the file, which must not be there yet, and locks it, so that others can tell it from one that was left
    /// behind by a process that died.
    ///
    /// - Parameter target: the file that it is to replace in the end, whose owner and mode it takes over at once: what
    ///   is private is private while it grows, too.
    init(_ path: String, replacing target: OutputTarget?) throws(SystemError) {
      let existing = target?.existing
      file = try System.create(path, mode: existing == nil ? 0o666 : 0o600)
      // Where the file system has no locks it goes without.
      _ = try? System.lock(file, .shared)
      do throws(SystemError) {
        if let existing {
          System.setOwner(file, owner: existing.owner, group: existing.group)
          let made = try System.status(of: file)
          // What the target lets its group do is not for another group.
          try System.setMode(file, made.group == existing.group ? existing.mode : existing.mode & ~0o070)
        }
        identity = try System.status(of: file).identity
      } catch {
        System.remove(path)
        throw error
      }
    }
  }

  /// Whether a file is growing at a path, in this process or another, or being read. A file that is there but not in use
  /// was left behind.
  package static func isGrowing(_ path: String) -> Bool { System.isInUse(path) }

  /// Whether the growing file still is where it was made, rather than moved, removed or replaced.
  package var isInPlace: Bool {
    guard let growing else { return false }
    return (try? System.status(of: name))??.identity == growing
  }

  /// Whether the growing file was moved, removed or replaced; not where that cannot be found out now.
  package var isGone: Bool {
    guard let growing else { return true }
    do { return try System.status(of: name)?.identity != growing } catch { return false }
  }

  /// Closes the file and leaves it as it is.
  package func close() { output = nil }

  /// What syncs to the disk what was written so far, from any thread and also while more is being written.
  package var dataSync: DataSync? { output.map { DataSync(file: $0, name: name) } }
}

/// Has the disk hold the bytes of a file.
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
