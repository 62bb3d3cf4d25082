internal import ISOBMFF
internal import MediaCore

/// Builds the `trak` box of a track that did not come from a file.
struct TrackBoxBuilder {
  private let track: Track
  private let timescale: UInt32
  private let creationTime: UInt64
  private let kept: KeptTrackBoxes?

  /// - Parameter creationTime: seconds since the beginning of 1904; 0 for none.
  init(_ muxed: MuxerTrack, creationTime: UInt64) {
    track = muxed.track
    timescale = muxed.fileTimescale
    self.creationTime = creationTime
    kept = muxed.kept
  }

  /// The box.
  ///
  /// - Parameters:
  ///   - tables: the sample tables except `stsd`.
  ///   - mediaDuration: ticks of the track.
  ///   - duration: ticks of the movie, edits applied.
  ///   - edits: their lengths in ticks of the movie.
  func trak(tables: [BoxNode], mediaDuration: UInt64, duration: UInt64, edits: [Edit]) -> BoxNode {
    var trak = BoxNode("trak", children: [BoxNode("tkhd", header(duration)), media(tables, mediaDuration)])
    if let references { trak.children.insert(references, at: 1) }
    trak.setEdits(edits)
    trak.children += kept?.boxes ?? []
    return trak
  }

  private func header(_ duration: UInt64) -> TrackHeaderBox {
    var header = TrackHeaderBox()
    // In the movie, and in its preview; the lowest bit says whether it is enabled.
    header.versionAndFlags.flags = track.isEnabled ? 7 : 6
    header.setCreationTime(creationTime)
    header.trackID = track.id
    header.alternateGroup = track.alternateGroup
    header.volume = track.kind == .audio ? 0x100 : 0
    header.matrix.transform = track.transform
    header.width = fixed(track.size.width)
    header.height = fixed(track.size.height)
    header.setDuration(duration)
    return header
  }

  private func fixed(_ side: Double) -> UInt32 {
    UInt32(exactly: (side * 65536).rounded()) ?? 0
  }

  private var references: BoxNode? {
    guard !track.references.isEmpty else { return nil }
    // In a fixed order, so that the same input gives the same bytes.
    let boxes = track.references.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, ids in
      var box = TrackReferenceTypeBox()
      box.trackIDs = PackedTable(ids)
      return BoxNode(type, box)
    }
    return BoxNode("tref", children: boxes)
  }

  private func media(_ tables: [BoxNode], _ duration: UInt64) -> BoxNode {
    var header = MediaHeaderBox()
    header.setCreationTime(creationTime)
    header.timescale = timescale
    header.language = LanguageCode.packed(track.language)
    header.setDuration(duration)
    var handler = kept?.handler ?? HandlerBox()
    handler.handlerType = track.handler
    if kept?.handler == nil { handler.name = Array((kept?.handlerName ?? track.name ?? "").utf8) + [0] }
    var nodes = [BoxNode("mdhd", header), BoxNode("hdlr", handler)]
    if LanguageCode.text(header.language) != track.language {
      var box = ExtendedLanguageBox()
      box.extendedLanguage = BoxText(track.language)
      nodes.append(BoxNode("elng", box))
    }
    let headers = kept?.mediaHeaders ?? []
    nodes.append(
      BoxNode("minf", children: (headers.isEmpty ? [mediaHeader] : headers) + [dataInformation, sampleTable(tables)]))
    return BoxNode("mdia", children: nodes)
  }

  private var mediaHeader: BoxNode {
    switch track.handler {
    case "soun": BoxNode("smhd", SoundMediaHeaderBox())
    case "vide", "auxv": BoxNode("vmhd", VideoMediaHeaderBox())
    case "hint": BoxNode("hmhd", HintMediaHeaderBox())
    case "subt": BoxNode("sthd", NullMediaHeaderBox())
    case "text" where track.descriptions.first?.entryType == "text": quickTimeHeader([textHeader])
    case "tmcd": quickTimeHeader([])
    default: BoxNode("nmhd", NullMediaHeaderBox())
    }
  }

  /// QuickTime's media header for other kinds of media.
  private func quickTimeHeader(_ more: [BoxNode]) -> BoxNode {
    var info = BaseMediaInfoBox()
    info.reserved = [0, 0]
    return BoxNode("gmhd", children: [BoxNode("gmin", info)] + more)
  }

  /// The position of text: a matrix that changes nothing.
  private var textHeader: BoxNode {
    var matrix: [UInt8] = []
    for number in Transform.identity.values { matrix.appendBigEndian(number) }
    return BoxNode(header: BoxHeader(type: "text"), content: .opaque(matrix[...]))
  }

  /// All media is in this file.
  private var dataInformation: BoxNode {
    var reference = DataReferenceBox()
    reference.entryCount = 1
    return BoxNode(
      "dinf", children: [BoxNode("dref", reference, children: [BoxNode("url ", DataEntryURLBox())])])
  }

  private func sampleTable(_ tables: [BoxNode]) -> BoxNode {
    BoxNode("stbl", children: [descriptions] + tables)
  }

  /// The entries are written as they are, except for where they say that the media lies.
  private var descriptions: BoxNode {
    let entries = track.descriptions.map(\.entry)
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt32(entries.contains(where: TrackBoxBuilder.isVersion1) ? 1 << 24 : 0))
    bytes.appendBigEndian(UInt32(entries.count))
    for entry in entries { bytes += TrackBoxBuilder.here(entry) }
    return BoxNode(header: BoxHeader(type: "stsd"), content: .opaque(bytes[...]))
  }

  /// The entry with the index of the first, and only, data reference, which follows size, type and six reserved bytes.
  private static func here(_ entry: [UInt8]) -> [UInt8] {
    guard entry.count >= 16 else { return entry }
    return entry[..<14] + [0, 1] + entry[16...]
  }

  /// Whether an audio entry follows ISO's version 1, which only version 1 of `stsd` distinguishes from QuickTime's:
  /// then boxes begin where QuickTime has fields, the sampling rate's first.
  ///
  /// Source: ISO/IEC 14496-12, 12.2.3.
  private static func isVersion1(_ entry: [UInt8]) -> Bool {
    guard entry.count >= 44, entry[16] == 0, entry[17] == 1 else { return false }
    return entry[40..<44].elementsEqual("srat".utf8)
  }
}
