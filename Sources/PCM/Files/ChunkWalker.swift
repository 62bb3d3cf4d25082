internal import MediaCore

/// A piece of a file: four characters that say what it is, a size, content.
struct Chunk {
  let type: FourCC
  /// Where its content begins.
  let content: UInt64
  /// Bytes of content, as stated.
  let size: UInt64
}

/// Goes over the chunks of a file. WAVE, AIFF and CAF are built alike, and differ in how they write a size.
struct ChunkWalker {
  /// How sizes are written.
  enum Style {
    /// 32 bits, the least significant byte first; a byte of padding after an odd one. WAVE.
    case riff
    /// 32 bits, the most significant byte first; a byte of padding after an odd one. AIFF.
    case iff
    /// 64 bits, the most significant byte first. CAF.
    case caf
  }

  /// The most chunks of a file. Real ones have a dozen; a million of eight bytes each would be an attack.
  static let maximumChunks = 10_000
  /// Bytes read at once: most headers take one read.
  private static let windowBytes = 4096

  /// Where the next chunk begins.
  private(set) var offset: UInt64
  private let style: Style
  private var window: SourceWindow
  private var count = 0

  /// - Parameter offset: where the first chunk begins.
  init(_ reader: SourceReader, _ style: Style, from offset: UInt64) {
    window = SourceWindow(reader, capacity: ChunkWalker.windowBytes)
    self.style = style
    self.offset = offset
  }

  /// Bytes of the file; fewer where it ends.
  mutating func bytes(at offset: UInt64, count: Int) throws(PCMFileError) -> [UInt8] {
    do {
      return Array(try window.bytes(at: offset, count: count))
    } catch {
      throw PCMFileError(.source(error))
    }
  }

  /// The first bytes of a chunk's content, up to `count`; fewer where the chunk or the file ends.
  mutating func bytes(of chunk: Chunk, count: Int) throws(PCMFileError) -> [UInt8] {
    try bytes(at: chunk.content, count: Int(min(UInt64(count), chunk.size)))
  }

  /// The next chunk; `nil` where the file ends, or holds no whole head any more.
  ///
  /// - Throws: `PCMFileError`: `.tooManyChunks`, `.source`.
  mutating func next() throws(PCMFileError) -> Chunk? {
    let length = style == .caf ? 12 : 8
    let head = try bytes(at: offset, count: length)
    guard head.count == length else { return nil }
    count += 1
    guard count <= ChunkWalker.maximumChunks else { throw PCMFileError(.tooManyChunks, offset: offset) }
    let fields = head.span
    let size: UInt64 =
      switch style {
      case .riff: UInt64(fields.littleEndian(at: 4, as: UInt32.self))
      case .iff: UInt64(fields.bigEndian(at: 4, as: UInt32.self))
      case .caf: fields.bigEndian(at: 4)
      }
    let chunk = Chunk(type: FourCC(fields.bigEndian(at: 0)), content: offset + UInt64(length), size: size)
    skip(to: chunk.content, plus: size)
    return chunk
  }

  /// Sets where the next chunk begins: a number of bytes after a place, and after the padding. Beyond all files if the
  /// sum is.
  mutating func skip(to place: UInt64, plus size: UInt64) {
    let (end, overflow) = place.addingReportingOverflow(size)
    let (padded, overflowToo) = end.addingReportingOverflow(style == .caf ? 0 : size % 2)
    // The end of the numbers, and room for a head.
    offset = overflow || overflowToo ? .max - 16 : min(padded, .max - 16)
  }
}
