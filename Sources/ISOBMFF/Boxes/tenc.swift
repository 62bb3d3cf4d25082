/// How a track is encrypted, unless samples say otherwise.
///
/// Source: ISO/IEC 23001-7, 8.2.
package struct TrackEncryptionBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Kept as is.
  package var reserved1: UInt8 = 0
  /// Encrypted blocks of 16 bytes in a pattern; since version 1.
  package var cryptByteBlock: UInt8 = 0
  /// Clear blocks after them; since version 1.
  package var skipByteBlock: UInt8 = 0
  /// 1 if samples are encrypted.
  package var isProtected: UInt8 = 1
  /// Size in bytes of each sample's initialization vector: 8, 16, or 0 for a constant one.
  package var perSampleIVSize: UInt8 = 8
  /// The key's identifier: 16 bytes.
  package var keyID: [UInt8] = Array(repeating: 0, count: 16)
  /// The constant initialization vector, if samples have none of their own.
  package var constantIV: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("reserved", &reserved1)
    // Reserved in version 0, and kept like a pattern.
    try coder.bits("default_crypt_byte_block", &cryptByteBlock, 4)
    try coder.bits("default_skip_byte_block", &skipByteBlock, 4)
    try coder.integer("default_isProtected", &isProtected)
    try coder.integer("default_Per_Sample_IV_Size", &perSampleIVSize)
    try coder.bytes("default_KID", &keyID, count: 16)
    if isProtected == 1, perSampleIVSize == 0 {
      try coder.sizedBytes("default_constant_IV", &constantIV, by: UInt8.self)
    }
  }
}
