/// How the images for the two eyes are arranged.
///
/// Source: Spherical Video V2, "Stereoscopic 3D Video Box".
package struct Stereoscopic3DBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// 0 single image, 1 top and bottom, 2 left and right.
  package var stereoMode: UInt8 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("stereo_mode", &stereoMode)
  }
}
