/// A Huffman book: code words for groups of quantised spectral lines, or for differences of scalefactors.
///
/// A spectral book codes two or four lines at once. Their values are the digits of a number, the first line's the most
/// significant, and this number is the index of the code word. A signed book has digits from `-largest` on. An
/// unsigned one codes magnitudes, and a sign bit (1: negative) for each that is not 0 follows the code word; in book
/// 11 the magnitude 16 is an escape: the value itself follows the signs.
///
/// Source: ISO/IEC 14496-3, 4.6.3.
struct HuffmanBook: Sendable {
  /// Lines per code word: 4, 2, or 1 for scalefactors.
  let dimension: Int
  /// Whether signs are part of the code words.
  let isSigned: Bool
  /// Largest magnitude of a line.
  let largest: Int
  /// Length in bits of each code word, at most 19.
  let lengths: [UInt8]
  /// The code words, right-aligned.
  let codes: [UInt32]

  /// Number of values that a line can have: the base of the index.
  var radix: Int { isSigned ? 2 * largest + 1 : largest + 1 }

  /// The index of a code word from its lines, the first one most significant. For an unsigned book, from magnitudes.
  func index(of lines: some Sequence<Int>) -> Int {
    lines.reduce(0) { $0 * radix + $1 + (isSigned ? largest : 0) }
  }

  /// The lines of an index, the inverse of `index(of:)`.
  func lines(at index: Int) -> [Int] {
    var lines = [Int](repeating: 0, count: dimension)
    var rest = index
    for line in lines.indices.reversed() {
      lines[line] = rest % radix - (isSigned ? largest : 0)
      rest /= radix
    }
    return lines
  }

  /// The spectral book with this number, 1 to 11.
  static func spectral(_ number: Int) -> HuffmanBook { spectralBooks[number - 1] }

  /// The book of scalefactor differences: `index - 60` is the difference.
  static let scalefactor = HuffmanBook(
    dimension: 1, isSigned: true, largest: 60, lengths: HuffmanCodes.scalefactorLengths,
    codes: HuffmanCodes.scalefactorCodes)

  private static let spectralBooks: [HuffmanBook] = [
    quads(signed: true, largest: 1, HuffmanCodes.spectral1Lengths, HuffmanCodes.spectral1Codes),
    quads(signed: true, largest: 1, HuffmanCodes.spectral2Lengths, HuffmanCodes.spectral2Codes),
    quads(signed: false, largest: 2, HuffmanCodes.spectral3Lengths, HuffmanCodes.spectral3Codes),
    quads(signed: false, largest: 2, HuffmanCodes.spectral4Lengths, HuffmanCodes.spectral4Codes),
    pairs(signed: true, largest: 4, HuffmanCodes.spectral5Lengths, HuffmanCodes.spectral5Codes),
    pairs(signed: true, largest: 4, HuffmanCodes.spectral6Lengths, HuffmanCodes.spectral6Codes),
    pairs(signed: false, largest: 7, HuffmanCodes.spectral7Lengths, HuffmanCodes.spectral7Codes),
    pairs(signed: false, largest: 7, HuffmanCodes.spectral8Lengths, HuffmanCodes.spectral8Codes),
    pairs(signed: false, largest: 12, HuffmanCodes.spectral9Lengths, HuffmanCodes.spectral9Codes),
    pairs(signed: false, largest: 12, HuffmanCodes.spectral10Lengths, HuffmanCodes.spectral10Codes),
    pairs(signed: false, largest: 16, HuffmanCodes.spectral11Lengths, HuffmanCodes.spectral11Codes),
  ]

  private static func quads(signed: Bool, largest: Int, _ lengths: [UInt8], _ codes: [UInt32]) -> HuffmanBook {
    HuffmanBook(dimension: 4, isSigned: signed, largest: largest, lengths: lengths, codes: codes)
  }

  private static func pairs(signed: Bool, largest: Int, _ lengths: [UInt8], _ codes: [UInt32]) -> HuffmanBook {
    HuffmanBook(dimension: 2, isSigned: signed, largest: largest, lengths: lengths, codes: codes)
  }
}

/// The meaning of a section's codebook number, beyond the eleven books.
///
/// Source: ISO/IEC 14496-3, 4.6.3, table 4.151.
enum Codebook {
  /// All lines of the band are 0.
  static let zero = 0
  /// Books from here on code two lines at once, lower ones four.
  static let firstPair = 5
  /// The book whose largest magnitude is an escape.
  static let escape = 11
  /// Not allowed.
  static let reserved = 12
  /// The band is noise, of which only the energy is sent.
  static let noise = 13
  /// The right channel is the left, scaled and inverted.
  static let intensityOutOfPhase = 14
  /// The right channel is the left, scaled.
  static let intensity = 15

  /// Magnitude in book 11 that means: the value follows.
  static let escapeFlag = 16
  /// Largest magnitude of a quantised line.
  static let largestMagnitude = 8191
}
