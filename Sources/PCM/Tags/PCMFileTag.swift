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
