/// The spectral Huffman books as lookup tables.
///
/// The next bits are an index into a table whose entry identifies the code word that begins with them. Code words
/// longer than the table's index continue in a second table. An entry is:
///
/// | bits | |
/// |---|---|
/// | 0-5 | bits of the code word and its signs; 0: continues in a second table |
/// | 6-10 | bits of the code word alone; of the second table's index |
/// | 11-20 | index of the values; 11-31: where the second table begins |
/// | 21-24 | which of the values are not 0, the first in the lowest bit |
/// | 25-26 | which of a pair are an escape |
struct SpectralLookup: Sendable {
  /// The entries of a book.
  typealias Book = LookupTable<11, UInt32>
  /// The values or magnitudes of two lines.
  typealias Pairs = LookupTable<10, SIMD2<Float>>

  /// Bits of a first table's index.
  static let firstBits: UInt64 = 9

  /// The books by number, 1 to 11.
  private let books: LookupTable<4, Book>
  /// Values of four lines, for books 1 and 2, and magnitudes, for books 3 and 4: already raised to 4/3.
  let signedQuads: LookupTable<10, SIMD4<Float>>
  let unsignedQuads: LookupTable<10, SIMD4<Float>>
  /// Values and magnitudes of two lines by book, 5 to 11.
  private let pairs: LookupTable<4, Pairs>
  /// Sign bits for four lines, indexed by which are not 0 and by the next four bits of the packet; for two lines
  /// likewise.
  let quadSigns: LookupTable<8, SIMD4<UInt32>>
  let pairSigns: LookupTable<4, SIMD2<UInt32>>
  /// `|q|^(4/3)`.
  let power43: LookupTable<13, Float>
  /// `2^(n / 4)` for n from -255 to 255, at 0 to 510: the range of scalefactors, intensity positions and noise.
  private let gains: LookupTable<9, Float>
  /// Scalefactor differences, in the same format as the books.
  let scalefactors: Book

  static let shared = SpectralLookup()

  private init() {
    // There is no book 0; 1 takes its place.
    books = LookupTable(([1] + Array(1...11)).map { Book(SpectralLookup.entries(.spectral($0))) })
    scalefactors = Book(SpectralLookup.entries(.scalefactor))
    signedQuads = LookupTable(SpectralLookup.quads(.spectral(1)))
    unsignedQuads = LookupTable(SpectralLookup.quads(.spectral(3)))
    let sources = [Int](repeating: 5, count: 5) + [5, 5, 7, 7, 9, 9, 11]
    let made = [5, 7, 9, 11].map { Pairs(SpectralLookup.pairs(.spectral($0))) }
    pairs = LookupTable(sources.map { made[($0 - 5) / 2] })
    quadSigns = LookupTable(SpectralLookup.quadSigns())
    pairSigns = LookupTable(SpectralLookup.pairSigns())
    power43 = LookupTable(Quantisation.power43)
    gains = LookupTable((-255...255).map { Float(Quantisation.gain(quarters: $0)) })
  }

  /// `2^(quarters / 4)`, -255 to 255.
  @inline(__always)
  func gain(quarters: Int) -> Float { gains[quarters + 255] }

  /// The values or magnitudes of a pair book, numbered from 5.
  @inline(__always)
  func pairs(_ book: Int) -> Pairs { pairs[book] }

  /// The entries of a book, numbered from 1.
  @inline(__always)
  func book(_ number: Int) -> Book { books[number] }

  // MARK: Making the tables

  private static func entries(_ book: HuffmanBook) -> [UInt32] {
    let first = Int(firstBits)
    var all = [UInt32](repeating: 0, count: 1 << first)
    // Bits that the longest code word has after each long prefix.
    var tails: [Int: Int] = [:]
    for (code, length) in zip(book.codes, book.lengths) where Int(length) > first {
      tails[Int(code) >> (Int(length) - first), default: 0] =
        max(tails[Int(code) >> (Int(length) - first), default: 0], Int(length) - first)
    }
    for (beginning, width) in tails.sorted(by: { $0.key < $1.key }) {
      all[beginning] = UInt32(width) << 6 | UInt32(all.count) << 11
      all += [UInt32](repeating: 0, count: 1 << width)
    }
    for (index, length) in book.lengths.enumerated() {
      let (code, length) = (Int(book.codes[index]), Int(length))
      var (entryOffset, free) = (code << max(first - length, 0), first - length)
      if length > first {
        let link = all[code >> (length - first)]
        free = Int(link >> 6 & 31) - (length - first)
        entryOffset = Int(link >> 11) + (code & (1 << (length - first) - 1)) << free
      }
      for fill in 0..<(1 << free) { all[entryOffset + fill] = entry(book, index: index, length: length) }
    }
    return all
  }

  private static func entry(_ book: HuffmanBook, index: Int, length: Int) -> UInt32 {
    var (mask, escapes): (UInt32, UInt32) = (0, 0)
    if !book.isSigned {
      for (position, line) in book.lines(at: index).enumerated() {
        if line != 0 { mask |= 1 << UInt32(position) }
        if line == Codebook.escapeFlag { escapes |= 1 << UInt32(position) }
      }
    }
    let total = UInt32(length + mask.nonzeroBitCount)
    return total | UInt32(length) << 6 | UInt32(index) << 11 | mask << 21 | escapes << 25
  }

  private static func power(_ line: Int) -> Float {
    let magnitude = Quantisation.power43[abs(line)]
    return line < 0 ? -magnitude : magnitude
  }

  private static func quads(_ book: HuffmanBook) -> [SIMD4<Float>] {
    book.lengths.indices.map { SIMD4(book.lines(at: $0).map(power)) }
  }

  private static func pairs(_ book: HuffmanBook) -> [SIMD2<Float>] {
    book.lengths.indices.map { SIMD2(book.lines(at: $0).map(power)) }
  }

  private static func quadSigns() -> [SIMD4<UInt32>] {
    (0..<256).map { SIMD4(signs(lines: 4, mask: $0 >> 4, bits: $0 & 15)) }
  }

  private static func pairSigns() -> [SIMD2<UInt32>] {
    (0..<16).map { SIMD2(signs(lines: 2, mask: $0 >> 2, bits: $0 & 3)) }
  }

  /// The sign bits of floats: lines in `mask` take successive bits, the highest first.
  private static func signs(lines: Int, mask: Int, bits: Int) -> [UInt32] {
    var next = lines - 1
    return (0..<lines).map { line in
      guard mask >> line & 1 == 1 else { return 0 }
      next -= 1
      return bits >> (next + 1) & 1 == 1 ? 0x8000_0000 : 0
    }
  }
}
