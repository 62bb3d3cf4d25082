/// Writes a file that appears under its name only when it is complete.
///
/// The bytes go to a nameless file in the target's folder (`O_TMPFILE`), which the kernel discards if this process
/// dies, or, where the file system has no such files, to a hidden file beside the target. `finish()` gives it the name.
/// An old file of that name is replaced in one step, after the new one is safely on the disk, and passes on its mode
/// and extended attributes; one that may not be written to is refused. Symbolic links are followed and stay links. What
/// is not a regular file (a device, a pipe) is written to directly.
///
/// A power cut can take a new file that was not to be synced, whole or in part. If the file replaces another, or was to
/// be synced, its data is on the disk before it has the name, and the name before `finish()` returns: until then there
/// is the old file, or none, and from then on the new one. A growing file has its name from the start, and only its
/// data is synced.
public final class FileSink: ByteSink {
  /// The path as it was given.
  public let name: String
  var output: FileDescriptor?
  /// Bytes written so far, including inserted ranges.
  public private(set) var position: UInt64 = 0
  /// Bytes that space was allocated for.
  private var reserved: UInt64 = 0
  private let placement: Placement
  /// The growing file, which `cancel()` removes.
  private(set) var growing: FileStatus.Identity?
  private let clobber: Bool
  private let alwaysSync: Bool
  /// How it ended; `nil` before that, and after it was cancelled.
  private var outcome: Result<Void, SinkError>?

  private enum Placement {
    /// Bytes go straight to where they belong.
    case direct
    /// Bytes go to a file that has its name from the start and keeps it, whatever happens.
    case growing
    /// Bytes go to a file that takes the target's place at the end.
    case replacement(OutputPlace)
  }

  /// Opens an output.
  ///
  /// - Parameters:
  ///   - path: where the file is to appear.
  ///   - clobber: whether an existing file may be replaced.
  ///   - sync: whether a new file too is synced to the disk before it gets its name; a replacement always is.
  /// - Throws: `SinkError`: `.exists`, `.cannotCreate`; `.inUse` for a file that grows.
  public init(path: String, clobber: Bool = true, sync: Bool = false) throws(SinkError) {
    name = path
    self.clobber = clobber
    alwaysSync = sync
    do throws(SystemError) {
      let existing = try System.status(of: path)
      if let existing {
        guard clobber else { throw SystemError(number: SystemError.exists) }
        guard existing.kind == .regular else {
          output = try System.openForWriting(path)
          placement = .direct
          return
        }
        // Whoever writes to it would go on with a file that has no name any more.
        if FileSink.isGrowing(path) { throw SystemError(number: SystemError.busy) }
      }
      if let existing { try System.checkWritable(path, existing) }
      let (place, file) = try OutputPlace.open(path, clobber: clobber, replacing: existing)
      output = file
      placement = .replacement(place)
    } catch {
      let code: SinkError.Code =
        switch error.number {
        case SystemError.exists: .exists
        case SystemError.interrupted: .cancelled
        case SystemError.busy: .inUse
        default: .cannotCreate(error.number)
        }
      throw SinkError(code, name: path)
    }
  }

  /// A new file that is visible under its name from the first byte on, for recordings: what was written stays however
  /// the sink ends, except by `cancel()`.
  ///
  /// - Parameters:
  ///   - path: where the file is to grow. Nothing may be there yet.
  ///   - sync: whether `finish()` syncs it to the disk.
  /// - Throws: `SinkError`: `.exists`, `.cannotCreate`.
  public convenience init(growingPath path: String, sync: Bool = true) throws(SinkError) {
    try self.init(growingPath: path, replacing: nil, sync: sync)
  }

  /// A growing file that takes the place of another one in the end, and has its owner and mode from the start.
  package init(growingPath path: String, replacing target: OutputTarget?, sync: Bool = true) throws(SinkError) {
    name = path
    clobber = false
    alwaysSync = sync
    placement = .growing
    do throws(SystemError) {
      let made = try Growing(path, replacing: target)
      output = made.file
      growing = made.identity
    } catch {
      throw SinkError(error.number == SystemError.exists ? .exists : .cannotCreate(error.number), name: path)
    }
  }

  /// A sink over standard output.
  public init(standardOutput name: String = "standard output") {
    self.name = name
    output = FileDescriptor(standard: 1)
    placement = .direct
    clobber = true
    alwaysSync = false
  }

  deinit {
    discard()
  }

  /// The open file.
  ///
  /// - Throws: `SinkError`: what it failed with; otherwise `.finished`.
  private func opened() throws(SinkError) -> FileDescriptor {
    if let output { return output }
    if case .failure(let error)? = outcome { throw error }
    throw SinkError(.finished, name: name)
  }

  /// Writes bytes; see `ByteSink`. After a failure the output is gone.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SinkError) {
    let output = try opened()
    do {
      try unsafe System.write(output, bytes)
      position += UInt64(bytes.count)
    } catch {
      throw failed(error)
    }
  }

  /// Whether the output is a file rather than a device or a pipe.
  public var canPatch: Bool {
    if case .direct = placement { false } else { true }
  }

  /// Overwrites what was written; see `ByteSink`. After a failure the output is gone.
  public func patch(_ bytes: [UInt8], at offset: UInt64) throws(SinkError) {
    let output = try opened()
    guard canPatch, offset <= position, UInt64(bytes.count) <= position - offset else {
      throw SinkError(.cannotPatch, name: name)
    }
    do {
      try System.write(output, bytes, at: offset)
    } catch {
      throw failed(error)
    }
  }

  /// Has the kernel copy from file to file, so that the bytes never enter this process; uses a buffer where it cannot.
  public func copy(from reader: SourceReader, at offset: UInt64, count: UInt64) throws(TransferError) {
    guard let output, let source = reader.source as? FileSource, count >= FileSink.kernelCopyMinimum,
      position % FileSink.kernelCopyUnit == offset % FileSink.kernelCopyUnit
    else {
      return try copyThroughBuffer(from: reader, at: offset, count: count, phase: position % CopyBuffer.size)
    }
    var done: UInt64 = 0
    while done < count {
      do throws(SystemError) {
        // The first piece ends where a unit does, so that all others are whole ones.
        let intoUnit = position % FileSink.kernelCopyUnit
        let wanted = intoUnit == 0 ? count - done : min(count - done, FileSink.kernelCopyUnit - intoUnit)
        let copied = try source.copy(at: offset + done, count: wanted, to: output)
        // The kernel returns 0 at the end of a file, and also for files that it generates on reading.
        if copied == 0 { break }
        done += copied
        position += copied
      } catch  where SystemError.unsupported.contains(error.number) || error.number == SystemError.inputOutput {
        // The kernel does not say which of the two files failed; copying through the buffer, below, does.
        break
      } catch {
        throw .sink(failed(error))
      }
    }
    if done < count { try copyThroughBuffer(from: reader, at: offset + done, count: count - done) }
  }

  /// Below this, a separate system call costs more than copying twice.
  private static let kernelCopyMinimum: UInt64 = 64 << 10

  /// The kernel copies 64 KiB at a time, whole pages of the page cache, if the offsets in source and target are aligned
  /// alike; otherwise it splits each page in two, and copying through a buffer is faster.
  public static let kernelCopyUnit: UInt64 = 64 << 10

  /// Allocates space for what will come: writing into allocated space takes a third less time.
  public func reserve(_ count: UInt64) throws(SinkError) {
    guard let output, case .replacement = placement, count > 0 else { return }
    do throws(SystemError) {
      try System.allocate(output, count)
      reserved = count
    } catch  where SystemError.unsupported.contains(error.number) {
      // Not every file system can.
    } catch {
      throw failed(error)
    }
  }

  // MARK: Going back

  /// Moves what follows `offset` towards the end: by the file system, without copying a byte, where it can insert
  /// ranges (ext4 and XFS, at multiples of its block size), otherwise piece by piece from the end.
  public func insert(_ count: UInt64, at offset: UInt64) throws(SinkError) {
    let file = try opened()
    guard canPatch, offset <= position else { throw SinkError(.cannotPatch, name: name) }
    guard count > 0 else { return }
    do throws(SystemError) {
      do throws(SystemError) {
        try System.insert(file, count, at: offset)
      } catch  where SystemError.unsupported.contains(error.number) {
        try FileSink.move(file, from: offset, to: position, by: count)
      }
      position += count
      try System.seek(file, to: position)
    } catch {
      throw failed(error)
    }
  }

  /// Syncs what was written so far to the disk; see `ByteSink`.
  public func sync() throws(SinkError) {
    let output = try opened()
    guard canPatch else { return }
    do { try System.sync(output) } catch { throw failed(error) }
  }

  /// Ends the sink: what it wrote so far is discarded, unless it is meant to survive.
  private func failed(_ error: SystemError) -> SinkError {
    var keepsOld = false
    if case .replacement(let place) = placement { keepsOld = place.isReplacing }
    discard()
    let failure =
      switch error.number {
      case SystemError.exists: SinkError(.exists, name: name)
      case SystemError.interrupted: SinkError(.cancelled, name: name, keepsOld: keepsOld)
      default: SinkError(.writeFailed(error.number), name: name, keepsOld: keepsOld)
      }
    outcome = .failure(failure)
    return failure
  }

  private static func move(_ file: FileDescriptor, from start: UInt64, to end: UInt64, by distance: UInt64)
    throws(SystemError)
  {
    let buffer = WorkBuffer(count: Int(CopyBuffer.size))
    var end = end
    while end > start {
      let count = Int(min(end - start, CopyBuffer.size))
      end -= UInt64(count)
      var done = 0
      while done < count {
        let read = try unsafe System.read(file, at: end + UInt64(done), into: buffer[done..<count])
        guard read > 0 else { throw SystemError(number: SystemError.inputOutput) }
        done += read
      }
      try unsafe System.write(file, UnsafeRawBufferPointer(buffer[0..<count]), at: end + distance)
    }
  }

  /// Gives the output its name; see `ByteSink`. Called again, it does nothing, or throws again what failed first.
  public func finish() throws(SinkError) {
    if case .success? = outcome { return }
    let output = try opened()
    var folder: FileDescriptor?
    do throws(SystemError) {
      switch placement {
      case .direct: break
      case .growing: if alwaysSync { try System.sync(output) }
      case .replacement(let place):
        if reserved > 0 { try System.truncate(output, to: position) }
        if place.isReplacing || alwaysSync {
          try System.sync(output)
          folder = try System.openFolder(of: place.target)
        } else {
          try System.flush(output)
        }
        try place.publish(output)
      }
    } catch {
      throw failed(error)
    }
    self.output = nil
    growing = nil
    outcome = .success(())
    guard let folder else { return }
    do throws(SystemError) { try System.syncFolder(folder) } catch {
      let failure = SinkError(.notSynced(error.number), name: name)
      outcome = .failure(failure)
      throw failure
    }
  }

  /// Discards the output; a growing file is removed, even after a failed write.
  public func cancel() {
    if isInPlace { System.remove(name) }
    growing = nil
    discard()
  }

  private func discard() {
    guard output != nil else { return }
    output = nil
    if case .replacement(let place) = placement { place.abandon() }
  }
}
