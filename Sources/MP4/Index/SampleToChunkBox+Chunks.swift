internal import ISOBMFF

extension SampleToChunkBox {
  /// The table of these chunks, one after another: how many samples each holds, and of which sample entry, counted from
  /// 0.
  init(_ chunks: some Sequence<(samples: UInt64, description: Int)>) {
    self.init()
    var entries: [SampleToChunkEntry] = []
    for (index, chunk) in chunks.enumerated() {
      let entry = SampleToChunkEntry(
        firstChunk: UInt32(clamping: index + 1), samplesPerChunk: UInt32(clamping: chunk.samples),
        sampleDescriptionIndex: UInt32(clamping: chunk.description + 1))
      if let last = entries.last, last.samplesPerChunk == entry.samplesPerChunk,
        last.sampleDescriptionIndex == entry.sampleDescriptionIndex
      {
        continue
      }
      entries.append(entry)
    }
    runs = PackedTable(entries)
  }
}
