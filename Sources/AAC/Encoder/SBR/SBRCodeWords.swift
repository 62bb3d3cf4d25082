/// The code words of SBR's levels, by difference: what `SBRBooks` reads.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.4, table 4.A.78.
struct SBRCodeWords: Sendable {
  /// A book of differences, as many of them negative as positive.
  struct Book: Sendable {
    let lengths: [UInt8]
    let codes: [UInt32]

    init(_ lengths: [UInt8], _ codes: [UInt32]) { (self.lengths, self.codes) = (lengths, codes) }

    /// The largest difference.
    var largest: Int { lengths.count / 2 }

    /// Bits of a difference; `nil` for one that has no code word.
    func bits(_ difference: Int) -> Int? {
      let index = difference + largest
      return lengths.indices.contains(index) ? Int(lengths[index]) : nil
    }

    /// Writes a difference that has a code word.
    func write(_ difference: Int, to bits: inout PacketBitWriter) {
      bits.append(codes[difference + largest], Int(lengths[difference + largest]))
    }
  }

  let time: Book
  let frequency: Book
  /// Bits of a value without difference.
  let startBits: Int

  private typealias Codes = SBRHuffmanCodes

  private static let fine = SBRCodeWords(
    time: Book(Codes.levelTime15Lengths, Codes.levelTime15Codes),
    frequency: Book(Codes.levelFrequency15Lengths, Codes.levelFrequency15Codes), startBits: 7)
  private static let coarse = SBRCodeWords(
    time: Book(Codes.levelTime30Lengths, Codes.levelTime30Codes),
    frequency: Book(Codes.levelFrequency30Lengths, Codes.levelFrequency30Codes), startBits: 6)
  private static let fineBalance = SBRCodeWords(
    time: Book(Codes.balanceTime15Lengths, Codes.balanceTime15Codes),
    frequency: Book(Codes.balanceFrequency15Lengths, Codes.balanceFrequency15Codes), startBits: 6)
  private static let coarseBalance = SBRCodeWords(
    time: Book(Codes.balanceTime30Lengths, Codes.balanceTime30Codes),
    frequency: Book(Codes.balanceFrequency30Lengths, Codes.balanceFrequency30Codes), startBits: 5)
  private static let noise = SBRCodeWords(
    time: Book(Codes.noiseTimeLengths, Codes.noiseTimeCodes), frequency: coarse.frequency, startBits: 5)
  private static let noiseBalance = SBRCodeWords(
    time: Book(Codes.noiseBalanceTimeLengths, Codes.noiseBalanceTimeCodes),
    frequency: coarseBalance.frequency, startBits: 5)

  /// The books of an envelope.
  static func levels(isCoarse: Bool, isBalance: Bool) -> SBRCodeWords {
    isBalance ? (isCoarse ? coarseBalance : fineBalance) : (isCoarse ? coarse : fine)
  }

  /// The books of a noise floor.
  static func noise(isBalance: Bool) -> SBRCodeWords { isBalance ? noiseBalance : noise }
}
