/// The Huffman books of SBR.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.4, table 4.A.78.
enum SBRBooks {
  /// The books for differences of one kind of value, and how many bits a value without difference has.
  struct Pair: Sendable {
    let time: HuffmanTree
    let frequency: HuffmanTree
    let startBits: Int
  }

  private typealias Codes = SBRHuffmanCodes

  static let fineLevels = Pair(
    time: HuffmanTree(Codes.levelTime15Lengths, Codes.levelTime15Codes),
    frequency: HuffmanTree(Codes.levelFrequency15Lengths, Codes.levelFrequency15Codes), startBits: 7)
  static let coarseLevels = Pair(
    time: HuffmanTree(Codes.levelTime30Lengths, Codes.levelTime30Codes),
    frequency: HuffmanTree(Codes.levelFrequency30Lengths, Codes.levelFrequency30Codes), startBits: 6)
  static let fineBalance = Pair(
    time: HuffmanTree(Codes.balanceTime15Lengths, Codes.balanceTime15Codes),
    frequency: HuffmanTree(Codes.balanceFrequency15Lengths, Codes.balanceFrequency15Codes), startBits: 6)
  static let coarseBalance = Pair(
    time: HuffmanTree(Codes.balanceTime30Lengths, Codes.balanceTime30Codes),
    frequency: HuffmanTree(Codes.balanceFrequency30Lengths, Codes.balanceFrequency30Codes), startBits: 5)
  /// Noise has books of its own for differences in time only.
  static let noise = Pair(
    time: HuffmanTree(Codes.noiseTimeLengths, Codes.noiseTimeCodes), frequency: coarseLevels.frequency, startBits: 5)
  static let noiseBalance = Pair(
    time: HuffmanTree(Codes.noiseBalanceTimeLengths, Codes.noiseBalanceTimeCodes),
    frequency: coarseBalance.frequency, startBits: 5)

  /// The books of an envelope.
  static func levels(isCoarse: Bool, isBalance: Bool) -> Pair {
    isBalance ? (isCoarse ? coarseBalance : fineBalance) : (isCoarse ? coarseLevels : fineLevels)
  }

  /// The books of a noise floor.
  static func noise(isBalance: Bool) -> Pair { isBalance ? noiseBalance : noise }
}
