/// The Huffman books of parametric stereo.
///
/// Source: ISO/IEC 14496-3, 8.5.2 and 8.B.
enum PSBooks {
  /// The books for differences in time and in frequency.
  struct Pair: Sendable {
    let time: HuffmanTree
    let frequency: HuffmanTree
  }

  private typealias Codes = PSHuffmanCodes

  private static let coarseIntensity = Pair(
    time: HuffmanTree(Codes.intensityTimeLengths, Codes.intensityTimeCodes),
    frequency: HuffmanTree(Codes.intensityFrequencyLengths, Codes.intensityFrequencyCodes))
  private static let fineIntensity = Pair(
    time: HuffmanTree(Codes.fineIntensityTimeLengths, Codes.fineIntensityTimeCodes),
    frequency: HuffmanTree(Codes.fineIntensityFrequencyLengths, Codes.fineIntensityFrequencyCodes))
  static let coherence = Pair(
    time: HuffmanTree(Codes.coherenceTimeLengths, Codes.coherenceTimeCodes),
    frequency: HuffmanTree(Codes.coherenceFrequencyLengths, Codes.coherenceFrequencyCodes))
  static let phase = Pair(
    time: HuffmanTree(Codes.phaseTimeLengths, Codes.phaseTimeCodes, from: 0),
    frequency: HuffmanTree(Codes.phaseFrequencyLengths, Codes.phaseFrequencyCodes, from: 0))
  static let overallPhase = Pair(
    time: HuffmanTree(Codes.overallPhaseTimeLengths, Codes.overallPhaseTimeCodes, from: 0),
    frequency: HuffmanTree(Codes.overallPhaseFrequencyLengths, Codes.overallPhaseFrequencyCodes, from: 0))

  static func intensity(isFine: Bool) -> Pair { isFine ? fineIntensity : coarseIntensity }
}
