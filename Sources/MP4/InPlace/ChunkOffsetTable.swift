internal import ISOBMFF
internal import MediaCore

/// A table of chunk offsets inside a movie box in memory.
struct ChunkOffsetTable {
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

extension MP4Demuxer {
  /// A tree of the movie header with 64 bits for each chunk offset.
  func widened(_ moov: BoxNode) throws(MP4Error) -> BoxNode {
    var moov = moov
    var described = describedTracks.makeIterator()
    for child in moov.children.indices where moov.children[child].type == "trak" {
      guard let track = described.next() else { break }
      let offsets = try ChunkOffsetList(track.index.table).offsets
      moov.children[child].changeSampleTable { stbl in
        guard let table = stbl.children.firstIndex(where: { $0.type == "stco" }) else { return }
        stbl.children[table] = .chunkOffsets(offsets, isWide: true)
      }
    }
    return moov
  }

  /// The tables of chunk offsets in a movie box that was made from this movie's, without those of tracks whose samples
  /// are in other files.
  func chunkOffsetTables(in bytes: [UInt8]) throws(MP4Error) -> [ChunkOffsetTable] {
    let reader = SourceReader(MemorySource(bytes))
    let tables: [SampleTable]
    do throws(BoxError) {
      var parser = BoxParser(reader, deferring: ["stco", "co64", "stsz", "stz2", "stts", "stsc", "ctts", "stss"])
      guard let header = try parser.header(at: 0, limit: reader.size) else { return [] }
      tables = try parser.node(header).all("trak").map { trak in
        SampleTableReader(trak, reader: reader, mediaSize: .max).table
      }
    } catch {
      throw MP4Error(error, file: self.reader.source.name)
    }
    return zip(describedTracks, tables).compactMap { track, table in
      track.index.isExternal ? nil : ChunkOffsetTable(table, trackID: track.id, boxOffset: 0)
    }
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
