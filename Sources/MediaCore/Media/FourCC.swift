/// A four-character code: how ISO base media files and QuickTime name boxes, brands, codecs and handlers.
///
/// The code is kept as the big-endian number it is in the file. As text it is Mac Roman by tradition, though only the
/// copyright sign (0xA9, in QuickTime's `©nam`) occurs in practice; every other byte outside printable ASCII is shown
/// escaped, so that a hostile file cannot write control characters to a terminal.
///
/// Source: ISO/IEC 14496-12, 4.2.
public struct FourCC: Sendable, Hashable {
  /// The four bytes as one big-endian number.
  public let rawValue: UInt32

  /// A code from its big-endian number.
  @inlinable
  public init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }
}

extension FourCC: ExpressibleByStringLiteral {
  /// A code from a literal of four characters, each below U+0100. A shorter literal is padded with spaces.
  ///
  /// Nearly all literals are four bytes and are read as one number, as are those that begin with the copyright sign.
  /// The compiler does it in advance, so comparing a code with a literal costs no more than comparing two numbers.
  @inlinable @inline(__always)
  public init(stringLiteral value: StaticString) {
    // A literal lives as long as the program, and has as many bytes as it claims.
    let bytes = unsafe UnsafeRawPointer(value.utf8Start)
    if value.utf8CodeUnitCount == 4 {
      unsafe self.init(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    } else if value.utf8CodeUnitCount == 5, unsafe UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self)) == 0xC2A9 {
      // The copyright sign: two bytes in UTF-8, 0xA9 in the file.
      unsafe self.init(
        0xA9_00_00_00 | UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)) & 0xFF_FFFF)
    } else {
      self.init(characters: value)
    }
  }

  /// A code from the characters of a literal, some of which take two bytes in UTF-8.
  @usableFromInline
  init(characters value: StaticString) {
    var number: UInt32 = 0
    var count = 0
    for scalar in value.description.unicodeScalars where count < 4 {
      number = number << 8 | (scalar.value & 0xFF)
      count += 1
    }
    while count < 4 {
      number = number << 8 | 0x20
      count += 1
    }
    self.init(number)
  }
}

extension FourCC {
  /// A code from text of four characters, each below U+0100; `nil` for any other text.
  public init?(_ text: String) {
    var number: UInt32 = 0
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < 4, scalar.value < 0x100 else { return nil }
      number = number << 8 | scalar.value
      count += 1
    }
    guard count == 4 else { return nil }
    self.init(number)
  }
}

extension FourCC: CustomStringConvertible {
  /// The code as text that is safe to print: `moov`, `©nam`, `\x00\x00\x00\x01`.
  public var description: String {
    var text = ""
    for shift in stride(from: 24, through: 0, by: -8) {
      let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(shift))
      switch byte {
      case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
      case 0xA9: text += "©"
      default: text += "\\x" + hexadecimal([byte])
      }
    }
    return text
  }

  /// Whether all four bytes are printable ASCII or the copyright sign, as every registered code is.
  public var isPrintable: Bool {
    (0..<4).allSatisfy { index in
      let byte = UInt8(truncatingIfNeeded: rawValue >> UInt32(8 * index))
      return (0x20...0x7E).contains(byte) || byte == 0xA9
    }
  }
}

/// Bytes in lower-case hexadecimal, two digits each, nothing between them.
@inlinable
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
  return String(decoding: text, as: UTF8.self)
}
