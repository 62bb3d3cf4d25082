// The code words of a band, without what they stand for.
extension SpectralReader {
  /// Moves past a band.
  ///
  /// - Parameters:
  ///   - book: 1 to 11.
  ///   - lines: how many lines, a multiple of 4, `PacketBitReader.longestBand` at most.
  /// - Returns: whether all escapes were valid.
  ///
  /// Unsafe, as `read` is: the cache's reader has to live, and its position has to be within the packet.
  @inline(__always)
  @unsafe func skip(_ cache: inout BitCache, book: Int, lines: Int) -> Bool {
    if book == Codebook.escape { return skipEscapes(&cache, lines: lines) }
    let words = tables.book(book)
    if book < Codebook.firstPair {
      // Of 20 bits at most, signs included; two of them fit in a refill, as do four words of a pair, of 14 at most.
      for _ in 0..<(lines / 4) {
        unsafe cache.refill()
        cache.consume(UInt64(entry(cache, words) & 63))
      }
      return true
    }
    for _ in 0..<(lines / 4) {
      unsafe cache.refill()
      cache.consume(UInt64(entry(cache, words) & 63))
      cache.consume(UInt64(entry(cache, words) & 63))
    }
    return true
  }

  @inline(__always)
  private func skipEscapes(_ cache: inout BitCache, lines: Int) -> Bool {
    let words = tables.book(Codebook.escape)
    var isWhole = true
    for _ in 0..<(lines / 2) {
      unsafe cache.refill()
      let entry = entry(cache, words)
      cache.consume(UInt64(entry & 63))
      for _ in 0..<(entry &>> 25).nonzeroBitCount {
        let escape = escape(cache)
        cache = escape.cache
        isWhole = isWhole && escape.magnitude >= 0
      }
    }
    return isWhole
  }
}
