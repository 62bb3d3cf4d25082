/// How an IAMF (Immersive Audio Model and Formats) decoder is set up.
///
/// Source: Alliance for Open Media, IAMF 1.1, "IA Configuration Box".
public struct IAConfigurationBox: Box {
  /// 1.
  public var configurationVersion: UInt8 = 1
  /// The size of what follows, in as many bytes of seven bits as it takes, and then the open bitstream units that
  /// describe the sequence; see `IAMFDescription`.
  public var configuration: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("configurationVersion", &configurationVersion)
    try coder.rest("configOBUs", &configuration)
  }
}
