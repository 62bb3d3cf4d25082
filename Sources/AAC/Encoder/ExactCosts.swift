/// Exact bits of quantised lines in every book that can hold them.
///
/// A lookup gives the lengths in several books at once, 16 bits for each, and so does their sum: a band has less than
/// 2^16 bits in any book.
struct ExactCosts: Sendable {
  /// Lengths in books 5 to 11, which code pairs of lines: four in the first word, three in the other.
  private struct Lengths: BitwiseCopyable {
    var upTo8: UInt64 = 0
    var from9: UInt64 = 0

    @inline(__always)
    static func &+= (sum: inout Lengths, lengths: Lengths) {
      sum.upTo8 &+= lengths.upTo8
      sum.from9 &+= lengths.from9
    }
  }

  /// Four lines up to 1: their lengths in books 1 to 4, and in those of pairs. The index is signed, in base 3.
  private let quads1: LookupTable<7, UInt64>
  private let quads1InPairs: LookupTable<7, Lengths>
  /// Four lines up to 2, in books 3 and 4. The index is of magnitudes, in base 3.
  private let quads2: LookupTable<7, UInt64>
  /// Two lines up to 4. The index is signed, in base 9.
  private let pairs4: LookupTable<7, Lengths>
  /// Two lines up to 15, in books from 7 on. The index is of magnitudes, in base 16.
  private let pairs15: LookupTable<8, Lengths>
  /// Two lines, of which those from 16 on are escapes, in book 11. The index is of magnitudes up to 16, in base 17.
  private let escapes: LookupTable<9, UInt32>

  static let shared = ExactCosts()

  private init() {
    let quads = (0..<81).map { HuffmanBook.spectral(1).lines(at: $0) }
    quads1 = LookupTable(ExactCosts.wrapped(quads.map { ExactCosts.packed($0, 1...4) }, fill: 0))
    quads1InPairs = LookupTable(
      ExactCosts.wrapped(
        quads.map { lines in
          var sum = ExactCosts.lengths(lines[..<2])
          sum &+= ExactCosts.lengths(lines[2...])
          return sum
        }, fill: Lengths()))
    quads2 = LookupTable((0..<81).map { ExactCosts.packed([$0 / 27, $0 / 9 % 3, $0 / 3 % 3, $0 % 3], 3...4) })
    let pairs = (-4...4).flatMap { x in (-4...4).map { y in ExactCosts.lengths([x, y]) } }
    pairs4 = LookupTable(ExactCosts.wrapped(pairs, fill: Lengths()))
    pairs15 = LookupTable((0..<256).map { ExactCosts.lengths([$0 / 16, $0 % 16]) })
    escapes = LookupTable((0..<289).map { UInt32(ExactCosts.length([$0 / 17, $0 % 17], 11)) })
  }

  /// Entries for indexes from -40 to 40, of which the table sees the lowest seven bits: the negative ones become the
  /// last of it.
  private static func wrapped<Entry>(_ entries: [Entry], fill: Entry) -> [Entry] {
    entries[40...] + [Entry](repeating: fill, count: 128 - 81) + entries[..<40]
  }

  /// Bits of lines in a book, signs included; 0 if it cannot hold them.
  private static func length(_ lines: some Collection<Int>, _ number: Int) -> UInt64 {
    let book = HuffmanBook.spectral(number)
    guard lines.allSatisfy({ abs($0) <= book.largest }) else { return 0 }
    let signs = book.isSigned ? 0 : lines.count { $0 != 0 }
    return UInt64(Int(book.lengths[book.index(of: book.isSigned ? lines.map { $0 } : lines.map(abs))]) + signs)
  }

  private static func packed(_ lines: some Collection<Int>, _ books: ClosedRange<Int>) -> UInt64 {
    books.reversed().reduce(0) { $0 << 16 | length(lines, $1) }
  }

  private static func lengths(_ lines: some Collection<Int>) -> Lengths {
    Lengths(upTo8: packed(lines, 5...8), from9: packed(lines, 9...11))
  }

  /// Bits of a band, a multiple of four lines, for the books from 1 on that can hold it.
  ///
  /// That the lines and the row of books exist is checked here; the sums read just these lines.
  func measure(_ lines: MemoryPart<Int32>, count: Int, to row: MemoryPart<Int32>) {
    let (lines, row) = unsafe (lines.pointer(count: count), row.pointer(count: 12))
    var largest: Int32 = 0
    var at = 0
    while at < count {
      unsafe largest = max(largest, magnitude(lines[at]))
      at &+= 1
    }
    switch largest {
    case ...1: unsafe measureUpTo1(lines, count, row)
    case ...2:
      unsafe put(sumQuads(lines, count), 3...4, row)
      unsafe put(sumPairsUpTo4(lines, count), from: 5, row)
    case ...4: unsafe put(sumPairsUpTo4(lines, count), from: 5, row)
    case ...7: unsafe put(sumPairsUpTo15(lines, count), from: 7, row)
    case ...12: unsafe put(sumPairsUpTo15(lines, count), from: 9, row)
    case ...15: unsafe put(sumPairsUpTo15(lines, count), from: 11, row)
    default: unsafe row[11] = sumEscapes(lines, count)
    }
  }

  /// Writes the lengths of books in a row, of which the first one's is in the lowest bits.
  @inline(__always)
  private func put(_ lengths: UInt64, _ books: ClosedRange<Int>, _ row: UnsafeMutablePointer<Int32>) {
    var (book, rest) = (books.lowerBound, lengths)
    while book <= books.upperBound {
      unsafe row[book] = Int32(rest & 0xFFFF)
      rest &>>= 16
      book &+= 1
    }
  }

  @inline(__always)
  private func put(_ lengths: Lengths, from first: Int, _ row: UnsafeMutablePointer<Int32>) {
    if first < 9 { unsafe put(lengths.upTo8 &>> UInt64(16 * (first - 5)), first...8, row) }
    let books = max(first, 9)...11
    unsafe put(lengths.from9 &>> UInt64(16 * (books.lowerBound - 9)), books, row)
  }

  private func measureUpTo1(_ q: UnsafePointer<Int32>, _ count: Int, _ row: UnsafeMutablePointer<Int32>) {
    var (quads, pairs) = (UInt64(0), Lengths())
    var at = 0
    while at < count {
      let index = unsafe Int(((q[at] &* 3 &+ q[at &+ 1]) &* 3 &+ q[at &+ 2]) &* 3 &+ q[at &+ 3])
      quads &+= quads1[index]
      pairs &+= quads1InPairs[index]
      at &+= 4
    }
    unsafe put(quads, 1...4, row)
    unsafe put(pairs, from: 5, row)
  }

  private func sumQuads(_ q: UnsafePointer<Int32>, _ count: Int) -> UInt64 {
    var sum: UInt64 = 0
    var at = 0
    while at < count {
      let (a, b) = unsafe (magnitude(q[at]), magnitude(q[at &+ 1]))
      let (c, d) = unsafe (magnitude(q[at &+ 2]), magnitude(q[at &+ 3]))
      sum &+= quads2[Int(((a &* 3 &+ b) &* 3 &+ c) &* 3 &+ d)]
      at &+= 4
    }
    return sum
  }

  /// - Parameter lengths: those of two lines.
  @inline(__always)
  private func sumPairs(
    _ q: UnsafePointer<Int32>, _ count: Int, _ lengths: (Int32, Int32) -> Lengths
  ) -> Lengths {
    var sum = Lengths()
    var at = 0
    while at < count {
      unsafe sum &+= lengths(q[at], q[at &+ 1])
      at &+= 2
    }
    return sum
  }

  private func sumPairsUpTo4(_ q: UnsafePointer<Int32>, _ count: Int) -> Lengths {
    unsafe sumPairs(q, count) { pairs4[Int($0 &* 9 &+ $1)] }
  }

  private func sumPairsUpTo15(_ q: UnsafePointer<Int32>, _ count: Int) -> Lengths {
    unsafe sumPairs(q, count) { pairs15[Int(magnitude($0) &* 16 &+ magnitude($1))] }
  }

  private func sumEscapes(_ q: UnsafePointer<Int32>, _ count: Int) -> Int32 {
    var sum: Int32 = 0
    var at = 0
    while at < count {
      let (x, y) = unsafe (magnitude(q[at]), magnitude(q[at &+ 1]))
      sum &+= Int32(truncatingIfNeeded: escapes[Int((x < 16 ? x : 16) &* 17 &+ (y < 16 ? y : 16))])
      if x > 15 || y > 15 {
        sum &+= Int32(truncatingIfNeeded: BandQuantiser.escapeBits(x) &+ BandQuantiser.escapeBits(y))
      }
      at &+= 2
    }
    return sum
  }
}
