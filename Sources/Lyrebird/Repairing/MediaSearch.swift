internal import ISOBMFF
internal import MediaCore

/// Where media may lie in a file without a usable index.
struct MediaSearch {
  /// Parts of the file, in file order: the payloads of media boxes, and what no box describes.
  private(set) var parts: [Range<UInt64>] = []
  /// Where the zeros begin that a recorder may have filled the file with, and never wrote to; the end of the file if
  /// there are none.
  private let writtenEnd: UInt64

  /// The most parts: a file in fragments has one for each. What comes after them is one more.
  private static let maximumParts = 100_000
  /// Bytes that are looked at together for zeros.
  private static let blockSize: UInt64 = 1 << 18
  /// Boxes that hold no media.
  private static let others: [FourCC] = [
    "ftyp", "styp", "moov", "moof", "mfra", "sidx", "ssix", "free", "skip", "wide", "meta", "udta", "uuid", "pdin",
    "prft", "emsg", "pnot", "PICT", "junk",
  ]

  /// Looks through the top level of a file.
  ///
  /// A media box whose size is 0, or more than there is, ends with the file. Where something begins that is no known
  /// box, all the rest may be media: so it is in a file that lost its beginning.
  ///
  /// - Throws: `SourceError` if reading fails.
  init(_ reader: SourceReader) throws(SourceError) {
    writtenEnd = try MediaSearch.writtenEnd(reader)
    var offset: UInt64 = 0
    while offset < reader.size {
      let bytes = try reader.bytes(at: offset, count: BoxHeader.maximumSize)
      let header = BoxHeader(bytes[...], at: offset, limit: reader.size)
      guard let header, parts.count < MediaSearch.maximumParts, MediaSearch.isKnown(header) else {
        add(offset..<reader.size)
        break
      }
      if header.type == "mdat" { add(header.payloadOffset..<header.end) }
      offset = header.end
    }
  }

  /// Where the last byte of a source ends that is not 0.
  private static func writtenEnd(_ reader: SourceReader) throws(SourceError) -> UInt64 {
    var end = reader.size
    while end > 0 {
      let count = min(end, blockSize)
      let bytes = try reader.bytes(at: end - count, count: Int(count))
      if let last = bytes.lastIndex(where: { $0 != 0 }) { return end - count + UInt64(last) + 1 }
      end -= count
    }
    return end
  }

  /// A range without what was never written; `nil` if nothing is left.
  func written(_ range: Range<UInt64>) -> Range<UInt64>? {
    let written = range.clamped(to: 0..<writtenEnd)
    return written.isEmpty ? nil : written
  }

  private static func isKnown(_ header: BoxHeader) -> Bool {
    header.type == "mdat" || others.contains(header.type) && !header.isCut
  }

  private mutating func add(_ part: Range<UInt64>) {
    if !part.isEmpty { parts.append(part) }
  }

  /// The longest part that was written, which says most about the media; `nil` if there is none.
  var longest: Range<UInt64>? {
    parts.compactMap(written).max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
  }

  /// The length of all parts, in bytes.
  var bytes: UInt64 { parts.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }
}
