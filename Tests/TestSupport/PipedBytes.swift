public import MediaCore
internal import Synchronization

/// Bytes that come once and in order, some at a time, as from a pipe.
public final class PipedBytes: ByteSource {
  public let size = UInt64.max
  public let name = "pipe"
  private let bytes: [UInt8]
  private let history: UInt64
  private let reached = Mutex(UInt64(0))

  /// - Parameter history: how far back readers may go.
  public init(_ bytes: [UInt8], history: UInt64 = 8192) { (self.bytes, self.history) = (bytes, history) }

  /// The furthest offset that was read from.
  public var furthest: UInt64 { reached.withLock { $0 } }

  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    let isGone = reached.withLock { furthest in
      furthest = max(furthest, offset)
      return furthest - offset > history
    }
    if isGone { throw SourceError(.notReadable, name: name, offset: offset) }
    guard offset < UInt64(bytes.count) else { return 0 }
    let count = min(buffer.count, 777, bytes.count - Int(offset))
    unsafe buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
    return count
  }

  public func reopen() throws(SourceError) {}
}
