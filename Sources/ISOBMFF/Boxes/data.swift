/// The value of a metadata item.
///
/// Source: QuickTime File Format, Data Atom.
package struct MetadataDataBox: Box {
  /// The type set in the highest byte, 0 for the well-known types, then the type: see `ValueType`.
  package var typeIndicator: UInt32 = ValueType.utf8
  /// Country in the upper 16 bits and language in the lower; 0 for any.
  package var locale: UInt32 = 0
  /// The value.
  package var value: ArraySlice<UInt8> = []

  /// The common types of values. Source: QuickTime File Format, Well-known types.
  package enum ValueType {
    /// Bytes, in the format defined for the item.
    package static let implicit: UInt32 = 0
    /// Text.
    package static let utf8: UInt32 = 1
    /// Text, big-endian.
    package static let utf16: UInt32 = 2
    /// An image.
    package static let jpeg: UInt32 = 13
    /// An image.
    package static let png: UInt32 = 14
    /// A big-endian number of 1, 2, 3, 4 or 8 bytes.
    package static let signedInteger: UInt32 = 21
    /// A big-endian number of 1, 2, 3, 4 or 8 bytes.
    package static let unsignedInteger: UInt32 = 22
    /// A big-endian number of 32 bits, IEEE 754.
    package static let float32: UInt32 = 23
    /// A big-endian number of 64 bits, IEEE 754.
    package static let float64: UInt32 = 24
    /// An image.
    package static let bmp: UInt32 = 27
  }

  package init() {}

  /// A text value.
  package init(text: String) {
    value = Array(text.utf8)[...]
  }

  /// A value of a type.
  package init(type: UInt32, _ bytes: [UInt8]) { (typeIndicator, value) = (type, bytes[...]) }

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("type_indicator", &typeIndicator)
    try coder.integer("locale", &locale)
    if coder.isPrinting, let text { return coder.remark("value", .text(text)) }
    try coder.slice("value", &value, count: coder.remaining)
  }

  /// The value as text, if it is text.
  package var text: String? {
    switch typeIndicator {
    case ValueType.utf8: String(decoding: value, as: UTF8.self)
    case ValueType.utf16: BoxText(bytes: [0xFE, 0xFF] + value).text
    default: nil
    }
  }

  /// The value as an integer, if it is one that 64 bits with a sign can hold.
  package var integer: Int64? {
    let isSigned = typeIndicator == ValueType.signedInteger
    guard isSigned || typeIndicator == ValueType.unsignedInteger, let first = value.first, value.count <= 8 else {
      return nil
    }
    if !isSigned, first >= 0x80, value.count == 8 { return nil }
    let start: Int64 = isSigned && first >= 0x80 ? -1 : 0
    return value.reduce(start) { $0 << 8 | Int64($1) }
  }
}
