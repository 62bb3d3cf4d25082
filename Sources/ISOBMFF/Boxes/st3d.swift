/// How the images for the two eyes are arranged.
///
/// Source: Spherical Video V2, "Stereoscopic 3D Video Box".
public struct Stereoscopic3DBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// 0 single image, 1 top and bottom, 2 left and right.
  public var stereoMode: UInt8 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("stereo_mode", &stereoMode)
  }
}
