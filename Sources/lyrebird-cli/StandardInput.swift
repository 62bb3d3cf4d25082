internal import Lyrebird
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Standard input as a source: bytes can be read once, in order.
///
/// What was read last is kept, as readers may ask for the end of it again.
final class StandardInput: ByteSource {
  let size = UInt64.max
  let name = "standard input"

  private struct State {
    /// The bytes that were read last, and the offset of the first of them.
    var window: [UInt8] = []
    var start: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Bytes that are read at once.
  private static let windowBytes = 1 << 16

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    let result = state.withLock { state in
      Result { () throws(SourceError) in try StandardInput.read(&state, at: offset, into: buffer) }
    }
    return try result.get()
  }

  private static func read(
    _ state: inout State, at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SourceError) -> Int {
    guard offset >= state.start else { throw SourceError(.notReadable, name: "standard input", offset: offset) }
    while offset >= state.start + UInt64(state.window.count) {
      var bytes = [UInt8](repeating: 0, count: windowBytes)
      let count = bytes.withUnsafeMutableBytes { systemRead(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SourceError(.system(errno), name: "standard input", offset: offset) }
      guard count > 0 else { return 0 }
      state.start += UInt64(state.window.count)
      state.window = Array(bytes[..<count])
    }
    let from = Int(offset - state.start)
    let count = min(buffer.count, state.window.count - from)
    state.window.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[from..<(from + count)]))
    }
    return count
  }

  func reopen() throws(SourceError) {
    throw SourceError(.notReadable, name: name)
  }
}

/// `read`, which the type's own method hides.
private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, bytes, count)
}
