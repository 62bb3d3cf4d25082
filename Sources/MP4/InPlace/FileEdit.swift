internal import MediaCore

/// A change to a file in place, as a value.
enum FileEdit: Sendable, Hashable {
  /// Reserves blocks on disk, even beyond the end of the file, which stays where it is; nothing where that cannot be
  /// done.
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
    // Without it, a full disk is noticed a step later, by the write that follows.
    case .reserve(let count, let offset): _ = try reserve(count, at: offset)
    case .insert(let count, let offset): return try insert(count, at: offset)
    case .collapse(let count, let offset): return try collapse(count, at: offset)
    case .write(let bytes, let offset): try write(bytes, at: offset)
    case .truncate(let size): try truncate(to: size)
    case .sync: try sync()
    }
    return true
  }
}

/// A change to the file, and the edits that undo everything so far if it fails.
struct EditStep {
  let edit: FileEdit
  /// Empty where nothing can be undone any more.
  let undo: [FileEdit]
}

extension EditableFile {
  /// Takes the steps; if one of them fails, undoes those that were taken.
  ///
  /// - Returns: whether they were taken; `false` if the file system lacks what one of them needs, and the file is
  ///   unchanged.
  /// - Throws: `MP4Error`: `.sink`, the file is unchanged; `.leftHalfMoved`, it has changed, but the movie is intact.
  func perform(_ steps: [EditStep]) throws(MP4Error) -> Bool {
    for step in steps {
      let failure: SinkError?
      do throws(SinkError) {
        if try apply(step.edit) { continue }
        failure = nil
      } catch {
        failure = error
      }
      guard takeBack(step) else { throw MP4Error(.leftHalfMoved(failure), file: name) }
      if let failure {
        throw MP4Error(.sink(SinkError(failure.code, name: failure.name, keepsOld: true)), file: name)
      }
      return false
    }
    return true
  }

  /// - Returns: whether the file is as it was before the first step. If one edit fails the others are not attempted:
  ///   the movie is still intact then, and would not be if they were made out of order.
  private func takeBack(_ step: EditStep) -> Bool {
    if step.undo.isEmpty { return false }
    for edit in step.undo { guard (try? apply(edit)) == true else { return false } }
    return true
  }
}
