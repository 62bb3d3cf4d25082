/// General properties of a video track's media.
///
/// Source: ISO/IEC 14496-12, 12.1.2.
package struct VideoMediaHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags(flags: 1)
  /// How video is composited over its background; 0 covers it.
  package var graphicsMode: UInt16 = 0
  /// Red, green and blue for those modes that need a colour.
  package var opcolour = [UInt16](repeating: 0, count: 3)

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("graphicsmode", &graphicsMode)
    try coder.colour("opcolor", &opcolour)
  }
}
