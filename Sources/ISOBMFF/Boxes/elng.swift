/// A track's language as a BCP 47 tag, such as `en-GB`, which the three letters in `mdhd` cannot express.
///
/// Source: ISO/IEC 14496-12, 8.4.6.
package struct ExtendedLanguageBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Whether version and flags are present: some writers forget them.
  package var isFullBox = true
  /// The language tag.
  package var extendedLanguage = BoxText("und")

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    // A language begins with a letter, a version does not.
    if coder.isReading { isFullBox = (coder.peek(1).first ?? 0) < 0x41 }
    if isFullBox { try coder.versionAndFlags(&versionAndFlags) }
    try coder.text("extended_language", &extendedLanguage)
  }
}
