internal import MediaCore

/// Where a table lies in its source.
struct TableLocation: Sendable {
  let reader: SourceReader
  let offset: UInt64
  /// Number of entries.
  let count: Int
}

extension TableLocation {
  /// Bytes read at once when scanning a whole table: few enough to stay in the processor's cache.
  private static var pieceSize: Int { 64 << 10 }

  /// The sum of some entries of a table of 32-bit numbers.
  func sum(of entries: Range<Int>) throws(MP4Error) -> UInt64 {
    var sum: UInt64 = 0
    var fileOffset = offset + UInt64(entries.lowerBound) * 4
    let end = offset + UInt64(entries.upperBound) * 4
    while fileOffset < end {
      do throws(SourceError) {
        let piece = try reader.bytes(at: fileOffset, count: Int(min(end - fileOffset, UInt64(TableLocation.pieceSize))))
        let span = piece.span
        guard span.count >= 4 else { throw SourceError(.endedEarly, name: reader.source.name, offset: fileOffset) }
        for index in 0..<(span.count / 4) { sum &+= UInt64(span.bigEndian(at: index &* 4, as: UInt32.self)) }
        fileOffset += UInt64(span.count)
      } catch {
        throw MP4Error(error)
      }
    }
    return sum
  }
}

/// What a window decodes: numbers, runs of samples, and runs of chunks.
///
/// Not `TableEntry`, which the boxes use: the compiler does not specialise another module's `package` code, and reading
/// samples through that protocol takes 7 % more instructions.
protocol WindowEntry: Sendable {
  /// Size of an entry in bytes.
  static var width: Int { get }

  /// Decodes the entry at a byte offset. The caller has checked that it lies within the span.
  init(at offset: Int, in bytes: Span<UInt8>)
}

extension WindowEntry where Self: FixedWidthInteger & BitwiseCopyable {
  static var width: Int { bitWidth / 8 }

  init(at offset: Int, in bytes: Span<UInt8>) {
    self = bytes.bigEndian(at: offset)
  }
}

extension UInt8: WindowEntry {}
extension UInt32: WindowEntry {}
extension UInt64: WindowEntry {}

/// A table read through a window: access by index is free from front to back, and costs a read out of order.
struct TableWindow<Entry: WindowEntry>: Sendable {
  private let location: TableLocation
  private var buffer: [UInt8] = []
  private var first = 0
  private var loaded = 0

  /// Entries read at once. A cursor has five windows: at some 8 bytes per entry they take 160 KiB together.
  private static var capacity: Int { 4096 }

  init(_ location: TableLocation) {
    self.location = location
  }

  var count: Int { location.count }

  /// The entry at an index from 0 to `count` - 1.
  @inline(__always)
  mutating func entry(at index: Int) throws(MP4Error) -> Entry {
    let position = index &- first
    if position < 0 || position >= loaded { return try entryAfterLoading(index) }
    return Entry(at: position &* Entry.width, in: buffer.span)
  }

  @inline(never)
  private mutating func entryAfterLoading(_ index: Int) throws(MP4Error) -> Entry {
    let wanted = min(TableWindow.capacity, count - index)
    let start = location.offset + UInt64(index) * UInt64(Entry.width)
    do throws(SourceError) {
      buffer = try location.reader.bytes(at: start, count: wanted * Entry.width)
    } catch {
      loaded = 0
      throw MP4Error(error)
    }
    first = index
    loaded = buffer.count / Entry.width
    guard loaded > 0 else {
      throw MP4Error(.source(SourceError(.endedEarly, name: location.reader.source.name, offset: start)))
    }
    return Entry(at: 0, in: buffer.span)
  }
}
