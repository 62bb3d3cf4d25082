internal import ISOBMFF
internal import MediaCore

/// The header of a media box whose size is known only at the end: its length is the same for every size.
///
/// Half of it is an empty `free` box if the size fits in 32 bits: some readers know no other sizes.
enum MediaHeader {
  /// Bytes of the header.
  static let size = 16

  /// The header of a box whose payload has this many bytes.
  static func written(payloadSize: UInt64) -> [UInt8] {
    let header = BoxHeader(type: "mdat").written(payloadSize: payloadSize)
    return header.count == size ? header : BoxHeader(type: "free").written(payloadSize: 0) + header
  }
}
