/// Divides the bands of a channel into sections that share a Huffman book.
///
/// A section costs nine bits (seven in short windows) to announce, so a band may do better in its neighbour's book than
/// in its own best one. The cheapest division of each group is found by dynamic programming.
///
/// Source: ISO/IEC 14496-3, 4.4.2.7 (section_data), 4.6.3.
final class SectionPlanner {
  /// The places of noise and intensity, whose books have other numbers, in a row of books.
  static let noise = 12
  static let intensityOutOfPhase = 13
  static let intensity = 14
  private static let bandCount = FrameLayout.largestBandCount
  /// Elements of a row of books: a power of two, for vectors.
  private static let rowLength = 16
  /// Stands for the bits of a book that cannot hold a band.
  static let none: Int32 = 1 << 24

  private let costs = ExactCosts.shared
  /// Bits of each band in each book.
  private let bits = AlignedMemory<Int32>(bandCount * rowLength)
  /// The cheapest path to each band and book, whose lowest bits are the book of the band before.
  private let origins = AlignedMemory<Int32>(bandCount * rowLength)

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
      let row = bits.from(band * SectionPlanner.rowLength)
      row.update(repeating: SectionPlanner.none, count: SectionPlanner.rowLength)
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

  /// Plans the sections of a group.
  ///
  /// A path is a number: what it costs, and in the lowest five bits how it came about. So the cheaper one of two paths
  /// is their minimum, which vectors find for four books at once. The lowest four bits are the book of its last band;
  /// the fifth is set where a section opens, so that of two paths that cost the same, the one that carries on wins.
  private func plan(_ channel: ChannelSpectrum, bands: Range<Int>, runBits: Int) -> Int {
    let opening = Int32(4 + runBits) &<< 5 | 16
    var paths = InlineArray<16, Int32>(repeating: SectionPlanner.none &<< 5)
    var cheapest: Int32 = 0
    for band in bands {
      // A row of each, as long as there are books.
      let (row, count) = (band * Self.rowLength, Self.rowLength)
      let (bits, origins) = unsafe (bits.pointer(at: row, count: count), origins.pointer(at: row, count: count))
      let opened = cheapest &+ opening
      cheapest = .max
      var book: Int32 = 0
      while book < 16 {
        let index = Int(book)
        let path = min(paths[index], opened)
        unsafe origins[index] = path
        let longer = unsafe (path & ~31) &+ (bits[index] &<< 5) &+ book
        paths[index] = longer
        cheapest = min(cheapest, longer)
        book &+= 1
      }
    }
    var book = cheapest & 15
    for band in bands.reversed() {
      channel.books[band] =
        switch Int(book) {
        case SectionPlanner.noise: Int32(Codebook.noise)
        case SectionPlanner.intensity: Int32(Codebook.intensity)
        case SectionPlanner.intensityOutOfPhase: Int32(Codebook.intensityOutOfPhase)
        default: Int32(book)
        }
      book = origins[band * SectionPlanner.rowLength + Int(book)] & 15
    }
    return Int(cheapest &>> 5) + longRunBits(channel, bands: bands, runBits: runBits)
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
