/// Bytes in memory, read as a file would be.
public struct MemorySource: ByteSource {
  private let bytes: [UInt8]
  /// The name used in messages.
  public let name: String

  /// A source over these bytes.
  public init(_ bytes: [UInt8], name: String = "memory") {
    self.bytes = bytes
    self.name = name
  }

  /// The number of bytes.
  public var size: UInt64 { UInt64(bytes.count) }

  /// Copies bytes out; never fails.
  public func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    guard offset < size else { return 0 }
    let start = Int(offset)
    let count = min(buffer.count, bytes.count - start)
    // The buffer has room for the count.
    unsafe buffer.copyBytes(from: bytes[start..<(start + count)])
    return count
  }

  /// Nothing to do: memory does not go away.
  public func reopen() throws(SourceError) {}
}
