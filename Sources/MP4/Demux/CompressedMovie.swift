internal import ISOBMFF
internal import MediaCore

/// QuickTime's compressed movie headers: a `moov` that holds a `cmov`, which holds the real `moov`, deflated.
///
/// Source: QuickTime File Format, Compressed Movie Resources.
enum CompressedMovie {
  /// How many times as large as its compressed bytes a header may be; `leastRoom` bytes are always allowed.
  private static let mostShrunk = 100
  private static let leastRoom = 1 << 20

  /// The movie header inside, or `nil` if this one is not compressed.
  ///
  /// - Throws: `BoxError` if the compressed bytes are broken or their method is not deflate.
  static func decompress(_ moov: BoxNode, limits: BoxLimits, deferring tables: [FourCC]) throws(BoxError) -> (
    BoxNode, SourceReader
  )? {
    guard let cmov = moov.first("cmov"), let data = cmov.first("cmvd") else { return nil }
    let bytes = data.payload
    let offset = data.header.offset
    guard bytes.count > 4, cmov.first("dcom").map({ Array($0.payload.prefix(4)) == Array("zlib".utf8) }) ?? true else {
      throw BoxError(.invalidValue(0), path: "moov/cmov/dcom", field: "method", offset: offset)
    }
    let size = bytes.span.bigEndian(at: 0, as: UInt32.self)
    // Tables shrink to a tenth or so. A header that shrank to a thousandth, as deflate allows, is meant to fill memory.
    let room = max(bytes.count * mostShrunk, leastRoom)
    guard let plain = Inflate.zlib(bytes[4...], limit: min(Int(size), limits.loadedSize, room)) else {
      throw BoxError(.invalidValue(Int64(size)), path: "moov/cmov/cmvd", field: "data", offset: offset)
    }
    let reader = SourceReader(MemorySource(plain, name: "compressed movie header"))
    var parser = BoxParser(reader, limits: limits, deferring: tables)
    guard let header = try parser.header(at: 0, limit: reader.size), header.type == "moov" else {
      throw BoxError(.invalidValue(0), path: "moov/cmov/cmvd", field: "data", offset: offset)
    }
    return (try parser.node(header), reader)
  }
}
