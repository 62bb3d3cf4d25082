internal import MediaCore

/// Finds the format and the samples of a WAVE file among its chunks.
///
/// A file is a `RIFF` chunk that holds others: four characters, 32 bits of size, content, and a byte of padding after
/// an odd one. Above 4 GiB it is called `RF64` (or `BW64`): sizes that do not fit are 0xFFFFFFFF, and a `ds64` chunk at
/// the start has them in 64 bits. Unknown chunks are skipped, and nothing after the samples is read.
///
/// Source: Microsoft, "Multimedia Programming Interface and Data Specifications 1.0"; EBU Tech 3306 for RF64.
struct WAVHeaderReader {
  /// The value of a size that the writer did not know, or that is in the `ds64` chunk instead.
  private static let unknown = UInt64(UInt32.max)

  private var walker: ChunkWalker
  private let fileSize: UInt64
  private let riffBytes: UInt64
  private let isLarge: Bool
  private var largeDataBytes: UInt64?
  private var format: WAVFormat?

  /// Reads the header of a file that begins as a WAVE file.
  ///
  /// - Throws: `PCMFileError`: `.missingChunk`, `.tooManyChunks`, `.source`, or what is wrong with the format.
  static func read(_ reader: SourceReader) throws(PCMFileError) -> PCMFileHeader {
    var header = try WAVHeaderReader(reader)
    return try header.read()
  }

  private init(_ reader: SourceReader) throws(PCMFileError) {
    walker = ChunkWalker(reader, .riff, from: 12)
    fileSize = reader.size
    let head = try walker.bytes(at: 0, count: 12)
    guard head.count == 12 else { throw PCMFileError(.truncated, offset: 0) }
    isLarge = FourCC(head.span.bigEndian(at: 0)) != "RIFF"
    riffBytes = UInt64(head.span.littleEndian(at: 4, as: UInt32.self))
  }

  private mutating func read() throws(PCMFileError) -> PCMFileHeader {
    while let chunk = try walker.next() {
      switch chunk.type {
      case "fmt ": format = try WAVFormat(try walker.bytes(of: chunk, count: WAVFormat.longestChunk), chunk.content)
      case "ds64" where chunk.size >= 16:
        let sizes = try walker.bytes(of: chunk, count: 16)
        guard sizes.count == 16 else { throw PCMFileError(.truncated, field: "ds64", offset: chunk.content) }
        largeDataBytes = sizes.span.littleEndian(at: 8)
      case "data":
        guard let format else { throw PCMFileError(.missingChunk("fmt "), offset: chunk.content - 8) }
        return PCMFileHeader(
          .wave, name: isLarge ? "rf64" : "wav", format: format.fileFormat, dataStart: chunk.content,
          dataBytes: promised(chunk))
      default: break
      }
    }
    throw PCMFileError(.missingChunk("data"), offset: walker.offset)
  }

  /// Whether a size is as large as possible: sox, arecord and others write such a number into a pipe, as they cannot go
  /// back to correct it. Near 2 GiB from writers with signed sizes, or just below 4 GiB. A file of that very size may
  /// also be as long as it says.
  private func isPlaceholder(_ data: Chunk) -> Bool {
    let slack: UInt64 = 8192
    let isNear2GiB = ((1 << 31) - slack...(1 << 31) + 64).contains(data.size)
    let isNear4GiB = (WAVHeaderReader.unknown - slack..<WAVHeaderReader.unknown).contains(data.size)
    let isTrue = riffBytes + 8 == fileSize && data.content + data.size <= fileSize
    return !isTrue && (isNear2GiB || isNear4GiB)
  }

  /// A recorder that was killed, or that writes to a pipe, leaves 0 or the largest number as sizes. A size of 0 may
  /// also be true: it is if the size of the whole file says that other chunks follow.
  private func promised(_ data: Chunk) -> UInt64? {
    if data.size == WAVHeaderReader.unknown {
      guard isLarge, let large = largeDataBytes, large != 0, large != .max else { return nil }
      return large
    }
    if isPlaceholder(data) { return nil }
    if data.size == 0, riffBytes == WAVHeaderReader.unknown || riffBytes + 8 <= data.content { return nil }
    return data.size
  }
}
