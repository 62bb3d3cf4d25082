internal import ISOBMFF
internal import MediaCore

/// The steps that move an index to the start of a file, each of which leaves a complete movie.
///
/// An insertion moves the media at once, but neither updates the offsets in the index nor fills the inserted room. So
/// both indexes are in the file before it, one for either state, and the length of the `mdat` box decides which one is
/// found: it ends at an offset where the file holds the old index before the insertion, and the new one after it.
///
///     before       ftyp │ mdat: media … old index, new index │ copy of the old index
///     inserted     ftyp │ mdat: room, media … old index     │ new index, padding
///     room filled  ftyp │ mdat: (final index, mdat: media) … │ new index, padding
///     flipped      ftyp │ free │ final index │ free │ mdat: media │ free: …
///
/// The last step but one changes eight bytes, and then what follows the media is cut off. The room begins at a multiple
/// of the block size, so some media comes before it: the final index finds a copy of that at the end of the room. A
/// chunk that the room would split is copied after the media for as long as the new index is in use.
struct FastStartPlan {
  /// The steps, in order.
  let steps: [EditStep]
  /// Bytes inserted before the media.
  let inserted: UInt64

  /// The most bytes around the media that are copied; for more, remuxing is better.
  static let maximumCopy: UInt64 = 16 << 20
  /// The largest index that is moved in place, in bytes: it is in memory meanwhile.
  static let maximumIndex: UInt64 = 256 << 20

  /// Plans the steps; `nil` for a movie whose layout they do not suit.
  ///
  /// - Throws: `MP4Error` `.source`, `.box` for offsets that cannot be read.
  init?(_ movie: MP4Demuxer, blockSize: UInt64) throws(MP4Error) {
    guard let layout = try FastStartLayout(movie, blockSize: blockSize),
      let movieBox = try ShiftedMovieBox(movie, layout)
    else { return nil }
    let builder = FastStartStepBuilder(movie: movie, layout: layout, movieBox: movieBox)
    guard let steps = try builder.steps() else { return nil }
    self.steps = steps
    inserted = movieBox.room
  }
}

/// The positions of the boxes that matter for moving the index.
struct FastStartLayout {
  /// The first media box.
  let media: BoxHeader
  let moov: BoxHeader
  /// The ranges of all media, in file order.
  private let allMedia: [Range<UInt64>]
  /// Boxes after the first media box that others may look for.
  let extras: [BoxHeader]
  /// Their total size in bytes.
  let extrasSize: UInt64
  /// Where the room is inserted: the first multiple of the block size inside the media.
  let insertionOffset: UInt64
  let blockSize: UInt64
  /// Size of the file in bytes.
  let size: UInt64

  /// Size in bytes of the media's new header after the room: with a 64-bit size only if 32 bits do not suffice.
  var newHeaderSize: UInt64 { media.end - media.payloadOffset + 8 > UInt64(UInt32.max) ? 16 : 8 }

  /// Types that nobody looks for, and so may be hidden inside the media.
  private static let idle: Set<FourCC> = ["mdat", "free", "skip", "wide"]

  /// Finds the boxes; `nil` if there is something that the plan does not handle.
  init?(_ movie: MP4Demuxer, blockSize: UInt64) throws(MP4Error) {
    // An index that was compressed, or that holds other file offsets, takes more than new chunk offsets.
    guard blockSize >= 512, blockSize <= 1 << 20, movie.moovReader.isSame(as: movie.reader),
      !MovedOffsets.hasOtherPlaces(movie.moov)
    else { return nil }
    var parser = BoxParser(movie.reader)
    var (media, extras): (BoxHeader?, [BoxHeader]) = (nil, [])
    var allMedia: [Range<UInt64>] = []
    var offset: UInt64 = 0
    while offset < movie.reader.size {
      let header: BoxHeader?
      do { header = try parser.header(at: offset, limit: movie.reader.size) } catch {
        throw MP4Error(error, file: movie.reader.source.name)
      }
      guard let header, header.sizeForm != .toEnd, !header.isCut else { return nil }
      offset = header.end
      if header.type == "mdat" {
        media = media ?? header
        allMedia.append(header.payloadOffset..<header.end)
      }
      if header.type == "meta" || (header.type == "moov" && header.offset != movie.moov.header.offset) { return nil }
      if media != nil, header.type != "moov", !FastStartLayout.idle.contains(header.type) { extras.append(header) }
    }
    extrasSize = extras.reduce(0) { $0 + ($1.end - $1.offset) }
    guard let media, media.offset < movie.moov.header.offset,
      movie.moov.header.end - movie.moov.header.offset <= FastStartPlan.maximumIndex,
      extrasSize <= FastStartPlan.maximumCopy
    else { return nil }
    self.media = media
    self.allMedia = allMedia
    self.extras = extras
    self.blockSize = blockSize
    moov = movie.moov.header
    size = movie.reader.size
    insertionOffset = media.payloadOffset.roundedUp(to: blockSize)
    guard insertionOffset < media.end else { return nil }
  }

  /// Whether bytes lie inside one of the media boxes, and so exist before and after all changes.
  func isMedia(_ offset: UInt64, _ count: UInt64) -> Bool {
    let next = allMedia.partitionPoint { $0.lowerBound <= offset }
    guard count > 0 else { return true }
    guard next > 0, offset < allMedia[next - 1].upperBound else { return false }
    return count <= allMedia[next - 1].upperBound - offset
  }
}
