internal import ISOBMFF
internal import MediaCore

extension SampleTable {
  /// Goes over the chunks that hold samples, in their order.
  ///
  /// - Parameter body: is given a chunk's index, its file offset and its size in bytes; returns whether to go on.
  /// - Throws: `MP4Error` `.source`, or `.box` for tables that cannot be read.
  func eachChunk(_ body: (_ index: Int, _ offset: UInt64, _ count: UInt64) -> Bool) throws(MP4Error) {
    guard let sampleToChunk, let chunkOffsets else { return }
    var chunks = ChunkCursor(runs: sampleToChunk, offsets: chunkOffsets)
    var sizes = SizeCursor(sizes)
    var (sample, index): (UInt64, Int) = (0, 0)
    while sample < sampleCount, try chunks.advance() {
      let next = min(sample + UInt64(chunks.samplesPerChunk), sampleCount)
      guard body(index, chunks.offset, try byteCount(of: sample..<next, &sizes)) else { return }
      sample = next
      index += 1
    }
  }

  /// Total size in bytes of the next samples. The caller has bounded their numbers by the table.
  private func byteCount(of samples: Range<UInt64>, _ cursor: inout SizeCursor) throws(MP4Error) -> UInt64 {
    if let packing { return packing.byteCount(frames: UInt64(samples.count)) }
    if case .constant(let size) = sizes { return UInt64(size) &* UInt64(samples.count) }
    var count: UInt64 = 0
    for number in samples { count &+= UInt64(try cursor.size(at: number)) }
    return count
  }
}
