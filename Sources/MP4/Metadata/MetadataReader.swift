internal import ISOBMFF
internal import MediaCore

/// Reads tags from every part of a movie header that may have them.
struct MetadataReader {
  private(set) var metadata = MovieMetadata()
  private let reader: SourceReader
  /// How much more text the tags may have, in bytes: a book of lyrics is a few hundred kilobytes.
  private var room = 32 << 20

  /// - Parameter reader: the source from which artwork is read later.
  init(moov: BoxNode, topLevel: BoxNode?, reader: SourceReader) {
    self.reader = reader
    if let udta = moov.first("udta") { readUserData(udta) }
    for meta in moov.all("meta") + [topLevel].compactMap({ $0 }) { readItems(meta) }
  }

  // MARK: iTunes items and QuickTime keys

  private mutating func readItems(_ meta: BoxNode) {
    let keys = meta.child("keys", as: MetadataItemKeysBox.self)?.keys.map(\.text) ?? []
    for item in meta.first("ilst")?.children ?? [] {
      let identifier = MetadataReader.identifier(of: item, keys: keys)
      for data in item.all("data") {
        if item.type == "covr" {
          addArtwork(data)
        } else if let box = data.box(as: MetadataDataBox.self), let value = text(of: box, in: item.type) {
          let isText = box.text != nil
          add(identifier, value, isText ? nil : .data(type: box.typeIndicator, bytes: Array(box.value)))
        }
      }
    }
  }

  /// The identifier of an item: its type, or the key with the number that its type is, or the two parts of a free-form
  /// name.
  static func identifier(of item: BoxNode, keys: [String]) -> String {
    if item.type == "----" {
      let domain = item.child("mean", as: MetadataMeanBox.self)?.text ?? ""
      return domain + ":" + (item.child("name", as: MetadataNameBox.self)?.text ?? "")
    }
    let index = Int(item.type.rawValue)
    return (1...max(keys.count, 1)).contains(index) && !keys.isEmpty ? keys[index - 1] : item.type.description
  }

  private func text(of data: MetadataDataBox, in item: FourCC) -> String? {
    switch item {
    case "trkn", "disk":
      // Two reserved bytes, number, total.
      guard data.value.count >= 6 else { return nil }
      let span = data.value.span
      let (number, total) = (span.bigEndian(at: 2, as: UInt16.self), span.bigEndian(at: 4, as: UInt16.self))
      return total > 0 ? "\(number)/\(total)" : "\(number)"
    case "gnre" where data.value.count == 2:
      let number = data.value.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      return MusicGenre.name(ofItem: number) ?? "\(number)"
    default: break
    }
    if let text = data.text { return text }
    if let number = data.integer { return "\(number)" }
    // iTunes writes `iTunSMPB` and addresses of podcasts without saying that they are text.
    if ["----", "purl", "egid"].contains(item), data.value.allSatisfy({ (0x20...0x7E).contains($0) }) {
      return String(decoding: data.value, as: UTF8.self)
    }
    if let number = MetadataReader.number(data) { return number }
    return data.value.count > 64 ? "\(data.value.count) bytes" : hexadecimal(data.value)
  }

  /// Numbers whose type is implied by the item, and floating-point numbers.
  private static func number(_ data: MetadataDataBox) -> String? {
    let span = data.value.span
    switch (data.typeIndicator, span.count) {
    case (MetadataDataBox.ValueType.implicit, 1...4):
      return "\(data.value.reduce(0 as UInt32) { $0 << 8 | UInt32($1) })"
    case (MetadataDataBox.ValueType.float32, 4): return "\(Float(bitPattern: span.bigEndian(at: 0)))"
    case (MetadataDataBox.ValueType.float64, 8): return "\(Double(bitPattern: span.bigEndian(at: 0)))"
    default: return nil
    }
  }

  private mutating func addArtwork(_ node: BoxNode) {
    let head: [UInt8] =
      switch node.content {
      case .deferred(let head): Array(head)
      default: Array(node.payload.prefix(8))
      }
    guard node.header.payloadSize >= 8, head.count >= 4 else { return }
    let format =
      switch head.span.bigEndian(at: 0, as: UInt32.self) & 0xFF_FFFF {
      case MetadataDataBox.ValueType.jpeg: "jpeg"
      case MetadataDataBox.ValueType.png: "png"
      case MetadataDataBox.ValueType.bmp: "bmp"
      default: "unknown"
      }
    metadata.artwork.append(
      .init(
        format: format,
        data: .range(reader, offset: node.header.payloadOffset + 8, count: Int(clamping: node.header.payloadSize - 8))))
  }

  // MARK: User data

  private mutating func readUserData(_ udta: BoxNode) {
    for node in udta.children {
      if let box = node.box(as: InternationalTextBox.self) {
        for text in box.strings { add(node.type.description, text.text) }
      } else if let box = node.box(as: AssetTextBox.self) {
        add(node.type.description, box.text.text)
      } else if let box = node.box(as: AlbumBox.self) {
        add("albm", box.title.text)
      } else if let box = node.box(as: RecordingYearBox.self) {
        add("yrrc", "\(box.year)")
      } else if let box = node.box(as: LocationInformationBox.self) {
        addLocation(box)
      } else if let box = node.box(as: ChapterListBox.self) {
        // Counted in units of 100 ns.
        metadata.listedChapters = box.chapters.map {
          Chapter(start: MediaTime(value: Int64(clamping: $0.start), timescale: 10_000_000), title: $0.title.text)
        }
      } else if node.type == "meta" {
        readItems(node)
      }
    }
  }

  private mutating func addLocation(_ box: LocationInformationBox) {
    let coordinates = [box.latitude, box.longitude, box.altitude].map { "\(Double($0) / 65536)" }.joined(separator: " ")
    add(
      "loci", [box.name.text, coordinates].filter { !$0.isEmpty }.joined(separator: " "),
      .text(identifier: "©xyz", value: box.iso6709))
  }

  private mutating func add(_ identifier: String, _ value: String, _ written: MovieMetadata.Tag.Written? = nil) {
    guard !value.isEmpty else { return }
    // The identifier counts each time: items of 25 bytes each may share one long key.
    let size = identifier.utf8.count + value.utf8.count
    guard size <= room else { return }
    room -= size
    metadata.tags.append(.init(identifier: identifier, value: value, written: written))
  }
}

extension LocationInformationBox {
  /// Latitude and longitude, and the altitude unless it is 0: `+40.6800-074.5000/`.
  ///
  /// Source: ISO 6709, annex H.
  fileprivate var iso6709: String {
    func text(_ value: Int32, digits: Int) -> String {
      let (whole, rest) = Int((Double(value) / 65536 * 10_000).rounded().magnitude).quotientAndRemainder(
        dividingBy: 10_000)
      return (value < 0 ? "-" : "+") + "\(whole)".zeroPadded(to: digits) + "." + "\(rest)".zeroPadded(to: 4)
    }
    let height = altitude == 0 ? "" : text(altitude, digits: 3)
    return text(latitude, digits: 2) + text(longitude, digits: 3) + height + "/"
  }
}
