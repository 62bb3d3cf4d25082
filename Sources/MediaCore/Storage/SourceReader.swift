/// Reads whole ranges from a source that may deliver them in pieces or fail in between.
///
/// All reading in the library goes through here, so short reads and interruptions are dealt with in one place.
public struct SourceReader: Sendable {
  /// Failures in a row that are survived by reopening. Three rides out a reconnect; more would only hide a dead disk.
  public static let defaultAttempts = 3

  // A reader travels with every sample that has not been read yet, so copying one must cost no more than a reference.
  private let origin: Origin

  private final class Origin: Sendable {
    let source: any ByteSource
    let size: UInt64
    let attempts: Int
    let isCancellable: Bool

    init(source: any ByteSource, attempts: Int, isCancellable: Bool) {
      self.source = source
      size = source.size
      self.attempts = attempts
      self.isCancellable = isCancellable
    }
  }

  /// A reader that survives `attempts` failed reads in a row; with 0, the first error is passed on.
  public init(_ source: any ByteSource, attempts: Int = SourceReader.defaultAttempts) {
    origin = Origin(source: source, attempts: attempts, isCancellable: true)
  }

  /// A reader that a cancelled task can still use, to finish what it has begun.
  ///
  /// - Parameter scratch: what was put aside for that.
  package init(scratch: ScratchFile) {
    origin = Origin(source: scratch, attempts: 0, isCancellable: false)
  }

  /// The source that is read.
  public var source: any ByteSource { origin.source }

  /// Checks that everything read belongs together, as far as the source can tell.
  ///
  /// - Throws: `SourceError` `.changed` if it was changed since it was opened, or grew.
  public func checkUnchanged() throws(SourceError) {
    if try source.change() != .none { throw SourceError(.changed, name: source.name) }
  }

  /// Length of the source in bytes; `.max` for a stream.
  public var size: UInt64 { origin.size }

  /// Whether both are copies of one reader, so that adjacent ranges in them can be read as one.
  public func isSame(as other: SourceReader) -> Bool { origin === other.origin }

  /// Fills the buffer from `offset` on, as far as the source reaches.
  ///
  /// - Returns: bytes read: fewer than asked for only at the end of the source.
  /// - Throws: the source's error once recovery has given up, `.endedEarly` when the source ends before its size, or
  ///   `.cancelled` when the task that reads was cancelled.
  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    try checkCancellation()
    guard offset < size else { return 0 }
    let wanted = Int(min(UInt64(buffer.count), size - offset))
    var recovery = ReadRecovery(attempts: origin.attempts)
    var done = 0
    while done < wanted {
      let position = offset + UInt64(done)
      do throws(SourceError) {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done..<wanted])
        let count = try unsafe origin.source.read(at: position, into: rest)
        if count == 0, size == .max { return done }
        guard count > 0 else { throw SourceError(.endedEarly, name: origin.source.name, offset: position) }
        done += min(count, rest.count)
        _ = recovery.handle(.progressed)
      } catch {
        try recover(from: error, using: &recovery)
      }
    }
    return done
  }

  /// - Throws: `SourceError` `.cancelled` if the current task was cancelled.
  package func checkCancellation() throws(SourceError) {
    if origin.isCancellable, Cancellation.isRequested { throw SourceError(.cancelled, name: source.name) }
  }

  private func recover(from error: SourceError, using recovery: inout ReadRecovery) throws(SourceError) {
    guard recovery.handle(.failed) == .reopen else { throw error }
    while true {
      do throws(SourceError) {
        try source.reopen()
        return
      } catch {
        guard error.code != .changed, recovery.handle(.failed) == .reopen else { throw error }
      }
    }
  }

  /// Reads exactly `count` bytes from `offset` on into a new array.
  ///
  /// - Returns: the bytes; fewer than `count` only where the source ends. No more is allocated than the source holds.
  public func bytes(at offset: UInt64, count: Int) throws(SourceError) -> [UInt8] {
    guard offset < size, count > 0 else { return [] }
    let available = Int(min(UInt64(count), size - offset))
    // Only what the source says it wrote becomes part of the array.
    return try unsafe [UInt8](unsafeUninitializedCapacity: available) { (buffer, initialized) throws(SourceError) in
      initialized = try unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
