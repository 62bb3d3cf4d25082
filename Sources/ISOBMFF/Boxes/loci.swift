/// A location on Earth, or elsewhere.
///
/// Source: 3GPP TS 26.244, 8.
package struct LocationInformationBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Three letters of five bits each; see `LanguageCode`.
  package var language: UInt16 = 0x55C4
  /// The location's name: UTF-8, or UTF-16 after a byte order mark.
  package var name = BoxText()
  /// 0 shooting location, 1 real location, 2 fictional location.
  package var role: UInt8 = 0
  /// Degrees east, 16.16.
  package var longitude: Int32 = 0
  /// Degrees north, 16.16.
  package var latitude: Int32 = 0
  /// Metres above sea level, 16.16.
  package var altitude: Int32 = 0
  /// The astronomical body: `earth`, or another.
  package var astronomicalBody = BoxText("earth")
  /// Additional notes.
  package var notes = BoxText()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.language(&language)
    try coder.unicodeText("name", &name)
    try coder.integer("role", &role)
    try coder.fixed("longitude", &longitude, fractionBits: 16)
    try coder.fixed("latitude", &latitude, fractionBits: 16)
    try coder.fixed("altitude", &altitude, fractionBits: 16)
    try coder.unicodeText("astronomical_body", &astronomicalBody)
    try coder.unicodeText("additional_notes", &notes)
  }
}
