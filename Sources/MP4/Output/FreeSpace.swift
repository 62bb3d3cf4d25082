internal import ISOBMFF
internal import MediaCore

extension [UInt8] {
  /// A `free` box of this many bytes, header included; empty below 8.
  static func free(_ count: Int) -> [UInt8] {
    guard count >= 8 else { return [] }
    return BoxHeader(type: "free").written(payloadSize: UInt64(count - 8)) + [UInt8](repeating: 0, count: count - 8)
  }
}
