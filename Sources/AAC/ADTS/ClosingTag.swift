internal import MediaCore

/// A tag that programs for MP3 put at the end of a file: ID3v1 or APE.
///
/// Source: id3.org, "ID3v1"; the wiki of Hydrogenaudio, "APEv2 specification".
struct ClosingTag {
  /// How many bytes of a tag tell its size.
  static let headSize = 24

  /// Bytes of the whole tag.
  let size: UInt64

  /// - Parameter head: the first bytes of what may be a tag.
  /// - Returns: `nil` if it is none.
  init?(_ head: some Collection<UInt8>) {
    let head = Array(head.prefix(ClosingTag.headSize))
    if head.starts(with: "TAG+".utf8) {
      // The enhanced tag, before a plain one.
      size = 227
    } else if head.starts(with: "TAG".utf8) {
      size = 128
    } else if head.count == ClosingTag.headSize, head.starts(with: "APETAGEX".utf8) {
      // The size covers the items and the footer. A footer without a header comes after its items.
      let isHeader = head[23] & 0x20 != 0
      size = 32 + (isHeader ? UInt64(head.span.littleEndian(at: 12, as: UInt32.self)) : 0)
    } else {
      return nil
    }
  }
}
