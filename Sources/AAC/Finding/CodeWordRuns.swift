/// How many whole code words the next bits begin with, and how many bits these take, signs included: passing over
/// several at once is faster than one by one.
///
/// An entry has the number of words in its lowest three bits, 0 if the first one is longer or has an escape, and the
/// number of bits above them.
struct CodeWordRuns: Sendable {
  /// The entries of a book.
  typealias Runs = LookupTable<12, UInt8>

  /// Bits of an entry's index.
  static let bits: UInt64 = 12
  /// The most words of an entry.
  private static let maximumCount = 7

  /// The entries by book, 1 to 11.
  private let books: LookupTable<4, Runs>

  static let shared = CodeWordRuns()

  private init() {
    // There is no book 0; 1 takes its place.
    let numbers = [1] + Array(1...Codebook.escape)
    books = LookupTable(numbers.map { Runs(CodeWordRuns.runs(SpectralLookup.shared.book($0))) })
  }

  /// The entries of a book, numbered from 1.
  @inline(__always)
  func runs(_ book: Int) -> Runs { books[book] }

  private static func runs(_ book: SpectralLookup.Book) -> [UInt8] {
    (0..<(1 << Int(bits))).map { index in
      var rest = UInt64(index) << (64 - bits)
      var (count, width) = (0, 0)
      while count < maximumCount {
        let entry = book[Int(rest >> (64 - SpectralLookup.firstBits))]
        let length = Int(entry & 63)
        // Beyond the index, its bits are not those of the packet.
        guard length > 0, entry >> 25 == 0, width + length <= Int(bits) else { break }
        rest <<= UInt64(length)
        width += length
        count += 1
      }
      return UInt8(width << 3 | count)
    }
  }
}
