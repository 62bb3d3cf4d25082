/// When pictures, given in decoding order, are shown.
///
/// A slice holds the lowest bits of its picture's order count. Between two pictures with which counting starts over,
/// the counts say in which order pictures are shown; how far apart they are shown, only the index said.
///
/// A gap may have taken the picture with which counting starts over. In H.264, numbers of frames say whether any is
/// missing. In H.265, counts that jump back do: decoders hold at most 16 frames back, so of 17 pictures one is shown
/// after all before them, unless a new count began in the gap.
///
/// Source: ITU-T H.264, 8.2.1.1; ITU-T H.265, 8.3.1.
struct PictureTimes {
  /// For each picture the number of pictures shown before it, counted from the delay.
  private(set) var places: [Int] = []
  /// How many pictures decoding is ahead of showing.
  private(set) var delay = 0

  /// The most frames that a decoder holds back: ITU-T H.264, A.3.1 (MaxDpbFrames); ITU-T H.265, A.4.2.
  private static let mostHeldBack = 16

  /// The order of pictures.
  ///
  /// - Parameters:
  ///   - slices: the first slice of each.
  ///   - bits: bits of the order count in a slice; `nil` where there are none.
  ///   - areNumbered: whether slices have numbers of frames.
  init(_ slices: [PictureSlice], bits: Int?, areNumbered: Bool) {
    places = Array(slices.indices)
    guard let bits else { return }
    let counts = PictureTimes.counts(slices, range: 1 << bits)
    var start = 0
    while start < slices.count {
      let end = PictureTimes.end(of: start, slices, counts, areNumbered: areNumbered)
      let shown = (start..<end).sorted { (counts[$0], $0) < (counts[$1], $1) }
      let heldBack = shown.enumerated().map { $1 - start - $0 }.max() ?? 0
      // More is damage. Without an order, pictures are shown as they come.
      if heldBack <= PictureTimes.mostHeldBack {
        for (place, index) in shown.enumerated() { places[index] = start + place }
        delay = max(delay, heldBack)
      }
      start = end
    }
  }

  /// The index of the first picture after `start` with which counting starts over; the end if there is none.
  private static func end(of start: Int, _ slices: [PictureSlice], _ counts: [Int], areNumbered: Bool) -> Int {
    var end = start + 1
    while end < slices.count, !slices[end].startsOver {
      if slices[end].followsGap {
        if areNumbered, !slices[end].continues(slices[end - 1]) { return end }
        let before = counts[max(start, end - mostHeldBack)..<end].max() ?? 0
        let following = slices[end...].prefix(mostHeldBack + 1)
        let after = following.prefix { !$0.startsOver }.indices
        if counts[after].max() ?? 0 < before { return end }
      }
      end += 1
    }
    return end
  }

  /// The whole order counts, from their lowest bits.
  private static func counts(_ slices: [PictureSlice], range: Int) -> [Int] {
    var (high, low) = (0, 0)
    return slices.map { slice in
      if slice.startsOver { (high, low) = (0, 0) }
      let own = slice.orderLow.map { Int($0) } ?? low
      var above = high
      if own < low, low - own >= range / 2 {
        above += range
      } else if own > low, own - low > range / 2 {
        above -= range
      }
      if slice.anchorsOrder { (high, low) = (above, own) }
      return above + own + Int(min(slice.orderDelta, 0))
    }
  }
}
