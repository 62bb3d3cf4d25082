internal import MediaCore

/// A file whose beginning was lost, with a beginning that was made anew, so that it can be opened.
struct RestoredSource: ByteSource {
  private let head: [UInt8]
  /// Where the bytes that are left begin. Between the head and these are zeros.
  private let start: UInt64
  private let rest: SourceReader

  /// A source from its two parts.
  ///
  /// - Parameter start: where `rest` begins; at or after the end of `head`, at most 2^40.
  init(head: [UInt8], rest: SourceReader, at start: UInt64) {
    (self.head, self.start, self.rest) = (head, max(start, UInt64(head.count)), rest)
  }

  var size: UInt64 { start + rest.size }
  var name: String { rest.source.name }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SourceError) -> Int {
    if offset >= start { return try unsafe rest.read(at: offset - start, into: buffer) }
    // Up to the start, and no more than the buffer takes.
    let count = Int(min(UInt64(buffer.count), start - offset))
    for index in 0..<count {
      let position = offset + UInt64(index)
      unsafe buffer[index] = position < UInt64(head.count) ? head[Int(position)] : 0
    }
    return count
  }

  func reopen() throws(SourceError) { try rest.source.reopen() }

  func change() throws(SourceError) -> SourceChange { try rest.source.change() }
}

extension SourceReader {
  /// Looks for boxes of a kind in bytes whose boxes nothing leads to: by their type, and that of their first child.
  ///
  /// - Parameters:
  ///   - last: whether the last one is wanted, which is then searched from the end.
  ///   - limit: how many bytes are searched.
  /// - Returns: where it is in the source, as a whole; `nil` if there is none.
  /// - Throws: `SourceError` if reading fails.
  func box(
    _ type: FourCC, beginningWith child: FourCC, last: Bool, limit: UInt64
  ) throws(SourceError) -> Range<UInt64>? {
    // Size, type, and the same of the child.
    let header: UInt64 = 16
    guard size > header else { return nil }
    var done: UInt64 = 0
    while done < min(size, limit) {
      let count = min(1 << 20, size - done)
      let start = last ? size - done - count : done
      let bytes = try self.bytes(at: start, count: Int(min(count + header, size - start)))
      let indices = bytes.indices.dropLast(Int(header) - 1)
      func word(_ index: Int) -> UInt32 { bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
      func box(_ index: Int) -> Range<UInt64>? {
        // Most bytes are not the first one of the type.
        guard bytes[index + 4] == UInt8(type.rawValue >> 24), word(index + 4) == type.rawValue,
          word(index + 12) == child.rawValue
        else { return nil }
        let (offset, length) = (start + UInt64(index), UInt64(word(index)))
        return length > header && length <= size - offset ? offset..<offset + length : nil
      }
      let found = last ? indices.reversed().lazy.compactMap(box).first : indices.lazy.compactMap(box).first
      if let found { return found }
      done += count
    }
    return nil
  }
}
