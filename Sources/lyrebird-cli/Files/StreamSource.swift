internal import Lyrebird
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A pipe, such as standard input, as a source: its bytes come once, in order, as many at a time as are available.
///
/// The latest bytes are kept, because readers go back: the kind of a file is detected from its beginning, which is then
/// read again. A signal ends the stream: what was on its way by then is still taken.
final class StreamSource: ByteSource {
  let size = UInt64.max
  let name: String
  private let file: Int32
  private let state = Mutex(State())

  private struct State {
    /// The latest bytes, and the offset of the first of them.
    var kept: [UInt8] = []
    var start: UInt64 = 0
    var isAtEnd = false
    /// When a signal was noticed.
    var interrupted: ContinuousClock.Instant?

    var end: UInt64 { start + UInt64(kept.count) }
  }

  /// The least number of bytes kept for readers that go back: the tag at the start of an .aac file with cover art in
  /// it, and the frames after it that identify the file.
  private static let history = 4 << 20
  /// Bytes read at once: the capacity of a pipe.
  private static let pieceBytes = 1 << 16
  /// How long reading waits before it checks for a signal, in milliseconds.
  private static let patience: Int32 = 200
  /// How long bytes are still taken after a signal: all programs of a pipeline get it, and the one upstream may have
  /// something left to write.
  private static let grace = Duration.seconds(2)

  /// - Parameters:
  ///   - file: the descriptor; it stays open.
  ///   - name: what messages call it.
  init(file: Int32, name: String) {
    self.file = file
    self.name = name
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    let result = state.withLock { state in
      Result { () throws(SourceError) in try unsafe read(&state, at: offset, into: buffer) }
    }
    return try result.get()
  }

  private func read(
    _ state: inout State, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SourceError) -> Int {
    guard offset >= state.start else { throw SourceError(.notReadable, name: name, offset: offset) }
    while offset >= state.end {
      guard try readPiece(&state) else { return 0 }
    }
    let from = Int(offset - state.start)
    let count = min(buffer.count, state.kept.count - from)
    // The buffer has room for the count.
    unsafe buffer.copyBytes(from: state.kept[from..<(from + count)])
    return count
  }

  /// - Returns: whether there was more.
  private func readPiece(_ state: inout State) throws(SourceError) -> Bool {
    while !state.isAtEnd {
      guard isReady(&state) else { continue }
      let count = try appendPiece(&state)
      if count == 0 { state.isAtEnd = true }
      if count > 0 { return true }
    }
    return false
  }

  /// Waits for bytes, for the end, or for a signal, after which the stream ends once no more bytes come.
  private func isReady(_ state: inout State) -> Bool {
    var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    // One request, as the call is told.
    let isThere = unsafe poll(&request, 1, StreamSource.patience) > 0
    guard Interrupt.status != nil else { return isThere }
    let now = ContinuousClock.now
    let noticed = state.interrupted ?? now
    state.interrupted = noticed
    if !isThere || now - noticed > StreamSource.grace {
      state.isAtEnd = true
      Interrupt.noteInputEnded()
    }
    return isThere && !state.isAtEnd
  }

  /// - Returns: the number of bytes read; 0 at the end, -1 if a signal came instead.
  private func appendPiece(_ state: inout State) throws(SourceError) -> Int {
    if state.kept.count >= 2 * StreamSource.history {
      let forgotten = state.kept.count - StreamSource.history
      state.kept.removeFirst(forgotten)
      state.start += UInt64(forgotten)
    }
    let old = state.kept.count
    state.kept.append(contentsOf: repeatElement(0, count: StreamSource.pieceBytes))
    // Reads into what was just appended, and no further.
    let count = unsafe state.kept.withUnsafeMutableBytes {
      unsafe systemRead(file, UnsafeMutableRawBufferPointer(rebasing: $0[old...]))
    }
    let number = errno
    state.kept.removeLast(StreamSource.pieceBytes - max(count, 0))
    guard count < 0, number != EINTR, number != EAGAIN else { return count }
    throw SourceError(.system(number), name: name, offset: state.end)
  }

  func reopen() throws(SourceError) {
    throw SourceError(.notReadable, name: name)
  }
}

/// `read`, which the type's own method hides.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(file, buffer.baseAddress, buffer.count)
}
