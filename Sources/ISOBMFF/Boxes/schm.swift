package import MediaCore

/// How samples are encrypted.
///
/// Source: ISO/IEC 14496-12, 8.12.6.
package struct SchemeTypeBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// `cenc`, `cbcs`, `cens`, `cbc1`, `piff`.
  package var schemeType: FourCC = "cenc"
  /// The scheme's version.
  package var schemeVersion: UInt32 = 0x10000
  /// Where to find out more, if flag 1 is set.
  package var schemeURI = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("scheme_type", &schemeType)
    try coder.integer("scheme_version", &schemeVersion)
    if versionAndFlags.flags & 1 != 0 { try coder.text("scheme_uri", &schemeURI) }
  }
}
