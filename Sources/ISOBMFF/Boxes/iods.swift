/// Which MPEG-4 profiles a movie needs.
///
/// Source: ISO/IEC 14496-14, 5.5.
public struct ObjectDescriptorBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// An MP4_IOD descriptor.
  public var descriptor: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.rest("OD", &descriptor)
  }
}
