/// The duration of a fragmented movie, including all fragments.
///
/// Source: ISO/IEC 14496-12, 8.8.2.
public struct MovieExtendsHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Duration in the movie's timescale.
  public var fragmentDuration: UInt64 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("fragment_duration", &fragmentDuration, wide: versionAndFlags.version == 1)
  }
}
