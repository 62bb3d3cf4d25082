// Code words without what they stand for.
extension SpectralReader {
  /// Moves past the code words of some lines.
  ///
  /// - Parameters:
  ///   - book: 1 to 11.
  ///   - lines: how many lines, a multiple of 4, `PacketBitReader.longestBand` at most.
  /// - Returns: whether all escapes were valid.
  ///
  /// Unsafe, as `read` is: the cache's reader has to live, and its position has to be within the packet.
  @inline(__always)
  @unsafe func skip(_ cache: inout BitCache, book: Int, lines: Int) -> Bool {
    let (words, runs) = (tables.book(book), CodeWordRuns.shared.runs(book))
    var left = book < Codebook.firstPair ? lines / 4 : lines / 2
    var isWhole = true
    while left > 0 {
      unsafe cache.refill()
      // Four runs take no more than the 56 bits that are there.
      var run = 0
      for _ in 0..<4 {
        run = Int(runs[Int(truncatingIfNeeded: cache.bits &>> (64 - CodeWordRuns.bits))])
        guard run & 7 > 0, run & 7 <= left else { break }
        cache.consume(UInt64(truncatingIfNeeded: run &>> 3))
        left &-= run & 7
      }
      if left == 0 { break }
      if run & 7 > 0, run & 7 <= left { continue }
      unsafe cache.refill()
      let entry = entry(cache, words)
      cache.consume(UInt64(entry & 63))
      left &-= 1
      if book == Codebook.escape { isWhole = skipEscapes(&cache, entry) && isWhole }
    }
    return isWhole
  }

  /// Moves past the values after a code word of book 11.
  ///
  /// - Returns: whether they were valid.
  @inline(__always)
  private func skipEscapes(_ cache: inout BitCache, _ entry: UInt32) -> Bool {
    var isWhole = true
    for _ in 0..<(entry &>> 25).nonzeroBitCount {
      let escape = escape(cache)
      cache = escape.cache
      isWhole = isWhole && escape.magnitude >= 0
    }
    return isWhole
  }
}
