/// The role of a track: main, commentary, description.
///
/// Source: ISO/IEC 14496-12, 8.10.4.
public struct KindBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The vocabulary that defines the role: `urn:mpeg:dash:role:2011`.
  public var schemeURI = BoxText()
  /// The role.
  public var value = BoxText()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.text("schemeURI", &schemeURI)
    try coder.text("value", &value)
  }
}
