internal import ISOBMFF
internal import MediaCore

/// The movie box of a movie whose media move in the file: the same but for its chunk offsets.
struct ShiftedMovieBox {
  /// A chunk that the room would split, and so is copied elsewhere for a while.
  struct SplitChunk {
    let track: Int
    let number: Int
    let offset: UInt64
    let count: UInt64
  }

  /// A table of chunk offsets inside the index.
  private struct Table {
    let track: Int
    let place: Int
    let count: Int
    let isWide: Bool
  }

  /// Bytes that are inserted: room for the index, padding, the media's new header, and the media in front.
  let room: UInt64
  let split: [SplitChunk]
  /// Bytes of the chunks that it splits.
  let splitSize: UInt64
  /// The index as it was in the file, but for offsets that need more bits.
  private let bytes: [UInt8]
  private let tables: [Table]
  private let layout: FastStartLayout

  /// `nil` where chunks lie in a way that cannot be moved.
  init?(_ movie: MP4Demuxer, _ layout: FastStartLayout) throws(MP4Error) {
    self.layout = layout
    var split: [SplitChunk] = []
    for (place, index) in movie.indexes.prefix(movie.traks.count).enumerated() where !index.isExternal {
      guard let found = try ShiftedMovieBox.chunks(of: index.table, track: place, in: layout) else { return nil }
      split += found
    }
    splitSize = split.reduce(0) { $0 + $1.count }
    guard splitSize <= FastStartPlan.maximumCopy else { return nil }
    self.split = split
    let size = layout.moov.end - layout.moov.offset
    // Offsets may grow by twice the index and what is copied: near 4 GiB they get 64 bits in time.
    if layout.size + FastStartPlan.maximumCopy * 4 + size * 4 > UInt64(UInt32.max) {
      bytes = try ShiftedMovieBox.widened(movie)
      let reader = SourceReader(MemorySource(bytes))
      tables = ShiftedMovieBox.tables(try ShiftedMovieBox.indexes(reader, file: movie.reader.source.name), at: 0)
    } else {
      bytes = try movie.reader.exactly(size, at: layout.moov.offset)
      tables = ShiftedMovieBox.tables(
        movie.indexes.prefix(movie.traks.count).map { ($0.table, $0.isExternal) }, at: layout.moov.offset)
    }
    let inFront = layout.place - layout.media.payloadOffset
    room = (UInt64(bytes.count) + 8 + layout.newHeaderSize + inFront).roundedUp(to: layout.blockSize)
  }

  /// The chunks that the room would split. `nil` if one does not lie inside one of the media boxes: what it holds may then
  /// be something that moving the index changes, the old index itself above all.
  private static func chunks(of table: SampleTable, track: Int, in layout: FastStartLayout) throws(MP4Error)
    -> [SplitChunk]?
  {
    guard let runs = table.sampleToChunk, let offsets = table.chunkOffsets else { return [] }
    var found: [SplitChunk] = []
    var chunks = ChunkCursor(runs: runs, offsets: offsets)
    var sizes = SizeCursor(table.sizes)
    var (sample, number): (UInt64, Int) = (0, 0)
    while sample < table.sampleCount, try chunks.advance() {
      defer { number += 1 }
      let next = min(sample + UInt64(chunks.samplesPerChunk), table.sampleCount)
      let count = try table.byteCount(of: sample..<next, &sizes)
      sample = next
      guard layout.isMedia(chunks.offset, count) else { return nil }
      if chunks.offset < layout.place, count > layout.place - chunks.offset {
        found.append(SplitChunk(track: track, number: number, offset: chunks.offset, count: count))
      }
    }
    return found
  }

  /// The index for the time when the room is there but empty: chunks in front of it have not moved, and split ones
  /// are where they were copied to.
  ///
  /// - Parameter copies: where the copy of each split chunk is, the insertion included.
  func interim(copies: [UInt64]) -> [UInt8] {
    var index = shifted(from: layout.place)
    for (chunk, copy) in zip(split, copies) {
      guard let table = tables.first(where: { $0.track == chunk.track }) else { continue }
      ShiftedMovieBox.put(copy, table, chunk.number, in: &index)
    }
    return index
  }

  /// The index for when the room is filled: everything in the media has moved.
  func final() -> [UInt8] {
    shifted(from: layout.media.payloadOffset)
  }

  /// The index with all offsets moved from one on.
  private func shifted(from start: UInt64) -> [UInt8] {
    var index = bytes
    let span = bytes.span.bytes
    for table in tables {
      for number in 0..<table.count {
        let place = table.place + number * (table.isWide ? 8 : 4)
        let offset = table.isWide ? span.bigEndian(at: place) : UInt64(span.bigEndian(at: place, as: UInt32.self))
        if offset >= start { ShiftedMovieBox.put(offset &+ room, table, number, in: &index) }
      }
    }
    return index
  }

  private static func put(_ offset: UInt64, _ table: Table, _ number: Int, in index: inout [UInt8]) {
    var span = index.mutableSpan
    var bytes = span.mutableBytes
    if table.isWide {
      bytes.storeBytes(of: offset.bigEndian, toByteOffset: table.place + number * 8, as: UInt64.self)
    } else {
      let narrow = UInt32(truncatingIfNeeded: offset)
      bytes.storeBytes(of: narrow.bigEndian, toByteOffset: table.place + number * 4, as: UInt32.self)
    }
  }

  // MARK: Tables

  /// Where the tables of chunk offsets are in an index that begins at `start`; not those of other files.
  private static func tables(_ indexes: [(table: SampleTable, isExternal: Bool)], at start: UInt64) -> [Table] {
    indexes.enumerated().compactMap { number, index in
      guard !index.isExternal else { return nil }
      switch index.table.chunkOffsets {
      case .narrow(let location):
        return Table(track: number, place: Int(location.offset - start), count: location.count, isWide: false)
      case .wide(let location):
        return Table(track: number, place: Int(location.offset - start), count: location.count, isWide: true)
      case nil: return nil
      }
    }
  }

  /// The index with 64 bits for each offset.
  private static func widened(_ movie: MP4Demuxer) throws(MP4Error) -> [UInt8] {
    var moov = movie.moov
    var place = 0
    for child in moov.children.indices where moov.children[child].type == "trak" {
      defer { place += 1 }
      let offsets = try ChunkOffsetList(movie.indexes[place].table).offsets
      moov.children[child].changeSampleTable { stbl in
        guard let table = stbl.children.firstIndex(where: { $0.type == "stco" }) else { return }
        stbl.children[table] = .chunkOffsets(offsets, isWide: true)
      }
    }
    var plan = OutputPlan()
    plan.append(moov, from: movie.moovReader)
    return try plan.bytes()
  }

  /// The sample tables of an index in memory.
  private static func indexes(_ reader: SourceReader, file: String) throws(MP4Error) -> [(
    table: SampleTable, isExternal: Bool
  )] {
    do throws(BoxError) {
      var parser = BoxParser(reader, deferring: ["stco", "co64", "stsz", "stz2", "stts", "stsc", "ctts", "stss"])
      guard let header = try parser.header(at: 0, limit: reader.size) else { return [] }
      return try parser.node(header).all("trak").map { trak in
        (SampleTableReader(trak, reader: reader, mediaSize: .max).table, trak.isExternalTrack)
      }
    } catch {
      throw MP4Error(error, file: file)
    }
  }
}

extension SampleTable {
  /// Bytes of the samples that come next. The caller has bounded their numbers by the table.
  fileprivate func byteCount(of samples: Range<UInt64>, _ cursor: inout SizeCursor) throws(MP4Error) -> UInt64 {
    if let packing { return packing.byteCount(frames: UInt64(samples.count)) }
    if case .constant(let size) = sizes { return UInt64(size) &* UInt64(samples.count) }
    var count: UInt64 = 0
    for number in samples { count &+= UInt64(try cursor.size(at: number)) }
    return count
  }
}

extension SourceReader {
  /// Bytes that must be there.
  func exactly(_ count: UInt64, at offset: UInt64) throws(MP4Error) -> [UInt8] {
    do throws(SourceError) {
      let found = try bytes(at: offset, count: Int(clamping: count))
      guard UInt64(found.count) == count else { throw SourceError(.endedEarly, name: source.name, offset: offset) }
      return found
    } catch {
      throw MP4Error(error)
    }
  }
}
