/// General properties of QuickTime's other kinds of media: text, time code.
///
/// Source: QuickTime File Format, Base Media Info Atoms.
package struct BaseMediaInfoBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// How images are composited over their background; 0x40 dithers.
  package var graphicsMode: UInt16 = 0x40
  /// Red, green and blue for those modes that need a colour.
  package var opcolour = [UInt16](repeating: 0x8000, count: 3)
  /// Left -1 to right 1, 8.8.
  package var balance: Int16 = 0
  /// Kept as is.
  package var reserved: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.integer("graphicsmode", &graphicsMode)
    try coder.colour("opcolor", &opcolour)
    try coder.fixed("balance", &balance, fractionBits: 8)
    try coder.reserved(&reserved, count: 2)
  }
}
