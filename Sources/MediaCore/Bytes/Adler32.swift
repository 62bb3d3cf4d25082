/// The checksum of zlib's streams: two sums, modulo the largest prime below 2^16.
///
/// Source: RFC 1950, 8.2.
package struct Adler32 {
  private var sums: (UInt32, UInt32) = (1, 0)

  /// The sum of no bytes.
  package init() {}

  /// The checksum of what was added.
  package var value: UInt32 { sums.1 << 16 | sums.0 }

  /// Adds bytes, which follow those before.
  package mutating func add(_ bytes: [UInt8]) {
    for byte in bytes {
      sums.0 = (sums.0 &+ UInt32(byte)) % 65_521
      sums.1 = (sums.1 &+ sums.0) % 65_521
    }
  }
}
