import TestSupport
import Testing

@testable import AAC

/// What lines cost and become in each book, beside the books' own tables.
@Suite("AAC encoder: bits of lines in the books", .inTurn)
struct EncoderBitsTests {
  /// Lines as a book codes them, in ones and zeros; `nil` if it cannot hold them.
  ///
  /// Source: ISO/IEC 14496-3, 4.6.3.3.
  private func text(of lines: [Int], book number: Int) -> String? {
    let book = HuffmanBook.spectral(number)
    let holdsAll = number == Codebook.escape
    guard holdsAll || lines.allSatisfy({ abs($0) <= book.largest }) else { return nil }
    var text = ""
    for first in stride(from: 0, to: lines.count, by: book.dimension) {
      let group = lines[first..<(first + book.dimension)]
      let index = book.index(of: group.map { book.isSigned ? $0 : min(abs($0), book.largest) })
      text += binary(book.codes[index], digits: Int(book.lengths[index]))
      if !book.isSigned { for line in group where line != 0 { text += line < 0 ? "1" : "0" } }
      guard holdsAll else { continue }
      for line in group where abs(line) >= Codebook.escapeFlag {
        let digits = String(abs(line), radix: 2)
        text += String(repeating: "1", count: digits.count - 5) + "0" + digits.dropFirst()
      }
    }
    return text
  }

  private func binary(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number, radix: 2)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// Lines of which the largest has this magnitude.
  private func lines(_ count: Int, largest: Int, _ noise: inout TestSupport.Noise) -> [Int] {
    var lines = (0..<count).map { _ in Int.random(in: -largest...largest, using: &noise) }
    lines[Int.random(in: 0..<count, using: &noise)] = Bool.random(using: &noise) ? largest : -largest
    return lines
  }

  @Test(
    "the bits of lines in each book are counted, and written, as the book says",
    arguments: [0, 1, 2, 3, 4, 5, 7, 8, 12, 13, 15, 16, 17, 31, 32, 1000, Codebook.largestMagnitude])
  func books(largest: Int) {
    var noise = TestSupport.Noise(seed: UInt64(largest))
    let words = CodeWords()
    for count in [4, 8, 32, 96] {
      let lines = lines(count, largest: largest, &noise)
      let (quantised, row) = (AlignedMemory<Int32>(lines.map { Int32($0) }), AlignedMemory<Int32>(16))
      row.all.update(repeating: SectionPlanner.none, count: 16)
      ExactCosts.shared.measure(quantised.all, count: count, to: row.all)
      for book in 1...11 {
        let expected = text(of: lines, book: book)
        #expect(row[book] == expected.map { Int32($0.utf8.count) } ?? SectionPlanner.none, "book \(book), \(lines)")
        guard let expected else { continue }
        var bits = PacketBitWriter(AlignedMemory(1024))
        words.write(quantised.all, count: count, book: book, to: &bits)
        #expect(bits.position == expected.utf8.count)
        let written = bits.finish().map { binary($0, digits: 8) }.joined()
        #expect(written.hasPrefix(expected), "book \(book), \(lines)")
      }
    }
  }

  @Test("sections are as short as the best of all divisions", arguments: 0..<20)
  func sections(seed: Int) {
    var noise = TestSupport.Noise(seed: UInt64(seed))
    let layout = FrameLayout(long: ScalefactorBands(frequencyIndex: 4, isShort: false), used: 6)
    let channel = ChannelSpectrum()
    // What each band takes in each book that it may have.
    var costs: [[Int: Int]] = []
    for band in 0..<layout.bandCount {
      let (from, count) = (layout.offsets[band], layout.offsets[band + 1] - layout.offsets[band])
      guard !noise.once(in: 4) else {
        channel.scalefactors[band] = ChannelSpectrum.empty
        costs.append([Codebook.zero: 0])
        continue
      }
      guard !noise.once(in: 4) else {
        channel.scalefactors[band] = ChannelSpectrum.noise
        costs.append([Codebook.noise: 0])
        continue
      }
      channel.scalefactors[band] = 100
      let lines = lines(count, largest: [1, 2, 4, 7, 12, 20].randomElement(using: &noise) ?? 1, &noise)
      for (index, line) in lines.enumerated() { channel.quantised[from + index] = Int32(line) }
      let books = (1...11).compactMap { book in text(of: lines, book: book).map { (book, $0.utf8.count) } }
      costs.append(Dictionary(uniqueKeysWithValues: books))
    }
    /// The cheapest way to code the bands from one on, after a section of a book.
    func cheapest(from band: Int, after last: Int?) -> Int {
      guard band < costs.count else { return 0 }
      return costs[band].map { book, bits in
        bits + (book == last ? 0 : 4 + 5) + cheapest(from: band + 1, after: book)
      }.min() ?? .max
    }
    let total = SectionPlanner().plan(channel, layout)
    #expect(total == cheapest(from: 0, after: nil))
    let books = (0..<layout.bandCount).map { Int(channel.books[$0]) }
    let chosen = books.indices.reduce(0) { sum, band in
      sum + (costs[band][books[band]] ?? .max / 100) + (band > 0 && books[band] == books[band - 1] ? 0 : 4 + 5)
    }
    #expect(total == chosen, "\(books)")
  }

  @Test("a band's bits are the mean over all signs in the cheaper book, and its noise is that of the decoder's values")
  func quantiser() {
    var noise = TestSupport.Noise(seed: 3)
    let quantiser = BandQuantiser(costs: .shared)
    for scalefactor in stride(from: 60, through: 160, by: 5) {
      let channel = ChannelSpectrum()
      let layout = FrameLayout(long: ScalefactorBands(frequencyIndex: 4, isShort: false), used: 30)
      for index in 0..<1024 { channel.lines[index] = Float.random(in: -40...40, using: &noise) }
      channel.prepare(layout)
      for band in 0..<layout.bandCount {
        let (from, count) = (layout.offsets[band], layout.offsets[band + 1] - layout.offsets[band])
        quantiser.quantise(channel, from: from, count: count, scalefactor: scalefactor)
        let cost = unsafe quantiser.cost(
          channel.lines.pointer(at: from, count: count), channel.powers.pointer(at: from, count: count), count: count,
          scalefactor: scalefactor, peak: channel.peaks[band])
        let lines = (from..<(from + count)).map { Int(channel.quantised[$0]) }
        let largest = lines.map(abs).max() ?? 0
        guard largest > 0 else {
          #expect(cost.bits == 0 && cost.noise == .infinity)
          continue
        }
        let gain = Quantisation.gain(quarters: scalefactor - Quantisation.scalefactorOffset)
        let expected = lines.indices.reduce(0.0) { sum, index in
          let value = Double(Quantisation.power43[abs(lines[index])]) * gain
          let difference = Double(abs(channel.lines[from + index])) - value
          return sum + difference * difference
        }
        #expect(abs(Double(cost.noise) - expected) < 1e-4 * (expected + Double(channel.energies[band])))
        // The first of the two books that hold the largest magnitude.
        let first =
          switch largest {
          case 1: 1
          case 2: 3
          case ...4: 5
          case ...7: 7
          case ...12: 9
          default: 11
          }
        let means = [first, min(first + 1, 11)].map { meanBits(lines, book: $0) }
        #expect(Double(cost.bits) == means.min(), "\(lines)")
      }
    }
  }

  /// The mean of the bits over all signs of each group of lines.
  private func meanBits(_ lines: [Int], book number: Int) -> Double {
    let book = HuffmanBook.spectral(number)
    guard book.isSigned else { return Double(text(of: lines, book: number)?.utf8.count ?? 0) }
    return stride(from: 0, to: lines.count, by: book.dimension).reduce(0) { sum, first in
      let group = Array(lines[first..<(first + book.dimension)])
      let all = (0..<(1 << group.count)).map { signs in
        text(of: group.indices.map { signs >> $0 & 1 == 1 ? -group[$0] : group[$0] }, book: number)?.utf8.count ?? 0
      }
      return sum + Double(all.reduce(0, +)) / Double(all.count)
    }
  }
}
