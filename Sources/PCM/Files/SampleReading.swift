internal import MediaCore

// From the bytes of a file to a buffer.

extension SourceReader {
  /// Reads frames.
  ///
  /// - Returns: the frames; fewer than asked for only where a stream ended.
  /// - Throws: `SourceError`.
  func pcm(
    at offset: UInt64, frames: Int, of format: AudioFormat, by unpacker: SampleUnpacker
  ) throws(SourceError) -> PCMBuffer {
    let (rate, layout, coding) = (format.sampleRate, format.layout, unpacker.coding)
    let wanted = frames * layout.channels
    if coding.kind == .signed, coding.byteCount == 2, coding.isLittleEndian, unpacker.isInOrder {
      return PCMBuffer(try int16s(at: offset, count: wanted), sampleRate: rate, layout: layout)
    }
    let bytes = try bytes(at: offset, count: wanted * coding.byteCount)
    let count = bytes.count / coding.byteCount
    // Unsafe only because elements of another type could have padding; a byte has none.
    let raw = unsafe bytes.span.bytes
    switch unpacker.sampleFormat {
    case .int16:
      var samples = [Int16](repeating: 0, count: count)
      var target = samples.mutableSpan
      unpacker.unpack(raw, into: &target)
      return PCMBuffer(samples, sampleRate: rate, layout: layout)
    case .int24, .int32:
      var samples = [Int32](repeating: 0, count: count)
      var target = samples.mutableSpan
      unpacker.unpack(raw, into: &target)
      return PCMBuffer(samples, sampleFormat: unpacker.sampleFormat, sampleRate: rate, layout: layout)
    case .float32:
      var samples = [Float](repeating: 0, count: count)
      var target = samples.mutableSpan
      unpacker.unpack(raw, into: &target)
      return PCMBuffer(samples, sampleRate: rate, layout: layout)
    }
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
