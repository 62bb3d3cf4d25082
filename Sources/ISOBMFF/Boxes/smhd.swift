/// General properties of an audio track's media.
///
/// Source: ISO/IEC 14496-12, 12.2.2.
public struct SoundMediaHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Left -1 to right 1, 8.8.
  public var balance: Int16 = 0
  /// Kept as is.
  public var reserved: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fixed("balance", &balance, fractionBits: 8)
    try coder.reserved(&reserved, count: 2)
  }
}
