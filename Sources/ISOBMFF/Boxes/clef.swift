/// A track's size in one of three modes: `clef` with clean aperture and pixel aspect ratio, `prof` with pixel aspect
/// ratio, `enof` as encoded.
///
/// Source: QuickTime File Format, Track Aperture Mode Dimensions Atom.
package struct TrackApertureBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Pixels, 16.16.
  package var width: UInt32 = 0
  /// Pixels, 16.16.
  package var height: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fixed("width", &width, fractionBits: 16)
    try coder.fixed("height", &height, fractionBits: 16)
  }
}
