internal import MP4
internal import MediaCore

/// What is left of an index may still hold the tag that says which frames are heard: text is easy to find.
struct GaplessSearch {
  private let reader: SourceReader

  /// How much is searched in front of the media, and at the end of the file: tags are the last part of an index.
  private static let searched: UInt64 = 1 << 20
  private static let name = Array("iTunSMPB".utf8)
  /// Between the name and the text lies a box header, and the kind and the language of the text, in four bytes each.
  private static let between = 16
  private static let longestText = 128

  init(_ reader: SourceReader) { self.reader = reader }

  /// The frames that are heard, counted from the first one that a decoder yields.
  ///
  /// - Parameter media: where the media lies.
  /// - Returns: `nil` if there is no such text.
  /// - Throws: `SourceError` if reading fails.
  func heard(_ media: Range<UInt64>) throws(SourceError) -> Range<Int64>? {
    let end = reader.size - min(reader.size, GaplessSearch.searched)
    let front = media.lowerBound - min(media.lowerBound, GaplessSearch.searched)
    if let found = try heard(in: max(end, media.lowerBound)..<reader.size) { return found }
    return try heard(in: front..<media.lowerBound)
  }

  private func heard(in range: Range<UInt64>) throws(SourceError) -> Range<Int64>? {
    let bytes = try reader.bytes(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
    let name = GaplessSearch.name
    var found: Range<Int64>?
    for index in bytes.indices.dropLast(name.count) where bytes[index] == name[0] && bytes[index...].starts(with: name)
    {
      let text = bytes[(index + name.count)...].dropFirst(GaplessSearch.between).prefix(GaplessSearch.longestText)
      // The last one counts: of two indexes the later is the newer one.
      found = GaplessText.heard(String(decoding: text.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)) ?? found
    }
    return found
  }
}
