/// The first ten bytes of an ID3v2 tag, which say how long it is.
///
/// Source: id3.org, "ID3 tag version 2.4.0", 3.1.
package struct ID3Header {
  /// Bytes of a header, and of the footer that some tags have.
  package static let byteCount = 10

  /// 2, 3 or 4, or a version yet to come.
  package let version: UInt8
  /// Eight flags, whose meaning depends on the version.
  package let flags: UInt8
  /// Bytes between header and footer.
  package let contentSize: UInt64

  /// - Parameter bytes: those at the start of what may be a tag.
  /// - Returns: `nil` if it is none, or the bytes are too few.
  package init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(ID3Header.byteCount))
    guard bytes.count == ID3Header.byteCount, bytes.starts(with: "ID3".utf8) else { return nil }
    (version, flags) = (bytes[3], bytes[5])
    contentSize = ID3Header.size(bytes[6...], isSevenBits: true)
  }

  /// Bytes of the whole tag, header and footer included.
  package var size: UInt64 {
    let hasFooter = version >= 4 && flags & 0x10 != 0
    return contentSize + UInt64(ID3Header.byteCount * (hasFooter ? 2 : 1))
  }

  /// A number of several bytes, the most significant first. With seven bits in each, unless some byte has eight: then
  /// the writer did not know better.
  package static func size(_ bytes: ArraySlice<UInt8>, isSevenBits: Bool) -> UInt64 {
    let shift: UInt64 = isSevenBits && bytes.allSatisfy { $0 < 0x80 } ? 7 : 8
    return bytes.reduce(0) { $0 << shift | UInt64($1) }
  }
}
