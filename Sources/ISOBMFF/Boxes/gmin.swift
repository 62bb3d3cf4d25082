/// General properties of QuickTime's other kinds of media: text, time code.
///
/// Source: QuickTime File Format, Base Media Info Atoms.
public struct BaseMediaInfoBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// How images are composited over their background; 0x40 dithers.
  public var graphicsMode: UInt16 = 0x40
  /// Red, green and blue for those modes that need a colour.
  public var opcolour = [UInt16](repeating: 0x8000, count: 3)
  /// Left -1 to right 1, 8.8.
  public var balance: Int16 = 0
  /// Kept as is.
  public var reserved: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("graphicsmode", &graphicsMode)
    try coder.colour("opcolor", &opcolour)
    try coder.fixed("balance", &balance, fractionBits: 8)
    try coder.reserved(&reserved, count: 2)
  }
}
