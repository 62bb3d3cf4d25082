internal import MediaCore

/// Goes over the chunks of a file in search of tags. How much it takes is bounded: tags are a few lines of text.
struct TagCollector {
  /// The most tags, and the most bytes of a single text; longer ones are cut.
  static let maximumTags = 1000
  static let maximumTextBytes = 65_536

  private(set) var tags: [PCMFileTag] = []
  private var walker: ChunkWalker
  private let reader: SourceReader
  private let header: PCMFileHeader

  init(_ reader: SourceReader, _ header: PCMFileHeader) {
    self.reader = reader
    self.header = header
    walker =
      switch header.type {
      case .wave, .raw: ChunkWalker(reader, .riff, from: 12)
      case .aiff: ChunkWalker(reader, .iff, from: 12)
      case .caf: ChunkWalker(reader, .caf, from: 8)
      }
  }

  /// Adds what a text says; nothing, if it says nothing.
  private mutating func add(_ identifier: String, _ text: String) {
    let value = text.trimmed
    guard !identifier.isEmpty, !value.isEmpty, tags.count < TagCollector.maximumTags else { return }
    tags.append(PCMFileTag(identifier, value))
  }

  /// - Throws: `PCMFileError`: what is wrong with the chunks; what was found before stays.
  mutating func collect() throws(PCMFileError) {
    while tags.count < TagCollector.maximumTags, let chunk = try walker.next() {
      switch (header.type, chunk.type) {
      case (.wave, "data"), (.caf, "data"):
        guard let bytes = header.dataBytes else { return }
        walker.skip(to: header.dataStart, plus: bytes)
      case (.aiff, "SSND") where chunk.size < 8 || chunk.size == UInt32.max:
        guard let bytes = header.dataBytes else { return }
        walker.skip(to: header.dataStart, plus: bytes)
      case (.wave, "LIST"): try readList(chunk)
      case (.wave, "bext"): try readBroadcast(chunk)
      case (.wave, "id3 "), (.wave, "ID3 "), (.aiff, "ID3 "): try readID3(chunk)
      case (.aiff, "NAME"), (.aiff, "AUTH"), (.aiff, "(c) "), (.aiff, "ANNO"):
        add("\(chunk.type)", TagText.plain(try walker.bytes(of: chunk, count: TagCollector.maximumTextBytes)))
      case (.caf, "info"): try readInformation(chunk)
      default: break
      }
    }
  }

  /// WAVE's `LIST` of kind `INFO`: chunks in a chunk, one for each text.
  private mutating func readList(_ list: Chunk) throws(PCMFileError) {
    guard try walker.bytes(of: list, count: 4) == Array("INFO".utf8) else { return }
    var items = ChunkWalker(reader, .riff, from: list.content + 4)
    while tags.count < TagCollector.maximumTags, let item = try items.next(), item.content <= list.content + list.size {
      let left = Int(min(list.content + list.size - item.content, UInt64(TagCollector.maximumTextBytes)))
      add("\(item.type)", TagText.plain(try items.bytes(of: item, count: left)))
    }
  }

  /// The broadcast extension: texts of fixed lengths. Source: EBU Tech 3285.
  private mutating func readBroadcast(_ chunk: Chunk) throws(PCMFileError) {
    let bytes = try walker.bytes(of: chunk, count: 338)
    let fields = [("Description", 0..<256), ("Originator", 256..<288), ("OriginationDate", 320..<330)]
    for (name, range) in fields where range.upperBound <= bytes.count {
      add("bext:" + name, TagText.plain(Array(bytes[range])))
    }
  }

  /// CAF's `info`: a count, then names and values, each with a zero at its end.
  private mutating func readInformation(_ chunk: Chunk) throws(PCMFileError) {
    let bytes = try walker.bytes(of: chunk, count: 1 << 20)
    guard bytes.count > 4 else { return }
    let texts = bytes.dropFirst(4).split(
      separator: 0, maxSplits: 2 * TagCollector.maximumTags, omittingEmptySubsequences: false)
    for index in stride(from: 0, to: texts.count - 1, by: 2) {
      add(
        TagText.plain(Array(texts[index])).trimmed,
        TagText.plain(Array(texts[index + 1].prefix(TagCollector.maximumTextBytes))))
    }
  }

  private mutating func readID3(_ chunk: Chunk) throws(PCMFileError) {
    var id3 = ID3Reader(reader, from: chunk.content, count: chunk.size)
    try id3.read { (identifier, value) in add(identifier, value) }
  }
}
