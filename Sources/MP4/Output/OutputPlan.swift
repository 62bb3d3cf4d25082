internal import ISOBMFF
internal import MediaCore

/// An output as a list of pieces: bytes made here, and ranges of the source that are copied as they are.
///
/// Everything about an output is known before its first byte is written, its size included: so the index can go in
/// front of the media in a single pass.
struct OutputPlan {
  enum Piece {
    case bytes([UInt8])
    case range(SourceReader, offset: UInt64, count: UInt64)
  }

  private(set) var pieces: [Piece] = []
  private(set) var count: UInt64 = 0

  mutating func append(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    count += UInt64(bytes.count)
    if case .bytes(let last)? = pieces.last, last.count + bytes.count <= OutputPlan.joinedSize {
      pieces[pieces.count - 1] = .bytes(last + bytes)
    } else {
      pieces.append(.bytes(bytes))
    }
  }

  /// Small pieces are joined up to this size, so that each costs no write of its own.
  private static let joinedSize = 64 << 10

  mutating func append(_ reader: SourceReader, offset: UInt64, count: UInt64) {
    guard count > 0 else { return }
    self.count += count
    if case .range(let last, let start, let length)? = pieces.last, last.isSame(as: reader), start + length == offset {
      pieces[pieces.count - 1] = .range(reader, offset: start, count: length + count)
    } else {
      pieces.append(.range(reader, offset: offset, count: count))
    }
  }

  mutating func append(_ plan: OutputPlan) {
    pieces += plan.pieces
    count += plan.count
  }

  /// Adds a box of the source as it is there.
  ///
  /// The last box of a file may say that it reaches to the end, or claim more than there is; so do zeros that fill a
  /// file up. Elsewhere it would swallow all that follows: it gets a header that says how long it really is.
  mutating func append(_ box: BoxHeader, from reader: SourceReader) {
    if box.sizeForm == .toEnd || box.isCut {
      append(box.written(payloadSize: box.payloadSize))
      append(reader, offset: box.payloadOffset, count: box.payloadSize)
    } else {
      append(reader, offset: box.offset, count: box.end - box.offset)
    }
  }

  /// Adds a box; what was left in the source when it was read is copied from there.
  mutating func append(_ node: BoxNode, from reader: SourceReader) {
    var inside = OutputPlan()
    switch node.content {
    case .container: break
    case .fields(let box): inside.append(box.written(context: node.context))
    case .opaque(let bytes): inside.append(Array(bytes))
    case .deferred: inside.append(reader, offset: node.header.payloadOffset, count: node.header.payloadSize)
    }
    for child in node.children { inside.append(child, from: reader) }
    inside.append(Array(node.trailing))
    append(node.header.written(payloadSize: inside.count))
    append(inside)
  }

  /// Writes the pieces, long ones in stretches, so that progress is seen and a stop is not long in coming.
  ///
  /// - Parameter progress: called with the bytes written and the bytes there will be, whenever there are more.
  /// - Throws: `MP4Error` `.source` or `.sink`; whatever `progress` throws.
  func write(to sink: any ByteSink, progress: (UInt64, UInt64) throws -> Void) throws {
    var writer = MediaWriter()
    for piece in pieces {
      switch piece {
      case .bytes(let bytes): try writer.add(.bytes(bytes[...]), to: sink)
      case .range(let reader, var offset, var left):
        while left > 0 {
          let count = OutputPlan.stretch(of: left)
          if count >= MediaWriter.kernelCopySize { try OutputPlan.checkCancellation(reader) }
          let written = writer.written
          try writer.add(.range(reader, offset: offset, count: Int(count)), to: sink)
          if writer.written > written { try progress(writer.written, self.count) }
          offset += count
          left -= count
        }
      }
    }
    try writer.flush(to: sink)
  }

  /// All of it in memory: for an index, not for media.
  func bytes() throws(MP4Error) -> [UInt8] {
    let sink = MemorySink()
    do {
      try write(to: sink) { _, _ in }
    } catch let error as MP4Error {
      throw error
    } catch {
      // Nothing else is thrown: progress is not.
    }
    return sink.bytes
  }

  /// A twentieth of a second of a fast disk.
  private static let longestStretch: UInt64 = 64 << 20

  /// How much of a range is copied at once: no less in the end than is worth the kernel's while.
  private static func stretch(of left: UInt64) -> UInt64 {
    left < longestStretch + UInt64(MediaWriter.kernelCopySize) ? left : longestStretch
  }

  private static func checkCancellation(_ reader: SourceReader) throws(MP4Error) {
    do throws(SourceError) { try reader.checkCancellation() } catch { throw MP4Error(error) }
  }
}
