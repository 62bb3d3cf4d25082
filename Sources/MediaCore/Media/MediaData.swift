/// The bytes of a sample: already in memory, or still in a source.
///
/// Demuxing hands out offsets rather than bytes: an application that only counts, seeks or rearranges never pays for
/// reading, and one that copies reads long runs at once. Bytes are copied once, where they are needed.
public enum MediaData: Sendable {
  /// In memory.
  case bytes(ArraySlice<UInt8>)
  /// `count` bytes from `offset` on, not read yet.
  case range(SourceReader, offset: UInt64, count: Int)

  /// Length in bytes.
  @inlinable
  public var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .range(_, _, let count): count
    }
  }

  /// The first bytes; all of them if there are no more.
  package func prefix(_ length: Int) -> MediaData {
    switch self {
    case .bytes(let bytes): .bytes(bytes.prefix(max(length, 0)))
    case .range(let reader, let offset, let count): .range(reader, offset: offset, count: min(count, max(length, 0)))
    }
  }

  /// The bytes, read now if they are not in memory yet.
  ///
  /// - Throws: `SourceError`; `.endedEarly` if the source has become too short.
  public func load() throws(SourceError) -> ArraySlice<UInt8> {
    switch self {
    case .bytes(let bytes):
      return bytes
    case .range(let reader, let offset, let count):
      let bytes = try reader.bytes(at: offset, count: count)
      guard bytes.count == count else {
        throw SourceError(.endedEarly, name: reader.source.name, offset: offset + UInt64(bytes.count))
      }
      return bytes[...]
    }
  }
}
