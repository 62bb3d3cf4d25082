/// General properties of an audio track's media.
///
/// Source: ISO/IEC 14496-12, 12.2.2.
package struct SoundMediaHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Left -1 to right 1, 8.8.
  package var balance: Int16 = 0
  /// Kept as is.
  package var reserved: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fixed("balance", &balance, fractionBits: 8)
    try coder.reserved(&reserved, count: 2)
  }
}
