/// The media header for other kinds of media, which has no fields: `nmhd`, or `sthd` for subtitles.
///
/// Source: ISO/IEC 14496-12, 8.4.5.2 and 12.6.2.
package struct NullMediaHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
  }
}
