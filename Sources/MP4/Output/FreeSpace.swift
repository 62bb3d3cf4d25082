internal import ISOBMFF
internal import MediaCore

extension [UInt8] {
  /// A `free` box of this many bytes, header included; empty below 8.
  static func free(_ count: Int) -> [UInt8] {
    guard count >= 8 else { return [] }
    return BoxHeader(type: "free").written(payloadSize: UInt64(count - 8)) + [UInt8](repeating: 0, count: count - 8)
  }

  /// The header of a `free` box of this many bytes, at least 8: 8 bytes, or 16 above 32 bits.
  static func freeHeader(_ count: UInt64) -> [UInt8] {
    let isLarge = count > UInt64(UInt32.max)
    return BoxHeader(type: "free", sizeForm: isLarge ? .large : .compact).written(
      payloadSize: count - (isLarge ? 16 : 8))
  }
}
