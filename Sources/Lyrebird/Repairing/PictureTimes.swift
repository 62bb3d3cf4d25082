/// When pictures are shown that come in the order in which they are decoded.
///
/// A slice holds the lowest bits of its picture's order count. Between two pictures with which counting starts over, the
/// counts say in which order pictures are shown; how far apart they are shown, only the index said.
///
/// Source: ITU-T H.264, 8.2.1.1; ITU-T H.265, 8.3.1.
struct PictureTimes {
  /// For each picture the number of pictures shown before it, counted from the delay.
  private(set) var places: [Int] = []
  /// How many pictures decoding is ahead of showing.
  private(set) var delay = 0

  /// The order of pictures.
  ///
  /// - Parameters:
  ///   - slices: the first slice of each.
  ///   - bits: bits of the order count in a slice; `nil` where there are none.
  init(_ slices: [PictureSlice], bits: Int?) {
    places = Array(slices.indices)
    guard let bits else { return }
    let counts = PictureTimes.counts(slices, range: 1 << bits)
    var start = 0
    while start < slices.count {
      var end = start + 1
      while end < slices.count, !slices[end].startsOver { end += 1 }
      let shown = (start..<end).sorted { (counts[$0], $0) < (counts[$1], $1) }
      for (place, index) in shown.enumerated() {
        places[index] = start + place
        delay = max(delay, index - start - place)
      }
      start = end
    }
  }

  /// The whole order counts, from their lowest bits.
  private static func counts(_ slices: [PictureSlice], range: Int) -> [Int] {
    var (high, low) = (0, 0)
    return slices.map { slice in
      if slice.startsOver { (high, low) = (0, 0) }
      let own = slice.orderLow ?? low
      var above = high
      if own < low, low - own >= range / 2 {
        above += range
      } else if own > low, own - low > range / 2 {
        above -= range
      }
      if slice.anchorsOrder { (high, low) = (above, own) }
      return above + own + min(slice.orderDelta, 0)
    }
  }
}
