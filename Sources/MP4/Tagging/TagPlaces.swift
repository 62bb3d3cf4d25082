internal import ISOBMFF
internal import MediaCore

/// Where the chunks of a movie lie around its movie box: what can be done to the file in place depends on that.
struct TagPlaces {
  /// A chunk that begins before the offset at which room is inserted, but moves.
  struct Head {
    let trackID: UInt32
    /// Its index among the chunks of the track.
    let index: Int
    let offset: UInt64
    let count: UInt64
  }

  let movie: MP4Demuxer
  let layout: TagLayout
  /// Whether the file can go through states that each are a movie.
  private(set) var canBeMoved = false
  /// Whether all chunks come before the movie box.
  private(set) var areChunksBefore = true
  /// The chunks that begin before the insertion offset and after the movie box; see `findHeads`.
  private(set) var heads: [Head] = []
  /// Whether a chunk lies in the free space after the movie box.
  private(set) var isSpaceUsed = false

  /// - Throws: `MP4Error` `.source`.
  init(_ movie: MP4Demuxer, _ layout: TagLayout) throws(MP4Error) {
    self.movie = movie
    self.layout = layout
    let size = layout.moov.end - layout.moov.offset
    // A header that is overwritten must lie in one sector of the disk.
    let isClear = try lookAtChunks()
    canBeMoved =
      isClear && layout.isOrdinary && layout.moov.offset % 512 <= 512 - 16 && size <= FastStartPlan.maximumIndex
      && size >= 32 && layout.extrasSize <= FastStartPlan.maximumCopy
    if canBeMoved { canBeMoved = try !hasPlacesInside() }
    if !layout.extras.isEmpty, MovedOffsets.hasOtherPlaces(movie.moov) { areChunksBefore = false }
  }

  /// - Returns: whether all chunks lie in the file, and none in the movie box or the free space after it.
  private mutating func lookAtChunks() throws(MP4Error) -> Bool {
    var areClear = true
    for track in movie.describedTracks where !track.index.isExternal {
      do throws(MP4Error) {
        try track.index.table.eachChunk { _, offset, count in
          let (end, isTooFar) = offset.addingReportingOverflow(count)
          if isTooFar || end > layout.size { areClear = false }
          if offset < layout.regionEnd, isTooFar || end > layout.moov.offset {
            areClear = false
            if offset >= layout.moov.end || end > layout.moov.end { isSpaceUsed = true }
          }
          if offset >= layout.regionEnd { areChunksBefore = false }
          return true
        }
      } catch {
        if case .source = error.code { throw error }
        // What cannot be read cannot be moved in place.
        areClear = false
      }
    }
    return areClear
  }

  /// Whether encryption data lies in the movie box, where its offsets would change with each state of the file.
  private func hasPlacesInside() throws(MP4Error) -> Bool {
    guard !movie.moov.all(in: ["saio"]).isEmpty else { return false }
    var parser = BoxParser(
      movie.moovReader, deferring: ["stts", "ctts", "stsz", "stz2", "stsc", "stco", "co64", "senc"])
    let moov: BoxNode
    do throws(BoxError) { moov = try parser.node(movie.moov.header) } catch {
      throw MP4Error(error, file: movie.reader.source.name)
    }
    return moov.all(in: ["saio"]).contains { node in
      guard let box = node.box(as: SampleAuxiliaryInformationOffsetsBox.self) else { return true }
      let offsets = box.offsets32.entries.map { UInt64($0) } + box.offsets64.entries
      return offsets.contains { layout.moov.offset <= $0 && $0 < layout.regionEnd }
    }
  }

  /// Whether what follows the movie box may move without more than chunk offsets having to change.
  func mayShift(blockSize: UInt64) -> Bool {
    movie.layout != .fragmented && layout.offsetBoxes.isEmpty && !MovedOffsets.hasOtherPlaces(movie.moov)
      && insertionOffset(blockSize) <= layout.size
  }

  /// The first multiple of the block size after the header of the movie box, be it inside the box or after it.
  func insertionOffset(_ blockSize: UInt64) -> UInt64 {
    (layout.moov.offset + 16).roundedUp(to: blockSize)
  }

  /// Finds the chunks that begin between the movie box and the insertion offset: where the movie box is short.
  ///
  /// - Returns: whether there are no more of them than real movies have.
  /// - Throws: `MP4Error` `.source`.
  mutating func findHeads(blockSize: UInt64) throws(MP4Error) -> Bool {
    let range = layout.regionEnd..<max(insertionOffset(blockSize), layout.regionEnd)
    guard !range.isEmpty else { return true }
    var found: [Head] = []
    for track in movie.describedTracks where !track.index.isExternal {
      try track.index.table.eachChunk { index, offset, count in
        if range.contains(offset), count > 0 {
          found.append(Head(trackID: track.id, index: index, offset: offset, count: count))
        }
        return UInt64(found.count) <= blockSize
      }
    }
    heads = found
    return UInt64(found.count) <= blockSize
  }
}
