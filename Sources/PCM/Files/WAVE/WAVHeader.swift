internal import MediaCore

/// The bytes before the samples of a WAVE file.
///
/// Its length does not depend on how many samples follow: the header is written first without that number, and
/// overwritten at the end. For a file that may grow beyond 4 GiB, 36 bytes of `JUNK` are reserved at the start, which
/// become the `ds64` chunk of an RF64 file only if it does: so whatever fits an ordinary WAVE file is one.
///
/// Source: EBU Tech 3306, "Achieving compatibility between RIFF and RF64".
struct WAVHeader {
  let format: WAVFormat
  /// Whether sizes can be filled in later, and room for large ones is reserved.
  let isPatchable: Bool

  /// The largest size of an ordinary file; one more means that it is unknown.
  private static let largest = UInt64(UInt32.max) - 1
  /// Two sizes and a number of frames in 64 bits, and a table of other large chunks, which is empty.
  private static let ds64Bytes = 28

  /// The header.
  ///
  /// - Parameter dataBytes: bytes of samples that follow; `nil` where that is not known.
  func bytes(dataBytes: UInt64?) -> [UInt8] {
    let lead = isPatchable ? 8 + WAVHeader.ds64Bytes : 0
    // Chunks of odd sizes are followed by a byte that fills them up.
    let riffBytes = dataBytes.map { $0 + $0 % 2 + UInt64(4 + lead + chunks(dataBytes: 0).count) }
    let isLarge = riffBytes.map { isPatchable && $0 > WAVHeader.largest } ?? false
    var bytes = Array(isLarge ? "RF64".utf8 : "RIFF".utf8)
    bytes.appendLittleEndian(WAVHeader.size(riffBytes))
    bytes += Array("WAVE".utf8)
    if isPatchable {
      bytes += Array(isLarge ? "ds64".utf8 : "JUNK".utf8)
      bytes.appendLittleEndian(UInt32(WAVHeader.ds64Bytes))
      bytes.appendLittleEndian(isLarge ? riffBytes ?? 0 : 0)
      bytes.appendLittleEndian(isLarge ? dataBytes ?? 0 : 0)
      bytes.appendLittleEndian(isLarge ? (dataBytes ?? 0) / UInt64(format.bytesPerFrame) : 0)
      bytes.appendLittleEndian(UInt32(0))
    }
    return bytes + chunks(dataBytes: isLarge ? nil : dataBytes)
  }

  /// The chunks `fmt `, `fact` and the head of `data`.
  private func chunks(dataBytes: UInt64?) -> [UInt8] {
    var bytes = WAVHeader.chunk("fmt ", format.written)
    if format.coding.kind == .float {
      // Formats other than integers have to state the number of frames: a legacy of compressed ones.
      var frames: [UInt8] = []
      frames.appendLittleEndian(WAVHeader.size(dataBytes.map { $0 / UInt64(format.bytesPerFrame) }))
      bytes += WAVHeader.chunk("fact", frames)
    }
    bytes += Array("data".utf8)
    bytes.appendLittleEndian(WAVHeader.size(dataBytes))
    return bytes
  }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    var bytes = Array(type.utf8)
    bytes.appendLittleEndian(UInt32(content.count))
    return bytes + content
  }

  private static func size(_ count: UInt64?) -> UInt32 {
    count.flatMap { $0 <= largest ? UInt32($0) : nil } ?? .max
  }
}
