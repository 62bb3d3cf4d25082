internal import MediaCore

/// The two laws by which telephones put 13 and 14 bits into 8: a sign, three bits that say how far to shift, and four
/// bits to be shifted.
///
/// Source: ITU-T G.711.
enum CompandingLaw {
  /// The 16-bit sample of each byte; empty for what is not one of the laws.
  static func expansion(_ kind: PCMCoding.Kind) -> [Int16] {
    switch kind {
    case .muLaw: (0...255).map(muLaw)
    case .aLaw: (0...255).map(aLaw)
    default: []
    }
  }

  /// All bits are inverted on the line. Sizes begin a step below the first one, so that the shifts fit together.
  private static func muLaw(_ byte: Int) -> Int16 {
    let bits = ~byte & 0xFF
    let size = ((bits & 15) << 3 + 132) << (bits >> 4 & 7) - 132
    return Int16(bits & 0x80 != 0 ? -size : size)
  }

  /// Every other bit is inverted on the line. The two smallest shifts have the same step.
  private static func aLaw(_ byte: Int) -> Int16 {
    let bits = byte ^ 0x55
    let (shift, low) = (bits >> 4 & 7, (bits & 15) << 4 + 8)
    let size = shift == 0 ? low : (low + 256) << (shift - 1)
    return Int16(bits & 0x80 != 0 ? size : -size)
  }
}
