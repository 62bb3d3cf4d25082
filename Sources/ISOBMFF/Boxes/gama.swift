/// The gamma with which video was encoded.
///
/// Source: QuickTime File Format, Video Sample Description Extensions.
package struct GammaBox: Box {
  /// The exponent, 16.16.
  package var gamma: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fixed("gamma", &gamma, fractionBits: 16)
  }
}
