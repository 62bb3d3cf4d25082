/// The code words of all books.
struct CodeWords {
  let scalefactors = HuffmanBook.scalefactor
  private let spectral = CodeWords.allSpectral

  /// Length and code word of each index, in the high and the low half.
  private static let allSpectral = (1...11).map { number in
    let book = HuffmanBook.spectral(number)
    return LookupTable<9, UInt32>(zip(book.lengths, book.codes).map { UInt32($0) << 16 | $1 })
  }

  /// Writes the lines of a band: a multiple of 4, and so of a book's dimension, which are checked to exist.
  func write(_ lines: MemoryPart<Int32>, count: Int, book number: Int, to bits: inout PacketBitWriter) {
    let lines = unsafe lines.pointer(count: count)
    let words = spectral[number - 1]
    switch number {
    case 1, 2: unsafe writeSignedQuads(lines, count, words, &bits)
    case 3, 4: unsafe writeQuads(lines, count, words, &bits)
    case 5, 6: unsafe writeSignedPairs(lines, count, words, &bits)
    case 7, 8: unsafe writePairs(lines, count, words, largest: 7, &bits)
    case 9, 10: unsafe writePairs(lines, count, words, largest: 12, &bits)
    default: unsafe writePairs(lines, count, words, largest: Int32(Codebook.escapeFlag), &bits)
    }
  }

  private func writeSignedQuads(
    _ q: UnsafePointer<Int32>, _ count: Int, _ words: LookupTable<9, UInt32>, _ bits: inout PacketBitWriter
  ) {
    var at = 0
    while at < count {
      let index = unsafe ((q[at] &* 3 &+ q[at &+ 1]) &* 3 &+ q[at &+ 2]) &* 3 &+ q[at &+ 3] &+ 40
      let word = words[Int(index)]
      bits.append(word & 0xFFFF, Int(word &>> 16))
      at &+= 4
    }
  }

  private func writeQuads(
    _ q: UnsafePointer<Int32>, _ count: Int, _ words: LookupTable<9, UInt32>, _ bits: inout PacketBitWriter
  ) {
    var at = 0
    while at < count {
      let (a, b, c, d) = unsafe (q[at], q[at &+ 1], q[at &+ 2], q[at &+ 3])
      let (high, low) = (magnitude(a) &* 3 &+ magnitude(b), magnitude(c) &* 3 &+ magnitude(d))
      var word = Word(words[Int(high &* 9 &+ low)])
      word.addSign(a)
      word.addSign(b)
      word.addSign(c)
      word.addSign(d)
      bits.append(word.code, word.length)
      at &+= 4
    }
  }

  private func writeSignedPairs(
    _ q: UnsafePointer<Int32>, _ count: Int, _ words: LookupTable<9, UInt32>, _ bits: inout PacketBitWriter
  ) {
    var at = 0
    while at < count {
      let word = unsafe words[Int(q[at] &* 9 &+ q[at &+ 1] &+ 40)]
      bits.append(word & 0xFFFF, Int(word &>> 16))
      at &+= 2
    }
  }

  private func writePairs(
    _ q: UnsafePointer<Int32>, _ count: Int, _ words: LookupTable<9, UInt32>, largest: Int32,
    _ bits: inout PacketBitWriter
  ) {
    var at = 0
    while at < count {
      let (x, y) = unsafe (q[at], q[at &+ 1])
      let index = min(magnitude(x), largest) &* (largest &+ 1) &+ min(magnitude(y), largest)
      var word = Word(words[Int(index)])
      word.addSign(x)
      word.addSign(y)
      bits.append(word.code, word.length)
      if largest == Codebook.escapeFlag {
        writeEscape(x.magnitude, &bits)
        writeEscape(y.magnitude, &bits)
      }
      at &+= 2
    }
  }

  /// Ones and a zero that give the number of bits that follow, and the value without its leading one.
  private func writeEscape(_ magnitude: UInt32, _ bits: inout PacketBitWriter) {
    guard magnitude >= UInt32(Codebook.escapeFlag) else { return }
    let width = 31 - magnitude.leadingZeroBitCount
    bits.append((1 << (width - 3)) - 2, width - 3)
    bits.append(magnitude - (1 << UInt32(width)), width)
  }

  /// A code word of magnitudes, and the signs that follow it.
  private struct Word {
    var code: UInt32
    var length: Int

    @inline(__always)
    init(_ entry: UInt32) { (code, length) = (entry & 0xFFFF, Int(entry &>> 16)) }

    /// Adds the sign of a line that is not 0. Without branches: which lines are 0 is hard to predict.
    @inline(__always)
    mutating func addSign(_ line: Int32) {
      let count: UInt32 = line == 0 ? 0 : 1
      code = code &<< count | UInt32(bitPattern: line) &>> 31
      length &+= Int(count)
    }
  }
}

/// Like `abs`, which is a call without optimisation.
@inline(__always)
func magnitude(_ line: Int32) -> Int32 { line < 0 ? 0 &- line : line }
