/// The gamma with which video was encoded.
///
/// Source: QuickTime File Format, Video Sample Description Extensions.
public struct GammaBox: Box {
  /// The exponent, 16.16.
  public var gamma: UInt32 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fixed("gamma", &gamma, fractionBits: 16)
  }
}
