internal import ISOBMFF
internal import MediaCore

/// Where the movie box lies in a file, and what is around it.
struct TagLayout {
  /// The movie box.
  let moov: BoxHeader
  /// A `free` box directly before it.
  private(set) var spaceBefore: BoxHeader?
  /// A `free` box directly after it.
  private(set) var spaceAfter: BoxHeader?
  /// Where the movie box and the `free` boxes after it end.
  private(set) var regionEnd: UInt64
  /// Size of the file in bytes.
  let size: UInt64
  /// Boxes after the movie box that others may look for.
  private(set) var extras: [BoxHeader] = []
  /// Whether media or indexes of it follow the movie box.
  private(set) var isBeforeMedia = false
  /// Boxes with file offsets that change when what follows the movie box moves.
  private(set) var offsetBoxes: [BoxHeader] = []
  /// Whether the file may be appended to without another box swallowing what is new, and has one movie box only.
  private(set) var isOrdinary = true

  /// Bytes of the movie box and the free space after it.
  var room: UInt64 { regionEnd - moov.offset }
  /// Total size of the extras in bytes.
  var extrasSize: UInt64 { extras.reduce(0) { $0 + ($1.end - $1.offset) } }

  /// `nil` if there is no movie box at the top level.
  ///
  /// - Throws: `MP4Error` `.source`.
  init?(_ movie: MP4Demuxer) throws(MP4Error) {
    var parser = BoxParser(movie.reader)
    var boxes = TagLayout.Boxes()
    size = movie.reader.size
    var offset: UInt64 = 0
    while offset < size {
      let header: BoxHeader?
      do throws(BoxError) { header = try parser.header(at: offset, limit: size) } catch {
        throw MP4Error(error, file: movie.reader.source.name)
      }
      guard let header else { break }
      offset = header.end
      boxes.add(header)
    }
    guard let moov = boxes.moov else { return nil }
    self.moov = moov
    spaceBefore = boxes.before
    spaceAfter = boxes.after
    regionEnd = boxes.regionEnd
    extras = boxes.extras
    isBeforeMedia = boxes.isBeforeMedia
    offsetBoxes = boxes.offsetBoxes
    // What is no box would run into what is appended.
    isOrdinary = boxes.isOrdinary && moov.sizeForm != .toEnd && !moov.isCut && offset == size
  }

  /// The same, where the space after the movie box is not free: samples lie in it.
  func withoutSpaceAfter() -> TagLayout {
    var layout = self
    (layout.spaceAfter, layout.regionEnd) = (nil, moov.end)
    return layout
  }

  /// What is noted while going over the boxes of a file.
  private struct Boxes {
    var moov: BoxHeader?
    var before: BoxHeader?
    var after: BoxHeader?
    var regionEnd: UInt64 = 0
    var extras: [BoxHeader] = []
    var isBeforeMedia = false
    var offsetBoxes: [BoxHeader] = []
    var isOrdinary = true

    mutating func add(_ header: BoxHeader) {
      let isSpace = ["free", "skip"].contains(header.type) && header.sizeForm != .toEnd && !header.isCut
      if ["moof", "mfra", "meta", "sidx"].contains(header.type) { offsetBoxes.append(header) }
      if header.isCut { isOrdinary = false }
      guard moov != nil else {
        if header.type == "moov" {
          (moov, regionEnd) = (header, header.end)
          if let before, before.end != header.offset { self.before = nil }
        }
        if isSpace { before = header }
        return
      }
      if isSpace, header.offset == regionEnd {
        after = after ?? header
        regionEnd = header.end
        return
      }
      switch header.type {
      case "moov": (isOrdinary, isBeforeMedia) = (false, true)
      case "mdat", "moof", "mfra", "sidx", "ssix", "styp", "meta": isBeforeMedia = true
      default: break
      }
      if !["mdat", "free", "skip", "wide"].contains(header.type) { extras.append(header) }
    }
  }
}
