public import MediaCore

/// How samples are encrypted.
///
/// Source: ISO/IEC 14496-12, 8.12.6.
public struct SchemeTypeBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// `cenc`, `cbcs`, `cens`, `cbc1`, `piff`.
  public var schemeType: FourCC = "cenc"
  /// The scheme's version.
  public var schemeVersion: UInt32 = 0x10000
  /// Where to find out more, if flag 1 is set.
  public var schemeURI = BoxText()

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("scheme_type", &schemeType)
    try coder.integer("scheme_version", &schemeVersion)
    if versionAndFlags.flags & 1 != 0 { try coder.text("scheme_uri", &schemeURI) }
  }
}
