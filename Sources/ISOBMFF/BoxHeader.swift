public import MediaCore

/// The header of a box: its type, position and size.
///
/// Every box begins with a 32-bit size and a four-character type. Size 1 means that a 64-bit size follows the type,
/// size 0 that the box extends to the end of what encloses it. Type `uuid` is followed by the real type, of 16 bytes.
/// Source: ISO/IEC 14496-12, 4.2.
public struct BoxHeader: Sendable, Hashable {
  /// How the size is written.
  public enum SizeForm: Sendable, Hashable {
    /// In 32 bits.
    case compact
    /// In 64 bits, after the type.
    case large
    /// As 0: the box extends to the end.
    case toEnd
  }

  /// The four characters.
  public package(set) var type: FourCC
  /// The 16 bytes that follow type `uuid`.
  public package(set) var userType: [UInt8]?
  /// How the size is written.
  public package(set) var sizeForm: SizeForm
  /// The offset of the box in its source.
  public package(set) var offset: UInt64
  /// Bytes of the header: 8, 16, and 16 more for a user type.
  public package(set) var headerSize: Int
  /// The size stated in the header, header included; for `toEnd`, the actual size.
  public package(set) var claimedSize: UInt64
  /// The offset at which the payload ends: the end of the box, or of its parent if the box claims more.
  public package(set) var end: UInt64

  /// The offset at which the payload begins.
  public var payloadOffset: UInt64 { offset + UInt64(headerSize) }
  /// Size in bytes of the payload that is present.
  public var payloadSize: UInt64 { end - payloadOffset }
  /// Whether the box claims to extend past the end of what encloses it.
  public var isCut: Bool { claimedSize > end - offset }
  /// The longest possible header, in bytes.
  package static let maximumSize = 32

  /// A header to be written, whose offset is not known yet.
  package init(type: FourCC, userType: [UInt8]? = nil, sizeForm: SizeForm = .compact) {
    self.type = type
    self.userType = userType
    self.sizeForm = sizeForm
    offset = 0
    headerSize = (sizeForm == .large ? 16 : 8) + (userType?.count ?? 0)
    claimedSize = UInt64(headerSize)
    end = claimedSize
  }

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - bytes: the bytes from `offset` on in the source; `maximumSize` bytes suffice.
  ///   - offset: the offset of the box in the source.
  ///   - limit: the offset at which the enclosing box or file ends.
  /// - Returns: the header, or `nil` if these bytes are not one: too few of them, or a size smaller than the header.
  package init?(_ bytes: ArraySlice<UInt8>, at offset: UInt64, limit: UInt64) {
    let span = bytes.span
    guard limit >= offset, limit - offset >= 8, span.count >= 8 else { return nil }
    let size32: UInt32 = span.bigEndian(at: 0)
    type = FourCC(span.bigEndian(at: 4))
    self.offset = offset
    headerSize = 8
    switch size32 {
    case 1:
      guard limit - offset >= 16, span.count >= 16 else { return nil }
      sizeForm = .large
      claimedSize = span.bigEndian(at: 8)
      headerSize = 16
    case 0:
      sizeForm = .toEnd
      claimedSize = limit - offset
    default:
      sizeForm = .compact
      claimedSize = UInt64(size32)
    }
    if type == "uuid", claimedSize >= UInt64(headerSize + 16), limit - offset >= UInt64(headerSize + 16),
      span.count >= headerSize + 16
    {
      userType = Array(bytes[(bytes.startIndex + headerSize)..<(bytes.startIndex + headerSize + 16)])
      headerSize += 16
    }
    guard claimedSize >= UInt64(headerSize) else { return nil }
    end = offset + min(claimedSize, limit - offset)
  }

  /// The header of a box whose payload has `payloadSize` bytes, with a 64-bit size if 32 bits do not suffice.
  package func written(payloadSize: UInt64) -> [UInt8] {
    let fixed: UInt64 = 8 + UInt64(userType?.count ?? 0)
    let isLarge = sizeForm == .large || (sizeForm == .compact && payloadSize + fixed > UInt64(UInt32.max))
    var header = self
    header.sizeForm = isLarge ? .large : .compact
    var bytes: [UInt8] = []
    header.write(size: payloadSize + fixed + (isLarge ? 8 : 0), to: &bytes)
    return bytes
  }

  /// Appends the header of a box whose total size is `size` bytes.
  func write(size: UInt64, to bytes: inout [UInt8]) {
    switch sizeForm {
    case .compact where size <= UInt64(UInt32.max): bytes.appendBigEndian(UInt32(size))
    case .toEnd: bytes.appendBigEndian(UInt32(0))
    case .compact, .large: bytes.appendBigEndian(UInt32(1))
    }
    bytes.appendBigEndian(type.rawValue)
    if sizeForm == .large || (sizeForm == .compact && size > UInt64(UInt32.max)) { bytes.appendBigEndian(size) }
    if let userType { bytes.append(contentsOf: userType) }
  }
}
