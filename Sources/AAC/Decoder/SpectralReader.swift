/// Reads the quantised lines of scalefactor bands and scales them.
///
/// The loops advance by four lines: a code word of four, or two of two, fit into one refill of the bit cache. Signs are
/// taken all at once from a table, so that nothing branches on noise.
///
/// All stores go to the `lines` floats from `target` on, which `read` has checked to exist.
///
/// Source: ISO/IEC 14496-3, 4.6.3.3.
struct SpectralReader {
  let tables = SpectralLookup.shared

  /// Reads a band.
  ///
  /// - Parameters:
  ///   - book: 1 to 11.
  ///   - gain: the factor for every line.
  ///   - lines: how many lines, a multiple of 4, `PacketBitReader.longestBand` at most.
  ///   - target: the spectrum.
  ///   - start: the band's first line in the spectrum, a multiple of 4.
  /// - Returns: whether all escapes were valid.
  ///
  /// Unsafe, as the cache is: its reader has to live, its position has to be within the packet, and start and number of
  /// lines have to be those of a band, which `StreamTables.Bands` has checked.
  @inline(__always)
  @unsafe func read(
    _ cache: inout BitCache, book: Int, gain: Float, lines: Int, to target: AlignedMemory<Float>, at start: Int
  ) -> Bool {
    let target = unsafe target.pointer(at: start, count: lines)
    switch book {
    case 1, 2: unsafe readSignedQuads(&cache, tables.book(book), gain, lines, target)
    case 3, 4: unsafe readUnsignedQuads(&cache, tables.book(book), gain, lines, target)
    case 5, 6: unsafe readSignedPairs(&cache, tables.book(book), gain, lines, target)
    case Codebook.escape: return unsafe readEscapes(&cache, gain, lines, target)
    default: unsafe readUnsignedPairs(&cache, tables.book(book), tables.pairs(book), gain, lines, target)
    }
    return true
  }

  /// The entry of the next code word.
  @inline(__always)
  func entry(_ cache: BitCache, _ book: SpectralLookup.Book) -> UInt32 {
    let first = book[Int(truncatingIfNeeded: cache.bits &>> (64 - SpectralLookup.firstBits))]
    guard first & 63 == 0 else { return first }
    return continued(cache.bits, book, first)
  }

  @inline(never)
  private func continued(_ bits: UInt64, _ book: SpectralLookup.Book, _ first: UInt32) -> UInt32 {
    let width = UInt64(first &>> 6 & 31)
    let tail = (bits &<< SpectralLookup.firstBits) &>> (64 &- width)
    return book[Int(first &>> 11) &+ Int(truncatingIfNeeded: tail)]
  }

  @inline(__always)
  private func readSignedQuads(
    _ cache: inout BitCache, _ book: SpectralLookup.Book, _ gain: Float, _ lines: Int,
    _ target: UnsafeMutablePointer<Float>
  ) {
    for step in 0..<(lines / 4) {
      unsafe cache.refill()
      let entry = entry(cache, book)
      unsafe target.vectors[step] = tables.signedQuads[Int(entry &>> 11 & 1023)] * gain
      cache.consume(UInt64(entry & 63))
    }
  }

  @inline(__always)
  private func readUnsignedQuads(
    _ cache: inout BitCache, _ book: SpectralLookup.Book, _ gain: Float, _ lines: Int,
    _ target: UnsafeMutablePointer<Float>
  ) {
    for step in 0..<(lines / 4) {
      unsafe cache.refill()
      let entry = entry(cache, book)
      let next = (cache.bits &<< UInt64(entry &>> 6 & 31)) &>> 60
      let signs = tables.quadSigns[Int(entry &>> 21 & 15) &<< 4 | Int(truncatingIfNeeded: next)]
      let magnitudes = tables.unsignedQuads[Int(entry &>> 11 & 1023)] * gain
      unsafe target.vectors[step] = SIMD4<Float>(magnitudes.words ^ signs)
      cache.consume(UInt64(entry & 63))
    }
  }

  @inline(__always)
  private func readSignedPairs(
    _ cache: inout BitCache, _ book: SpectralLookup.Book, _ gain: Float, _ lines: Int,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let values = tables.pairs(5)
    for step in 0..<(lines / 4) {
      unsafe cache.refill()
      let first = entry(cache, book)
      cache.consume(UInt64(first & 63))
      let second = entry(cache, book)
      cache.consume(UInt64(second & 63))
      let both = SIMD4(
        lowHalf: values[Int(first &>> 11 & 1023)], highHalf: values[Int(second &>> 11 & 1023)])
      unsafe target.vectors[step] = both * gain
    }
  }

  /// The magnitudes of a pair with their signs.
  @inline(__always)
  private func signedPair(_ cache: BitCache, _ entry: UInt32, _ values: SpectralLookup.Pairs) -> SIMD2<Float> {
    let next = (cache.bits &<< UInt64(entry &>> 6 & 31)) &>> 62
    let signs = tables.pairSigns[Int(entry &>> 21 & 3) &<< 2 | Int(truncatingIfNeeded: next)]
    return SIMD2<Float>(values[Int(entry &>> 11 & 1023)].words ^ signs)
  }

  @inline(__always)
  private func readUnsignedPairs(
    _ cache: inout BitCache, _ book: SpectralLookup.Book, _ values: SpectralLookup.Pairs, _ gain: Float,
    _ lines: Int, _ target: UnsafeMutablePointer<Float>
  ) {
    for step in 0..<(lines / 4) {
      unsafe cache.refill()
      let first = entry(cache, book)
      let low = signedPair(cache, first, values)
      cache.consume(UInt64(first & 63))
      let second = entry(cache, book)
      let high = signedPair(cache, second, values)
      cache.consume(UInt64(second & 63))
      unsafe target.vectors[step] = SIMD4(lowHalf: low, highHalf: high) * gain
    }
  }

  /// - Returns: whether all escapes are valid.
  @inline(__always)
  private func readEscapes(
    _ cache: inout BitCache, _ gain: Float, _ lines: Int, _ target: UnsafeMutablePointer<Float>
  ) -> Bool {
    let (book, values) = (tables.book(Codebook.escape), tables.pairs(Codebook.escape))
    var isWhole = true
    for step in 0..<(lines / 2) {
      unsafe cache.refill()
      let entry = entry(cache, book)
      var pair = signedPair(cache, entry, values)
      cache.consume(UInt64(entry & 63))
      if entry &>> 25 != 0 {
        for index in 0..<2 where entry &>> UInt32(25 + index) & 1 != 0 {
          let escape = escape(cache)
          cache = escape.cache
          isWhole = isWhole && escape.magnitude >= 0
          let magnitude = tables.power43[max(escape.magnitude, 0)]
          pair[index] = pair[index].sign == .minus ? -magnitude : magnitude
        }
      }
      unsafe UnsafeMutableRawPointer(target + 2 * step).storeBytes(of: pair * gain, as: SIMD2<Float>.self)
    }
    return isWhole
  }

  /// Reads a magnitude: as many ones as it has bits beyond four, a zero, and the bits below the highest.
  ///
  /// The cache is passed and returned by value: passed by reference, it would be in memory, not in registers.
  ///
  /// - Returns: a negative magnitude for more ones than there may be.
  @inline(never)
  func escape(_ lent: BitCache) -> (cache: BitCache, magnitude: Int) {
    var cache = lent
    // Called between two refills of a band that may be read.
    unsafe cache.refill()
    let ones = UInt64((~cache.bits).leadingZeroBitCount)
    guard ones <= 8 else { return (cache, -1) }
    cache.consume(ones &+ 1)
    let width = ones &+ 4
    let magnitude = Int(1 &<< width | cache.bits &>> (64 &- width))
    cache.consume(width)
    return (cache, magnitude)
  }

  /// Takes the difference between two scalefactors, -60 to 60, from a cache with 19 bits or more.
  @inline(__always)
  func scalefactorDifference(_ cache: inout BitCache) -> Int {
    let entry = entry(cache, tables.scalefactors)
    cache.consume(UInt64(entry & 63))
    return Int(entry &>> 11 & 1023) &- 60
  }

  /// Reads the difference between two scalefactors, -60 to 60.
  @inline(__always)
  func scalefactorDifference(_ reader: inout PacketBitReader) -> Int {
    let bits = UInt64(truncatingIfNeeded: reader.peek(32)) &<< 32
    var entry = tables.scalefactors[Int(truncatingIfNeeded: bits &>> (64 - SpectralLookup.firstBits))]
    if entry & 63 == 0 { entry = continued(bits, tables.scalefactors, entry) }
    reader.skip(Int(entry & 63))
    return Int(entry &>> 11 & 1023) &- 60
  }
}
