/// How the samples of an uncompressed track are written in the file.
///
/// Samples of fewer bits than their bytes hold are in the upper bits, as WAVE has them.
public struct PCMCoding: Sendable, Hashable {
  /// The kinds of numbers.
  public enum Kind: Sendable, Hashable {
    /// Integers with a sign.
    case signed
    /// Integers without a sign, silence in the middle.
    case unsigned
    /// IEEE floats, full scale at -1 and 1.
    case float
    /// ITU-T G.711, µ-law: logarithmic, in 8 bits.
    case muLaw
    /// ITU-T G.711, A-law: logarithmic, in 8 bits.
    case aLaw
  }

  /// What the numbers are.
  public var kind: Kind
  /// Bytes of a sample: 1 to 4, or 8.
  public var byteCount: Int
  /// Whether the least significant byte comes first.
  public var isLittleEndian: Bool

  /// A coding from its parts.
  public init(_ kind: Kind, byteCount: Int, isLittleEndian: Bool = false) {
    self.kind = kind
    self.byteCount = byteCount
    self.isLittleEndian = isLittleEndian
  }
}
