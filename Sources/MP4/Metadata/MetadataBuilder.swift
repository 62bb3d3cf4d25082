internal import ISOBMFF
internal import MediaCore

/// Builds the boxes of a movie header for tags, cover art and chapters.
struct MetadataBuilder {
  private let metadata: MovieMetadata
  private let chapters: [Chapter]

  init(_ metadata: MovieMetadata, chapters: [Chapter]) {
    self.metadata = metadata
    self.chapters = chapters
  }

  /// The boxes; empty if there is no metadata.
  ///
  /// - Parameter gapless: the value of `iTunSMPB`, which replaces any in the given tags.
  /// - Throws: `MP4Error` `.source` where cover art cannot be read.
  func boxes(gapless: String? = nil) throws(MP4Error) -> [BoxNode] {
    var items: [BoxNode] = []
    var keys: [MovieMetadata.Tag] = []
    for tag in metadata.tags where gapless == nil || tag.identifier != MetadataBuilder.gaplessTag {
      if tag.identifier.contains("."), !tag.identifier.contains(":") { keys.append(tag) } else { items += item(tag) }
    }
    if let gapless { items += item(.init(MetadataBuilder.gaplessTag, gapless)) }
    if !metadata.artwork.isEmpty { items.append(try cover) }
    var user: [BoxNode] = []
    if !items.isEmpty { user.append(MetadataBuilder.meta("mdir", [BoxNode("ilst", children: items)])) }
    if !chapters.isEmpty { user.append(BoxNode("chpl", chapterList)) }
    var boxes = user.isEmpty ? [] : [BoxNode("udta", children: user)]
    if !keys.isEmpty { boxes.append(keyed(keys)) }
    return boxes
  }

  private static let gaplessTag = "com.apple.iTunes:iTunSMPB"

  private static func meta(_ handler: FourCC, _ children: [BoxNode]) -> BoxNode {
    var box = HandlerBox()
    box.handlerType = handler
    // iTunes looks for this.
    box.reserved = handler == "mdir" ? Array("appl".utf8) + [UInt8](repeating: 0, count: 8) : []
    box.name = [0]
    return BoxNode("meta", MetaBox(), children: [BoxNode("hdlr", box)] + children)
  }

  // MARK: Items by four characters

  private func item(_ tag: MovieMetadata.Tag) -> [BoxNode] {
    if let colon = tag.identifier.firstIndex(of: ":") {
      var mean = MetadataMeanBox()
      mean.domain = Array(tag.identifier[..<colon].utf8)
      var name = MetadataNameBox()
      name.name = Array(tag.identifier[tag.identifier.index(after: colon)...].utf8)
      return [
        BoxNode(
          "----",
          children: [BoxNode("mean", mean), BoxNode("name", name), BoxNode("data", MetadataDataBox(text: tag.value))])
      ]
    }
    guard let type = FourCC(tag.identifier) else { return [] }
    return [BoxNode(type, children: [BoxNode("data", MetadataBuilder.value(tag.value, type))])]
  }

  /// A value in the form that players expect for the item.
  private static func value(_ text: String, _ type: FourCC) -> MetadataDataBox {
    if type == "trkn" || type == "disk" {
      // Two reserved bytes, number, total; two more bytes for a track's.
      let numbers = text.split(separator: "/").map { UInt16($0) ?? 0 }
      var bytes: [UInt8] = [0, 0]
      bytes.appendBigEndian(numbers.first ?? 0)
      bytes.appendBigEndian(numbers.count > 1 ? numbers[1] : 0)
      return data(type == "trkn" ? bytes + [0, 0] : bytes, MetadataDataBox.ValueType.implicit)
    }
    if type == "gnre", let number = MusicGenre.item(of: text) ?? UInt16(text) {
      return data([UInt8(number >> 8), UInt8(truncatingIfNeeded: number)], MetadataDataBox.ValueType.implicit)
    }
    if let width = numberWidths[type], let number = Int64(text) {
      let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
      return data(bytes, MetadataDataBox.ValueType.signedInteger)
    }
    return MetadataDataBox(text: text)
  }

  private static func data(_ bytes: [UInt8], _ type: UInt32) -> MetadataDataBox {
    var box = MetadataDataBox()
    box.typeIndicator = type
    box.value = bytes[...]
    return box
  }

  /// Width in bytes of the items that are numbers.
  private static let numberWidths: [FourCC: Int] = [
    "tmpo": 2, "cpil": 1, "pgap": 1, "pcst": 1, "hdvd": 1, "shwm": 1, "stik": 1, "rtng": 1, "akID": 1,
    "©mvi": 2, "©mvc": 2, "tvsn": 4, "tves": 4, "cnID": 4, "atID": 4, "geID": 4, "sfID": 4, "plID": 8,
  ]

  private var cover: BoxNode {
    get throws(MP4Error) {
      var pictures: [BoxNode] = []
      for picture in metadata.artwork {
        let types = [
          "jpeg": MetadataDataBox.ValueType.jpeg, "png": MetadataDataBox.ValueType.png,
          "bmp": MetadataDataBox.ValueType.bmp,
        ]
        let bytes: ArraySlice<UInt8>
        do throws(SourceError) { bytes = try picture.data.load() } catch { throw MP4Error(error) }
        var box = MetadataDataBox()
        box.typeIndicator = types[picture.format] ?? MetadataDataBox.ValueType.implicit
        box.value = bytes
        pictures.append(BoxNode("data", box))
      }
      return BoxNode("covr", children: pictures)
    }
  }

  // MARK: Items by key

  /// QuickTime's items: named in a list of keys, and numbered by their position in it.
  private func keyed(_ tags: [MovieMetadata.Tag]) -> BoxNode {
    var keys = MetadataItemKeysBox()
    var items: [BoxNode] = []
    for (index, tag) in tags.enumerated() {
      var key = MetadataKey()
      key.value = Array(tag.identifier.utf8)
      keys.keys.append(key)
      items.append(
        BoxNode(FourCC(UInt32(index + 1)), children: [BoxNode("data", MetadataDataBox(text: tag.value))]))
    }
    return MetadataBuilder.meta("mdta", [BoxNode("keys", keys), BoxNode("ilst", children: items)])
  }

  // MARK: Chapters

  var chapterList: ChapterListBox {
    var box = ChapterListBox()
    box.chapters = chapters.map { chapter in
      var entry = ChapterListEntry()
      // Counted in units of 100 ns.
      entry.start = UInt64(max(chapter.start.converted(to: 10_000_000)?.value ?? 0, 0))
      entry.title = BoxText(bytes: chapter.title.truncated(toUTF8: Int(UInt8.max)))
      return entry
    }
    return box
  }
}
