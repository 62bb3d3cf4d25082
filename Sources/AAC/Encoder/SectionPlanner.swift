/// Divides the bands of a channel into sections that share a Huffman book.
///
/// A section costs nine bits (seven in short windows) to announce, so a band may do better in its neighbour's book than
/// in its own best one. The cheapest division of each group is found by dynamic programming.
///
/// Source: ISO/IEC 14496-3, 4.4.2.7 (section_data), 4.6.3.
final class SectionPlanner {
  /// The books, and a place each for noise and intensity, whose books have other numbers.
  static let bookCount = 15
  static let noise = 12
  static let intensityOutOfPhase = 13
  static let intensity = 14
  private static let bandCount = FrameLayout.largestBandCount
  /// Stands for the bits of a book that cannot hold a band.
  static let none: Int32 = 1 << 24

  private let costs = ExactCosts.shared
  /// Bits of each band in each book.
  private let bits = AlignedMemory<Int32>(bandCount * bookCount)
  /// The book of the previous band on the cheapest path, for each band and book.
  private let origins = AlignedMemory<Int8>(bandCount * bookCount)

  /// Chooses books. Bands with a negative scalefactor are empty, noise, or multiples of the other channel's.
  ///
  /// - Returns: bits of the sections and of their lines.
  func plan(_ channel: ChannelSpectrum, _ layout: FrameLayout) -> Int {
    measure(channel, layout)
    var total = 0
    for group in 0..<layout.groups.count {
      let first = group * layout.bandsPerGroup
      total += plan(channel, bands: first..<(first + layout.bandsPerGroup), runBits: layout.sectionRunBits)
    }
    return total
  }

  private func measure(_ channel: ChannelSpectrum, _ layout: FrameLayout) {
    for band in 0..<layout.bandCount {
      let row = bits.from(band * SectionPlanner.bookCount)
      row.update(repeating: SectionPlanner.none, count: SectionPlanner.bookCount)
      guard channel.scalefactors[band] >= 0 else {
        let book =
          switch channel.scalefactors[band] {
          case ChannelSpectrum.noise: SectionPlanner.noise
          case ChannelSpectrum.intensity: SectionPlanner.intensity
          case ChannelSpectrum.intensityOutOfPhase: SectionPlanner.intensityOutOfPhase
          default: Codebook.zero
          }
        (row + book).update(repeating: 0, count: 1)
        continue
      }
      let from = layout.offsets[band]
      costs.measure(channel.quantised.from(from), count: layout.offsets[band + 1] - from, to: row)
    }
  }

  private func plan(_ channel: ChannelSpectrum, bands: Range<Int>, runBits: Int) -> Int {
    let opening = Int32(4 + runBits)
    var totals = InlineArray<15, Int32>(repeating: SectionPlanner.none)
    var cheapest: Int32 = 0
    var cheapestBook: Int8 = -1
    for band in bands {
      var nextCheapest = Int32.max
      var nextBook: Int8 = 0
      // A row of each, as long as there are books.
      let (row, count) = (band * Self.bookCount, Self.bookCount)
      let (bits, origins) = unsafe (bits.pointer(at: row, count: count), origins.pointer(at: row, count: count))
      let opened = cheapest + opening
      var book = 0
      while book < SectionPlanner.bookCount {
        let carriesOn = totals[book] <= opened
        let total = unsafe (carriesOn ? totals[book] : opened) + bits[book]
        unsafe origins[book] = carriesOn ? Int8(truncatingIfNeeded: book) : cheapestBook
        totals[book] = total < SectionPlanner.none ? total : SectionPlanner.none
        if total < nextCheapest { (nextCheapest, nextBook) = (total, Int8(truncatingIfNeeded: book)) }
        book &+= 1
      }
      (cheapest, cheapestBook) = (nextCheapest, nextBook)
    }
    var book = cheapestBook
    for band in bands.reversed() {
      channel.books[band] =
        switch Int(book) {
        case SectionPlanner.noise: Int32(Codebook.noise)
        case SectionPlanner.intensity: Int32(Codebook.intensity)
        case SectionPlanner.intensityOutOfPhase: Int32(Codebook.intensityOutOfPhase)
        default: Int32(book)
        }
      book = origins[band * SectionPlanner.bookCount + Int(book)]
    }
    return Int(cheapest) + longRunBits(channel, bands: bands, runBits: runBits)
  }

  /// Bits of continued runs, which the planning ignored.
  private func longRunBits(_ channel: ChannelSpectrum, bands: Range<Int>, runBits: Int) -> Int {
    let escape = (1 << runBits) - 1
    var total = 0
    var run = 0
    for band in bands {
      run += 1
      if band + 1 == bands.upperBound || channel.books[band + 1] != channel.books[band] {
        total += run / escape * runBits
        run = 0
      }
    }
    return total
  }
}

/// Exact bits of quantised lines in every book that can hold them.
struct ExactCosts: Sendable {
  private typealias Quads = LookupTable<7, UInt32>
  private typealias Pairs = LookupTable<9, UInt32>

  /// Lengths of two books side by side, for the index that both share.
  private let signedQuads = Quads(wrapped(lengths(1, 2), 128))
  private let quads = Quads(lengths(3, 4))
  private let signedPairs = Pairs(wrapped(lengths(5, 6), 512))
  private let pairs7 = Pairs(lengths(7, 8))
  private let pairs12 = Pairs(lengths(9, 10))
  private let pairs16 = Pairs(lengths(11, 11))

  static let shared = ExactCosts()

  private init() {}

  /// A signed book's lengths for indexes from -40 to 40, of which the table sees the lowest bits: the negative ones
  /// become the last of it.
  private static func wrapped(_ lengths: [UInt32], _ size: Int) -> [UInt32] {
    lengths[40...] + [UInt32](repeating: 0, count: size - 81) + lengths[..<40]
  }

  private static func lengths(_ low: Int, _ high: Int) -> [UInt32] {
    let (first, second) = (HuffmanBook.spectral(low), HuffmanBook.spectral(high))
    return first.lengths.indices.map { index in
      let signs = first.isSigned ? 0 : first.lines(at: index).count { $0 != 0 }
      return UInt32(Int(first.lengths[index]) + signs) | UInt32(Int(second.lengths[index]) + signs) << 16
    }
  }

  /// Bits of a band, a multiple of four lines, for the books from 1 on that can hold it.
  ///
  /// That the lines and the row of books exist is checked here; the sums read just these lines.
  func measure(_ lines: MemoryPart<Int32>, count: Int, to row: MemoryPart<Int32>) {
    let (lines, row) = unsafe (lines.pointer(count: count), row.pointer(count: 12))
    var largest: Int32 = 0
    var at = 0
    while at < count {
      let magnitude = unsafe ExactCosts.magnitude(lines[at])
      if magnitude > largest { largest = magnitude }
      at &+= 1
    }
    if largest <= 1 { unsafe put(sumQuads(lines, count, signed: true), row, 1) }
    if largest <= 2 { unsafe put(sumQuads(lines, count, signed: false), row, 3) }
    if largest <= 4 { unsafe put(sumSignedPairs(lines, count), row, 5) }
    if largest <= 7 { unsafe put(sumPairs(pairs7, 8, lines, count), row, 7) }
    if largest <= 12 { unsafe put(sumPairs(pairs12, 13, lines, count), row, 9) }
    unsafe row[11] = escapes(lines, count)
  }

  /// Like `abs`, which is a call without optimisation.
  @inline(__always)
  private static func magnitude(_ line: Int32) -> Int32 { line < 0 ? 0 &- line : line }

  @inline(__always)
  private func put(_ sum: UInt32, _ row: UnsafeMutablePointer<Int32>, _ book: Int) {
    unsafe row[book] = Int32(sum & 0xFFFF)
    unsafe row[book + 1] = Int32(sum >> 16)
  }

  @inline(__always)
  private func sumQuads(_ q: UnsafePointer<Int32>, _ count: Int, signed: Bool) -> UInt32 {
    var sum: UInt32 = 0
    let table = signed ? signedQuads : quads
    var at = 0
    while at < count {
      var (a, b, c, d) = unsafe (q[at], q[at &+ 1], q[at &+ 2], q[at &+ 3])
      if !signed {
        if a < 0 { a = 0 &- a }
        if b < 0 { b = 0 &- b }
        if c < 0 { c = 0 &- c }
        if d < 0 { d = 0 &- d }
      }
      sum &+= table[Int(((a &* 3 &+ b) &* 3 &+ c) &* 3 &+ d)]
      at &+= 4
    }
    return sum
  }

  @inline(__always)
  private func sumSignedPairs(_ q: UnsafePointer<Int32>, _ count: Int) -> UInt32 {
    var sum: UInt32 = 0
    let table = signedPairs
    var at = 0
    while at < count {
      unsafe sum &+= table[Int(q[at] &* 9 &+ q[at &+ 1])]
      at &+= 2
    }
    return sum
  }

  @inline(__always)
  private func sumPairs(_ table: Pairs, _ radix: Int32, _ q: UnsafePointer<Int32>, _ count: Int)
    -> UInt32
  {
    var sum: UInt32 = 0
    var at = 0
    while at < count {
      let (x, y) = unsafe (q[at], q[at &+ 1])
      sum &+= table[Int((x < 0 ? 0 &- x : x) &* radix &+ (y < 0 ? 0 &- y : y))]
      at &+= 2
    }
    return sum
  }

  private func escapes(_ q: UnsafePointer<Int32>, _ count: Int) -> Int32 {
    var sum: Int32 = 0
    let table = pairs16
    var at = 0
    while at < count {
      let (x, y) = unsafe (q[at] < 0 ? 0 &- q[at] : q[at], q[at &+ 1] < 0 ? 0 &- q[at &+ 1] : q[at &+ 1])
      sum &+= Int32(truncatingIfNeeded: table[Int((x < 16 ? x : 16) &* 17 &+ (y < 16 ? y : 16))] & 0xFFFF)
      if x > 15 || y > 15 {
        sum &+= Int32(truncatingIfNeeded: BandQuantiser.escapeBits(x) &+ BandQuantiser.escapeBits(y))
      }
      at &+= 2
    }
    return sum
  }
}
