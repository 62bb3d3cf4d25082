/// Bits of code words, arranged so that one lookup returns them for two books at once.
///
/// The search for scalefactors only needs the cost in the cheaper of the two books of a class; a class is all
/// magnitudes up to 1, 2, 4, 7, 12 or any. Final sections need exact costs in all books, signs included.
struct SpectralCosts: Sendable {
  typealias Quads1 = LookupTable<5, UInt32>
  typealias Quads2 = LookupTable<7, UInt32>
  typealias Pairs = LookupTable<9, UInt32>

  /// Fractions of a bit in the estimates.
  static let unit: Float = 16

  /// For magnitudes of four lines up to 1 (books 1, 2) in base 2 and up to 2 (books 3, 4) in base 3: 16ths of bits,
  /// signs included; one book's in the low half, the other's in the high one. Those in base 2 are at twice their index.
  let quads1: Quads1
  let quads2: Quads2
  /// For magnitudes of two lines in base 17: books 5 and 6, 7 and 8, 9 and 10, 11. An escape counts without its value.
  let pairs4: Pairs
  let pairs7: Pairs
  let pairs12: Pairs
  let pairs16: Pairs
  /// Bits of a scalefactor difference, from -60 on.
  let scalefactors: LookupTable<7, Float>

  static let shared = SpectralCosts()

  private init() {
    quads1 = Quads1((0..<32).map { SpectralCosts.quad($0 / 2, base: 2, 1, 2) })
    quads2 = Quads2((0..<81).map { SpectralCosts.quad($0, base: 3, 3, 4) })
    pairs4 = SpectralCosts.pairs(5, 6)
    pairs7 = SpectralCosts.pairs(7, 8)
    pairs12 = SpectralCosts.pairs(9, 10)
    pairs16 = SpectralCosts.pairs(11, 11)
    scalefactors = LookupTable(HuffmanBook.scalefactor.lengths.map { Float($0) })
  }

  private static func quad(_ index: Int, base: Int, _ low: Int, _ high: Int) -> UInt32 {
    packed([index / base / base / base, index / base / base % base, index / base % base, index % base], low, high)
  }

  private static func pairs(_ low: Int, _ high: Int) -> Pairs {
    Pairs((0..<289).map { packed([$0 / 17, $0 % 17], low, high) })
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
