/// Numbers and boxes as bytes, appended plainly.
///
/// Nothing here is shared with the package: what reads and writes boxes there is compared with what this makes.
public enum Plain {
  /// Two bytes, most significant first.
  public static func u16(_ number: UInt16) -> [UInt8] {
    [UInt8(number >> 8), UInt8(number & 255)]
  }

  /// Four bytes, most significant first.
  public static func u32(_ number: UInt32) -> [UInt8] {
    u16(UInt16(number >> 16)) + u16(UInt16(number & 0xFFFF))
  }

  /// Four bytes in two's complement.
  public static func i32(_ number: Int32) -> [UInt8] {
    u32(UInt32(bitPattern: number))
  }

  /// Eight bytes, most significant first.
  public static func u64(_ number: UInt64) -> [UInt8] {
    u32(UInt32(number >> 32)) + u32(UInt32(number & 0xFFFF_FFFF))
  }

  /// The four characters of a type, each below U+0100.
  public static func type(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
  }

  /// A box: size, type, content.
  public static func box(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let bytes = content.flatMap { $0 }
    return u32(UInt32(8 + bytes.count)) + self.type(type) + bytes
  }

  /// A box whose size takes 64 bits.
  public static func largeBox(_ type: String, _ content: [UInt8]...) -> [UInt8] {
    let bytes = content.flatMap { $0 }
    return u32(1) + self.type(type) + u64(UInt64(16 + bytes.count)) + bytes
  }

  /// A box that begins with a version and 24 flags.
  public static func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ content: [UInt8]...) -> [UInt8] {
    box(type, u32(UInt32(version) << 24 | flags & 0xFF_FFFF), content.flatMap { $0 })
  }

  /// A header that claims a size of its own.
  public static func header(_ type: String, claiming size: UInt32) -> [UInt8] {
    u32(size) + self.type(type)
  }

  /// The unity matrix.
  public static let matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000].flatMap { u32($0) }
}
