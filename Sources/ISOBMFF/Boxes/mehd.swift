/// The duration of a fragmented movie, including all fragments.
///
/// Source: ISO/IEC 14496-12, 8.8.2.
package struct MovieExtendsHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Duration in the movie's timescale.
  package var fragmentDuration: UInt64 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("fragment_duration", &fragmentDuration, wide: versionAndFlags.version == 1)
  }
}
