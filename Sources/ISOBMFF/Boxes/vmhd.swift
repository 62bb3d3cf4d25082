/// General properties of a video track's media.
///
/// Source: ISO/IEC 14496-12, 12.1.2.
public struct VideoMediaHeaderBox: Box {
  public var versionAndFlags = VersionAndFlags(flags: 1)
  /// How video is composited over its background; 0 covers it.
  public var graphicsMode: UInt16 = 0
  /// Red, green and blue for those modes that need a colour.
  public var opcolour = [UInt16](repeating: 0, count: 3)

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("graphicsmode", &graphicsMode)
    try coder.colour("opcolor", &opcolour)
  }
}
