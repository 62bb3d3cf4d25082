/// Bits of code words, arranged so that one lookup returns them for two books at once.
///
/// The search for scalefactors only needs the cost in the cheaper of the two books of a class; a class is all
/// magnitudes up to 1, 2, 4, 7, 12 or any. Final sections need exact costs in all books, signs included.
struct SpectralCosts {
  /// Fractions of a bit in the estimates.
  static let unit: Float = 16

  /// For magnitudes of four lines up to 1 (books 1, 2) and up to 2 (books 3, 4), in base 3: 16ths of bits, signs
  /// included; one book's in the low half, the other's in the high one.
  let quads1: AlignedMemory<UInt32>
  let quads2: AlignedMemory<UInt32>
  /// For magnitudes of two lines in base 17: books 5 and 6, 7 and 8, 9 and 10, 11. An escape counts without its value.
  let pairs4: AlignedMemory<UInt32>
  let pairs7: AlignedMemory<UInt32>
  let pairs12: AlignedMemory<UInt32>
  let pairs16: AlignedMemory<UInt32>
  /// Bits of a scalefactor difference, from -60 on.
  let scalefactors: AlignedMemory<Float>

  init() {
    quads1 = SpectralCosts.quads(1, 2)
    quads2 = SpectralCosts.quads(3, 4)
    pairs4 = SpectralCosts.pairs(5, 6)
    pairs7 = SpectralCosts.pairs(7, 8)
    pairs12 = SpectralCosts.pairs(9, 10)
    pairs16 = SpectralCosts.pairs(11, 11)
    scalefactors = AlignedMemory(121)
    for (index, length) in HuffmanBook.scalefactor.lengths.enumerated() { scalefactors[index] = Float(length) }
  }

  private static func quads(_ low: Int, _ high: Int) -> AlignedMemory<UInt32> {
    let table = AlignedMemory<UInt32>(81)
    for index in 0..<81 {
      let magnitudes = [index / 27, index / 9 % 3, index / 3 % 3, index % 3]
      table[index] = packed(magnitudes, low, high)
    }
    return table
  }

  private static func pairs(_ low: Int, _ high: Int) -> AlignedMemory<UInt32> {
    let table = AlignedMemory<UInt32>(289)
    for index in 0..<289 { table[index] = packed([index / 17, index % 17], low, high) }
    return table
  }

  private static func packed(_ magnitudes: [Int], _ low: Int, _ high: Int) -> UInt32 {
    mean(magnitudes, low) | mean(magnitudes, high) << 16
  }

  /// The mean over all signs of the bits of these magnitudes, in 16ths.
  private static func mean(_ magnitudes: [Int], _ number: Int) -> UInt32 {
    let book = HuffmanBook.spectral(number)
    guard magnitudes.allSatisfy({ $0 <= book.largest }) else { return 0 }
    let nonzero = magnitudes.count { $0 != 0 }
    guard book.isSigned else { return (UInt32(book.lengths[book.index(of: magnitudes)]) + UInt32(nonzero)) * 16 }
    var sum = 0
    for signs in 0..<(1 << magnitudes.count) {
      let lines = magnitudes.enumerated().map { signs >> $0.offset & 1 == 1 ? -$0.element : $0.element }
      sum += Int(book.lengths[book.index(of: lines)])
    }
    return UInt32(sum * 16 / (1 << magnitudes.count))
  }
}
