internal import ISOBMFF
internal import MediaCore

/// The movie box of a movie whose media moves in the file: only its chunk offsets change.
struct ShiftedMovieBox {
  /// A chunk that the room would split, so it is temporarily copied elsewhere.
  struct SplitChunk {
    let trackID: UInt32
    /// Its index among the chunks of the track.
    let index: Int
    let offset: UInt64
    let count: UInt64
  }

  /// Bytes that are inserted: room for the movie box, padding, the media's new header, and the media before the room.
  let room: UInt64
  let split: [SplitChunk]
  /// Total size in bytes of the chunks that it splits.
  let splitSize: UInt64
  /// The movie box as it was in the file, except for offsets that need more bits.
  private let bytes: [UInt8]
  private let tables: [ChunkOffsetTable]
  private let layout: FastStartLayout

  /// `nil` if chunks lie where they cannot be moved.
  init?(_ movie: MP4Demuxer, _ layout: FastStartLayout) throws(MP4Error) {
    self.layout = layout
    let tracks = movie.describedTracks.filter { !$0.index.isExternal }
    var split: [SplitChunk] = []
    for track in tracks {
      guard let found = try ShiftedMovieBox.chunks(of: track, in: layout) else { return nil }
      split += found
    }
    splitSize = split.reduce(0) { $0 + $1.count }
    guard splitSize <= FastStartPlan.maximumCopy else { return nil }
    self.split = split
    let size = layout.moov.end - layout.moov.offset
    // Offsets may grow by twice the index and what is copied: near 4 GiB they get 64 bits beforehand.
    if layout.size + FastStartPlan.maximumCopy * 4 + size * 4 > UInt64(UInt32.max) {
      bytes = try ShiftedMovieBox.widened(movie)
      let read = try ShiftedMovieBox.sampleTables(in: bytes, file: movie.reader.source.name)
      tables = zip(movie.describedTracks, read).compactMap { track, table in
        track.index.isExternal ? nil : ChunkOffsetTable(table, trackID: track.id, boxOffset: 0)
      }
    } else {
      bytes = try movie.reader.exactly(size, at: layout.moov.offset)
      tables = tracks.compactMap { ChunkOffsetTable($0.index.table, trackID: $0.id, boxOffset: layout.moov.offset) }
    }
    let inFront = layout.insertionOffset - layout.media.payloadOffset
    room = (UInt64(bytes.count) + 8 + layout.newHeaderSize + inFront).roundedUp(to: layout.blockSize)
  }

  /// The chunks that the room would split. `nil` if one does not lie inside one of the media boxes: it may then contain
  /// something that moving the index changes, above all the old index itself.
  private static func chunks(of track: MovieTrack, in layout: FastStartLayout) throws(MP4Error) -> [SplitChunk]? {
    let table = track.index.table
    guard let runs = table.sampleToChunk, let offsets = table.chunkOffsets else { return [] }
    var found: [SplitChunk] = []
    var chunks = ChunkCursor(runs: runs, offsets: offsets)
    var sizes = SizeCursor(table.sizes)
    var (sample, index): (UInt64, Int) = (0, 0)
    while sample < table.sampleCount, try chunks.advance() {
      defer { index += 1 }
      let next = min(sample + UInt64(chunks.samplesPerChunk), table.sampleCount)
      let count = try table.byteCount(of: sample..<next, &sizes)
      sample = next
      guard layout.isMedia(chunks.offset, count) else { return nil }
      if chunks.offset < layout.insertionOffset, count > layout.insertionOffset - chunks.offset {
        found.append(SplitChunk(trackID: track.id, index: index, offset: chunks.offset, count: count))
      }
    }
    return found
  }

  /// The movie box for the time when the room exists but is empty: chunks before it have not moved, and split ones are
  /// found where they were copied to.
  ///
  /// - Parameter copies: where the copy of each split chunk is, the insertion included.
  func interim(copies: [UInt64]) -> [UInt8] {
    var box = shifted(from: layout.insertionOffset)
    for (chunk, copy) in zip(split, copies) {
      guard let table = tables.first(where: { $0.trackID == chunk.trackID }) else { continue }
      table.set(chunk.index, to: copy, in: &box)
    }
    return box
  }

  /// The movie box for the time when the room is filled: everything in the media has moved.
  func final() -> [UInt8] {
    shifted(from: layout.media.payloadOffset)
  }

  /// The movie box with all chunk offsets from `start` on moved.
  private func shifted(from start: UInt64) -> [UInt8] {
    var box = bytes
    for table in tables {
      for index in 0..<table.count {
        let offset = table.offset(at: index, in: bytes)
        if offset >= start { table.set(index, to: offset &+ room, in: &box) }
      }
    }
    return box
  }

  // MARK: Offsets in 64 bits

  /// The movie box with 64 bits for each chunk offset.
  private static func widened(_ movie: MP4Demuxer) throws(MP4Error) -> [UInt8] {
    var moov = movie.moov
    var described = movie.describedTracks.makeIterator()
    for child in moov.children.indices where moov.children[child].type == "trak" {
      guard let track = described.next() else { break }
      let offsets = try ChunkOffsetList(track.index.table).offsets
      moov.children[child].changeSampleTable { stbl in
        guard let table = stbl.children.firstIndex(where: { $0.type == "stco" }) else { return }
        stbl.children[table] = .chunkOffsets(offsets, isWide: true)
      }
    }
    var plan = OutputPlan()
    plan.append(moov, from: movie.moovReader)
    return try plan.bytes()
  }

  /// The sample tables of each track of a movie box in memory.
  private static func sampleTables(in bytes: [UInt8], file: String) throws(MP4Error) -> [SampleTable] {
    let reader = SourceReader(MemorySource(bytes))
    do throws(BoxError) {
      var parser = BoxParser(reader, deferring: ["stco", "co64", "stsz", "stz2", "stts", "stsc", "ctts", "stss"])
      guard let header = try parser.header(at: 0, limit: reader.size) else { return [] }
      return try parser.node(header).all("trak").map { trak in
        SampleTableReader(trak, reader: reader, mediaSize: .max).table
      }
    } catch {
      throw MP4Error(error, file: file)
    }
  }
}

/// A table of chunk offsets inside a movie box in memory.
private struct ChunkOffsetTable {
  let trackID: UInt32
  let count: Int
  /// The offset of its first entry, from the start of the box.
  private let bufferOffset: Int
  private let isWide: Bool

  /// - Parameter boxOffset: where the movie box begins in what the table's location counts from.
  init?(_ table: SampleTable, trackID: UInt32, boxOffset: UInt64) {
    self.trackID = trackID
    switch table.chunkOffsets {
    case .narrow(let location):
      (bufferOffset, count, isWide) = (Int(location.offset - boxOffset), location.count, false)
    case .wide(let location):
      (bufferOffset, count, isWide) = (Int(location.offset - boxOffset), location.count, true)
    case nil: return nil
    }
  }

  /// The offset of a chunk.
  func offset(at index: Int, in box: [UInt8]) -> UInt64 {
    let span = box.span
    return isWide
      ? span.bigEndian(at: bufferOffset + index * 8)
      : UInt64(span.bigEndian(at: bufferOffset + index * 4, as: UInt32.self))
  }

  /// Sets the offset of a chunk.
  func set(_ index: Int, to offset: UInt64, in box: inout [UInt8]) {
    var span = box.mutableSpan
    // It counts as unsafe because elements of another type could have padding; a byte has none.
    var bytes = unsafe span.mutableBytes
    if isWide {
      bytes.storeBytes(of: offset.bigEndian, toByteOffset: bufferOffset + index * 8, as: UInt64.self)
    } else {
      let narrow = UInt32(truncatingIfNeeded: offset)
      bytes.storeBytes(of: narrow.bigEndian, toByteOffset: bufferOffset + index * 4, as: UInt32.self)
    }
  }
}

extension SampleTable {
  /// Total size in bytes of the next samples. The caller has bounded their numbers by the table.
  fileprivate func byteCount(of samples: Range<UInt64>, _ cursor: inout SizeCursor) throws(MP4Error) -> UInt64 {
    if let packing { return packing.byteCount(frames: UInt64(samples.count)) }
    if case .constant(let size) = sizes { return UInt64(size) &* UInt64(samples.count) }
    var count: UInt64 = 0
    for number in samples { count &+= UInt64(try cursor.size(at: number)) }
    return count
  }
}

extension SourceReader {
  /// This many bytes, all of which have to exist.
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
