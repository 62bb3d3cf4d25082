internal import MediaCore

// From the bytes of a file to samples.

extension SourceReader {
  /// Reads frames.
  ///
  /// - Returns: the frames; fewer than asked for only where a stream ended.
  /// - Throws: `SourceError`.
  func pcm(at offset: UInt64, frames: Int, of format: WAVFormat) throws(SourceError) -> PCMBuffer {
    let rate = Int(format.sampleRate)
    let count = frames * format.layout.channels
    guard format.encoding != .integer16 else {
      return PCMBuffer(try int16s(at: offset, count: count), sampleRate: rate, layout: format.layout)
    }
    let bytes = try bytes(at: offset, count: count * format.encoding.byteCount)
    if format.encoding == .integer24 || format.encoding == .integer32 {
      return PCMBuffer(
        format.encoding.int32s(bytes), sampleFormat: format.decoded.sampleFormat, sampleRate: rate,
        layout: format.layout)
    }
    return PCMBuffer(format.encoding.floats(bytes), sampleRate: rate, layout: format.layout)
  }

  /// Reads straight into an array: on little-endian processors the bytes are the samples.
  private func int16s(at offset: UInt64, count: Int) throws(SourceError) -> [Int16] {
    // The memory is the new array's own, and `read` fills as much of it as it says.
    let samples = try unsafe [Int16](unsafeUninitializedCapacity: count) { (buffer, initialized) throws(SourceError) in
      initialized = try unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer)) / 2
    }
    return Int16(littleEndian: 1) == 1 ? samples : samples.map { Int16(littleEndian: $0) }
  }
}

extension WAVFormat.Encoding {
  /// The samples in `bytes`, of 24 or 32 bits, with full scale at the ends of `Int32`.
  func int32s(_ bytes: [UInt8]) -> [Int32] {
    let raw = bytes.span
    let count = bytes.count / byteCount
    if self == .integer24 { return (0..<count).map { raw.int24(at: 3 * $0) << 8 } }
    return (0..<count).map { raw.littleEndian(at: 4 * $0) }
  }

  /// The samples in `bytes` as floats, full scale at -1 and 1; those of 16 bits, too.
  func floats(_ bytes: [UInt8]) -> [Float] {
    let raw = bytes.span
    let count = bytes.count / byteCount
    return switch self {
    case .integer8: bytes.map { Float(Int($0) - 128) * (1 / 128) }
    case .integer16: (0..<count).map { Float(raw.littleEndian(at: 2 * $0, as: Int16.self)) * (1 / 32_768) }
    case .integer24: (0..<count).map { Float(raw.int24(at: 3 * $0)) * (1 / 8_388_608) }
    case .integer32: (0..<count).map { Float(raw.littleEndian(at: 4 * $0, as: Int32.self)) * (1 / 2_147_483_648) }
    case .float32: (0..<count).map { Float(bitPattern: raw.littleEndian(at: 4 * $0)) }
    case .float64: (0..<count).map { Float(Double(bitPattern: raw.littleEndian(at: 8 * $0))) }
    }
  }
}

extension Span<UInt8> {
  fileprivate func int24(at offset: Int) -> Int32 {
    let low = Int32(littleEndian(at: offset, as: UInt16.self))
    return Int32(littleEndian(at: offset + 2, as: Int8.self)) << 16 | low
  }
}
