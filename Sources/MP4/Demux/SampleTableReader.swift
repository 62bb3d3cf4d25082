internal import ISOBMFF
internal import MediaCore

/// Locates the sample tables of a track, and checks the counts they claim against their size.
struct SampleTableReader {
  private(set) var id: UInt32 = 0
  private(set) var table = SampleTable()
  /// The first table that claims more entries than it has.
  private(set) var defect: BoxError?
  private let reader: SourceReader

  /// - Parameters:
  ///   - reader: the source of the tables.
  ///   - mediaSize: size in bytes of the file that holds the samples, which is not that source if the movie header
  ///   was compressed.
  init(_ trak: BoxNode, reader: SourceReader, mediaSize: UInt64) {
    self.reader = reader
    id = trak.trackNumber
    guard let stbl = trak.first("mdia", "minf", "stbl") else { return }
    table.timeToSample = location(of: stbl.first("stts"), entrySize: TimeToSampleEntry.size)
    table.compositionOffsets = location(of: stbl.first("ctts"), entrySize: CompositionOffsetEntry.size)
    table.sampleToChunk = location(of: stbl.first("stsc"), entrySize: SampleToChunkEntry.size)
    table.syncSamples = location(of: stbl.first("stss"), entrySize: 4)
    if let node = stbl.first("sdtp"), node.header.payloadSize >= 4 {
      // It has no count of its own: its size determines it.
      table.dependencies = TableLocation(
        reader: reader, offset: node.header.payloadOffset + 4, count: Int(clamping: node.header.payloadSize - 4))
    }
    if let location = location(of: stbl.first("stco"), entrySize: 4) {
      table.chunkOffsets = .narrow(location)
    } else if let location = location(of: stbl.first("co64"), entrySize: 8) {
      table.chunkOffsets = .wide(location)
    }
    readSizes(stbl)
    if case .constant(let size) = table.sizes { table.packing = .init(trak, sampleSize: size) }
    if !trak.isExternalTrack { boundConstantSizes(stbl, mediaSize: mediaSize) }
  }

  /// A table in the most common layout: version and flags, a 32-bit count, entries.
  private mutating func location(of node: BoxNode?, entrySize: Int) -> TableLocation? {
    guard let node, let head = node.head, head.byteCount >= 8 else { return nil }
    return location(
      of: node, claimed: UInt64(head.count), entrySize: entrySize, after: 8, field: "entry_count")
  }

  private mutating func location(
    of node: BoxNode, claimed: UInt64, entrySize: Int, after headSize: UInt64, field: String = "sample_count"
  ) -> TableLocation {
    let room = (node.header.payloadSize - min(node.header.payloadSize, headSize)) / UInt64(entrySize)
    if claimed > room {
      defect =
        defect
        ?? BoxError(
          .countExceedsBox(claimed: claimed, room: room), path: "moov/trak/mdia/minf/stbl/\(node.type)",
          field: field, offset: node.header.offset)
    }
    return TableLocation(reader: reader, offset: node.header.payloadOffset + headSize, count: Int(min(claimed, room)))
  }

  private mutating func readSizes(_ stbl: BoxNode) {
    if let node = stbl.first("stsz"), let head = node.head, head.byteCount >= 12 {
      // The first number is the common size, the second the count.
      let (constant, count) = (head.count, head.second)
      if constant != 0 {
        table.sizes = .constant(constant)
        table.sampleCount = UInt64(count)
      } else {
        let location = location(of: node, claimed: UInt64(count), entrySize: 4, after: 12)
        table.sizes = .table(location)
        table.sampleCount = UInt64(location.count)
      }
    } else if let node = stbl.first("stz2"), let head = node.head, head.byteCount >= 12 {
      let bits = Int(head.count & 0xFF)
      guard [4, 8, 16].contains(bits) else {
        defect =
          defect
          ?? BoxError(
            .invalidValue(Int64(bits)), path: "moov/trak/mdia/minf/stbl/stz2", field: "field_size",
            offset: node.header.offset)
        return
      }
      let bytes = (UInt64(head.second) * UInt64(bits) + 7) / 8
      let location = location(of: node, claimed: bytes, entrySize: 1, after: 12)
      table.sizes = .compact(location, bits: bits)
      table.sampleCount = min(UInt64(head.second), UInt64(location.count) * 8 / UInt64(bits))
    }
  }

  /// Samples of a constant size need no table, so nothing but the size of the file bounds their number. Chunks may
  /// overlap, as in a slide show that repeats an image: each of them counts separately.
  private mutating func boundConstantSizes(_ stbl: BoxNode, mediaSize: UInt64) {
    guard case .constant(let size) = table.sizes, let node = stbl.first("stsz"),
      let chunkCount = table.chunkOffsets?.count, chunkCount > 0
    else { return }
    // In packed tracks, samples are frames, and several have the bytes of a packet together.
    let packing = table.packing ?? SampleTable.Packing(frames: 1, bytes: size)
    let packets = mediaSize / UInt64(max(packing.bytes, 1)) + UInt64(chunkCount)
    let (product, isEndless) = packets.multipliedReportingOverflow(by: UInt64(max(packing.frames, 1)))
    let room = isEndless ? .max : product
    guard table.sampleCount > room else { return }
    defect =
      defect
      ?? BoxError(
        .countExceedsBox(claimed: table.sampleCount, room: room), path: "moov/trak/mdia/minf/stbl/stsz",
        field: "sample_count", offset: node.header.offset)
    table.sampleCount = room
  }
}

extension BoxNode {
  /// Whether a sample description of a `trak` box refers to data outside the file. An entry of `dref` means the file
  /// itself if flag 1 is set, or if its location is empty.
  var isExternalTrack: Bool {
    let references = first("mdia", "minf", "dinf", "dref")?.children ?? []
    // Sample entries count references from 1.
    let elsewhere = Set(
      references.indices.prefix(Int(UInt16.max)).filter { index in
        let payload = references[index].payload
        return payload.count >= 4 && payload[3] & 1 == 0 && payload[4...].contains { $0 != 0 }
      }.map { $0 + 1 })
    guard !elsewhere.isEmpty, let entries = first("mdia", "minf", "stbl", "stsd")?.children, !entries.isEmpty else {
      return !elsewhere.isEmpty
    }
    // The number of the reference follows six reserved bytes.
    return entries.contains { elsewhere.contains($0.payload.dropFirst(6).prefix(2).reduce(0) { $0 << 8 | Int($1) }) }
  }
}

/// The numbers at the head of a table: `count` follows version and flags, `second` follows it.
private struct TableHead {
  let byteCount: Int
  let count: UInt32
  let second: UInt32
}

extension BoxNode {
  fileprivate var head: TableHead? {
    guard case .deferred(let bytes) = content else { return nil }
    let span = bytes.span
    return TableHead(
      byteCount: span.count, count: span.count >= 8 ? span.bigEndian(at: 4) : 0,
      second: span.count >= 12 ? span.bigEndian(at: 8) : 0)
  }
}
