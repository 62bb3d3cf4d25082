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
    var (items, keys) = (ItemValues(), ItemValues())
    for tag in metadata.tags where gapless == nil || tag.identifier != MetadataBuilder.gaplessTag {
      if tag.identifier.contains("."), !tag.identifier.contains(":") {
        keys.add(tag)
      } else {
        items.add(tag)
      }
    }
    if let gapless { items.add(.init(MetadataBuilder.gaplessTag, gapless)) }
    var boxes = items.all.compactMap { MetadataBuilder.item($0.identifier, $0.values) }
    if !metadata.artwork.isEmpty { boxes.append(try cover) }
    var user: [BoxNode] = []
    if !boxes.isEmpty { user.append(MetadataBuilder.meta("mdir", [BoxNode("ilst", children: boxes)])) }
    if !chapters.isEmpty { user.append(BoxNode("chpl", chapterList)) }
    return (user.isEmpty ? [] : [BoxNode("udta", children: user)])
      + (keys.all.isEmpty ? [] : [MetadataBuilder.keyed(keys)])
  }

  static let gaplessTag = "com.apple.iTunes:iTunSMPB"

  /// An empty `meta` box of this kind, with these boxes after its handler.
  static func meta(_ handler: FourCC, _ children: [BoxNode]) -> BoxNode {
    var box = HandlerBox()
    box.handlerType = handler
    // iTunes looks for this.
    box.reserved = handler == "mdir" ? Array("appl".utf8) + [UInt8](repeating: 0, count: 8) : []
    box.name = [0]
    // QuickTime's has no version and flags, and some readers of its keys do not expect any.
    var meta = MetaBox()
    meta.isFullBox = handler != "mdta"
    return BoxNode("meta", meta, children: [BoxNode("hdlr", box)] + children)
  }

  // MARK: Items by four characters

  /// A new item with all its values; `nil` if the identifier is no name of one.
  static func item(_ identifier: String, _ values: [String]) -> BoxNode? {
    item(identifier, values.map { value($0, FourCC(identifier)) })
  }

  private static func item(_ identifier: String, _ values: [MetadataDataBox]) -> BoxNode? {
    let data = values.map { BoxNode("data", $0) }
    if let colon = identifier.firstIndex(of: ":") {
      var mean = MetadataMeanBox()
      mean.domain = Array(identifier[..<colon].utf8)
      var name = MetadataNameBox()
      name.name = Array(identifier[identifier.index(after: colon)...].utf8)
      return BoxNode("----", children: [BoxNode("mean", mean), BoxNode("name", name)] + data)
    }
    return FourCC(identifier).map { BoxNode($0, children: data) }
  }

  /// A value in the form that players expect for the item; what that cannot hold is kept as text.
  static func value(_ text: String, _ type: FourCC?) -> MetadataDataBox {
    if type == "trkn" || type == "disk" {
      // Two reserved bytes, number, total; two more bytes for a track's.
      let parts = text.split(separator: "/")
      let numbers = parts.compactMap { UInt16($0) }
      guard numbers.count == parts.count else { return MetadataDataBox(text: text) }
      var bytes: [UInt8] = [0, 0]
      bytes.appendBigEndian(numbers.first ?? 0)
      bytes.appendBigEndian(numbers.count > 1 ? numbers[1] : 0)
      return MetadataDataBox(type: MetadataDataBox.ValueType.implicit, type == "trkn" ? bytes + [0, 0] : bytes)
    }
    if type == "gnre", let number = MusicGenre.item(of: text) ?? UInt16(text) {
      return MetadataDataBox(
        type: MetadataDataBox.ValueType.implicit, [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)])
    }
    if let type, let width = numberWidths[type], let number = Int64(text), TagValue.holds(number, bytes: width) {
      let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
      return MetadataDataBox(type: MetadataDataBox.ValueType.signedInteger, bytes)
    }
    return MetadataDataBox(text: text)
  }

  /// Width in bytes of the items that are numbers.
  static let numberWidths: [FourCC: Int] = [
    "tmpo": 2, "cpil": 1, "pgap": 1, "pcst": 1, "hdvd": 1, "shwm": 1, "stik": 1, "rtng": 1, "akID": 1,
    "©mvi": 2, "©mvc": 2, "tvsn": 4, "tves": 4, "cnID": 4, "atID": 4, "geID": 4, "sfID": 4, "plID": 8,
  ]

  private var cover: BoxNode {
    get throws(MP4Error) {
      var pictures: [BoxNode] = []
      for picture in metadata.artwork { pictures.append(try MetadataBuilder.picture(picture)) }
      return BoxNode("covr", children: pictures)
    }
  }

  /// The value of a cover.
  ///
  /// - Throws: `MP4Error` `.source` where it cannot be read.
  static func picture(_ picture: MovieMetadata.Artwork) throws(MP4Error) -> BoxNode {
    let type =
      switch picture.format {
      case "jpeg": MetadataDataBox.ValueType.jpeg
      case "png": MetadataDataBox.ValueType.png
      case "bmp": MetadataDataBox.ValueType.bmp
      default: MetadataDataBox.ValueType.implicit
      }
    var box = MetadataDataBox()
    box.typeIndicator = type
    do throws(SourceError) { box.value = try picture.data.load() } catch { throw MP4Error(error) }
    return BoxNode("data", box)
  }

  // MARK: Items by key

  /// QuickTime's items: named in a list of keys, and numbered by their position in it.
  private static func keyed(_ tags: ItemValues) -> BoxNode {
    var keys = MetadataItemKeysBox()
    var items: [BoxNode] = []
    for (index, tag) in tags.all.enumerated() {
      var key = MetadataKey()
      key.value = Array(tag.identifier.utf8)
      keys.keys.append(key)
      items.append(BoxNode(FourCC(UInt32(index + 1)), children: tag.values.map { BoxNode("data", $0) }))
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

/// Items with all their values: of several items with one name, players show the first or the last.
private struct ItemValues {
  /// In the order in which their first values came.
  private(set) var all: [(identifier: String, values: [MetadataDataBox])] = []
  private var places: [String: Int] = [:]

  /// Adds a tag to the item of its name, which may be new.
  mutating func add(_ tag: MovieMetadata.Tag) {
    var (identifier, value) = (TagNames.writable(tag.identifier), tag.value)
    var data: MetadataDataBox?
    switch tag.written {
    case .data(let type, let bytes): data = MetadataDataBox(type: type, bytes)
    case .text(let other, let text): (identifier, value) = (other, text)
    case nil: break
    }
    // A genre that has no number is text, which has an item of its own.
    if identifier == "gnre", data == nil, MusicGenre.item(of: value) == nil, UInt16(value) == nil {
      identifier = "©gen"
    }
    let made = data ?? MetadataBuilder.value(value, FourCC(identifier))
    if let place = places[identifier] {
      all[place].values.append(made)
    } else {
      places[identifier] = all.count
      all.append((identifier, [made]))
    }
  }
}
