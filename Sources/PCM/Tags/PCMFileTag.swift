package import MediaCore

/// Something that a file of PCM says about its sound, in words.
public struct PCMFileTag: Sendable, Hashable {
  /// What the file calls it: `INAM` and `bext:Description` in WAVE, `NAME` in AIFF, `TIT2` or `TXXX:…` in the ID3 tag
  /// of either, `title` in CAF.
  public let identifier: String
  /// The value as text: not empty.
  public let value: String

  /// A tag from its parts.
  public init(_ identifier: String, _ value: String) {
    self.identifier = identifier
    self.value = value
  }
}

extension PCMFileReader {
  /// The tags of a file, in its order: WAVE's `INFO` and `bext`, AIFF's texts, CAF's `info`, and the texts of an ID3
  /// tag in WAVE or AIFF, be they before the samples or after them.
  ///
  /// What is damaged is left out, as are pictures. Of a stream there are none: they may come after its samples.
  ///
  /// - Throws: `PCMFileError` `.source`.
  public func tags() throws(PCMFileError) -> [PCMFileTag] {
    guard reader.size != .max, fileType != .raw else { return [] }
    var collector = TagCollector(reader, header)
    do {
      try collector.collect()
    } catch {
      if case .source = error.code { throw error.located(in: reader.source.name) }
    }
    return collector.tags
  }
}

extension PCMFileTag {
  /// The texts of the ID3 tags that a file begins with, one after another: a stream of AAC, as iTunes and internet
  /// radio write them. None of a pipe.
  ///
  /// - Throws: `PCMFileError` `.source`.
  package static func id3(in reader: SourceReader) throws(PCMFileError) -> [PCMFileTag] {
    guard reader.size != .max else { return [] }
    var tags: [PCMFileTag] = []
    var start: UInt64 = 0
    // A second one is rare. Four are more than any real file has.
    for _ in 0..<4 {
      guard start < reader.size else { break }
      var id3 = ID3Reader(reader, from: start, count: reader.size - start)
      try id3.read { identifier, text in
        let value = text.trimmed
        if !value.isEmpty, tags.count < TagCollector.maximumTags { tags.append(PCMFileTag(identifier, value)) }
      }
      guard let size = id3.size else { break }
      start += size
    }
    return tags
  }
}

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
