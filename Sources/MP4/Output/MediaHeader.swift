internal import ISOBMFF
internal import MediaCore

/// The header of a media box whose size is known only at the end: as many bytes, whatever it comes to.
///
/// Half of them are an empty `free` box where 32 bits do for the size: some readers know no other sizes.
enum MediaHeader {
  /// Bytes of the header.
  static let size = 16

  /// The header of a box of so many bytes.
  static func written(payloadSize: UInt64) -> [UInt8] {
    let header = BoxHeader(type: "mdat").written(payloadSize: payloadSize)
    return header.count == size ? header : BoxHeader(type: "free").written(payloadSize: 0) + header
  }
}
