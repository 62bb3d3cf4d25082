internal import MediaCore

/// Finds the format and the samples of a WAVE file among its chunks.
///
/// A file is a `RIFF` chunk that holds others: four characters, 32 bits of size, content, and a byte of padding after
/// an odd one. Above 4 GiB it is called `RF64` (or `BW64`): sizes that do not fit are 0xFFFFFFFF, and a `ds64` chunk at
/// the start has them in 64 bits. Unknown chunks are skipped, and nothing after the samples is read.
///
/// Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"; EBU Tech 3306 for RF64.
struct WAVHeaderReader {
  /// The most chunks before the samples. Real files have a dozen; a million of eight bytes each would be an attack.
  static let maximumChunks = 10_000

  /// The value of a size that the writer did not know, or that is in the `ds64` chunk instead.
  private static let unknown = UInt64(UInt32.max)
  private static let headerBytes: UInt64 = 8
  /// Bytes read at once: most headers take one read.
  private static let windowBytes = 4096

  /// The format of the samples.
  private(set) var format: WAVFormat?
  /// Where the samples begin.
  private(set) var dataStart: UInt64 = 0
  /// Bytes of samples that the header promises; `nil` if it does not say, and they extend to the end.
  private(set) var dataBytes: UInt64?
  /// Whether the promised size is one that programs write without knowing: the samples may well end earlier.
  private(set) var isPlaceholder = false

  private var window: SourceWindow
  private var offset: UInt64 = 12
  private var riffBytes: UInt64 = 0
  private var isLarge = false
  private var largeDataBytes: UInt64?

  /// - Throws: `PCMFileError`: `.notPCMFile`, `.missingChunk`, `.tooManyChunks`, `.source`, or what is wrong with the format.
  init(_ reader: SourceReader) throws(PCMFileError) {
    window = SourceWindow(reader, capacity: WAVHeaderReader.windowBytes)
    try readRIFF()
    for _ in 0..<WAVHeaderReader.maximumChunks {
      if try readChunk() { return }
    }
    throw PCMFileError(.tooManyChunks, offset: offset)
  }

  private mutating func bytes(at offset: UInt64, count: Int) throws(PCMFileError) -> [UInt8] {
    do {
      return Array(try window.bytes(at: offset, count: count))
    } catch {
      throw PCMFileError(.source(error))
    }
  }

  private mutating func readRIFF() throws(PCMFileError) {
    let head = try bytes(at: 0, count: 12)
    guard head.count == 12, ([UInt8]("WAVE".utf8)).elementsEqual(head[8...]) else {
      throw PCMFileError(.notPCMFile, offset: 0)
    }
    let fields = head.span
    switch FourCC(fields.bigEndian(at: 0)) {
    case "RIFF": isLarge = false
    case "RF64", "BW64": isLarge = true
    default: throw PCMFileError(.notPCMFile, offset: 0)
    }
    riffBytes = UInt64(fields.littleEndian(at: 4, as: UInt32.self))
  }

  /// - Returns: whether the samples were reached.
  private mutating func readChunk() throws(PCMFileError) -> Bool {
    let head = try bytes(at: offset, count: Int(WAVHeaderReader.headerBytes))
    guard head.count == WAVHeaderReader.headerBytes else { throw PCMFileError(.missingChunk("data"), offset: offset) }
    let fields = head.span
    let size = UInt64(fields.littleEndian(at: 4, as: UInt32.self))
    let content = offset + WAVHeaderReader.headerBytes
    switch FourCC(fields.bigEndian(at: 0)) {
    case "fmt ":
      let count = Int(min(size, UInt64(WAVFormat.longestChunk)))
      format = try WAVFormat(try bytes(at: content, count: count), offset: content)
    case "ds64" where size >= 16:
      let sizes = try bytes(at: content, count: 16)
      guard sizes.count == 16 else { throw PCMFileError(.truncated, field: "ds64", offset: content) }
      largeDataBytes = sizes.span.littleEndian(at: 8)
    case "data":
      guard format != nil else { throw PCMFileError(.missingChunk("fmt "), offset: offset) }
      dataStart = content
      dataBytes = promised(size)
      isPlaceholder = WAVHeaderReader.isPlaceholder(size)
      return true
    default: break
    }
    // At most 10 000 times 4 GiB: no overflow.
    offset = content + size + size % 2
    return false
  }

  /// Whether a size is as large as possible: sox, arecord and others write such a number into a pipe, as they cannot go
  /// back to correct it. Near 2 GiB from writers with signed sizes, or just below 4 GiB.
  private static func isPlaceholder(_ size: UInt64) -> Bool {
    let slack: UInt64 = 8192
    return ((1 << 31) - slack...(1 << 31) + 64).contains(size) || (unknown - slack..<unknown).contains(size)
  }

  /// A recorder that was killed, or that writes to a pipe, leaves 0 or the largest number as sizes. A size of 0 may
  /// also be true: it is if the size of the whole file says that other chunks follow.
  private func promised(_ size: UInt64) -> UInt64? {
    if size == WAVHeaderReader.unknown {
      guard isLarge, let large = largeDataBytes, large != 0, large != .max else { return nil }
      return large
    }
    let riffEnd = riffBytes + WAVHeaderReader.headerBytes
    if size == 0, riffBytes == WAVHeaderReader.unknown || riffEnd <= dataStart { return nil }
    return size
  }
}
