extension AACEncoder {
  /// How much time the encoder spends searching for the best use of the bits. With HE-AAC this applies to the core.
  ///
  /// The rate is the same, and so is what decoders have to do. How close each setting comes to the original:
  /// `docs/encoding.md`.
  public enum Speed: Sendable, Hashable, CaseIterable {
    /// About four fifths of the usual time, a little further from the sound.
    case fast
    /// The usual search.
    case normal
    /// About twice the usual time, and nearer to the sound: scalefactors and Huffman books are chosen together.
    case slow
  }
}

/// How far the search for scalefactors goes, and how often the shape of windows is chosen.
struct SearchLimits: Sendable {
  /// How far from the likely best scalefactor others are tried.
  var reach = 7
  /// How much higher than computed the likely best one is: where the reach is short, it must be around the middle of
  /// those that turn out to be best.
  var shift: Float = 0
  /// Coarser scalefactors are tried until their noise alone costs more than this part of what the cheapest one costs in
  /// all, and `tolerance` bits; finer ones until their bits alone do.
  static let share: Float = 0.8
  /// In bits. A scalefactor that costs more than the cheapest one may still be chosen, because it is nearer to its
  /// neighbour's or because the price changes.
  var tolerance: Float = 6
  /// Bits by which a path through the bands may be worse than the cheapest one and still be followed: more than most
  /// steps to another scalefactor take.
  var pathTolerance: Float = 10
  /// The shape of windows is chosen for one frame out of so many: it matters to tones, which last longer.
  var shapePeriod = 1

  init(_ speed: AACEncoder.Speed) {
    switch speed {
    case .fast:
      (reach, shift, tolerance, pathTolerance) = (3, 1, 3, 7)
      shapePeriod = 4
    case .normal: break
    case .slow: tolerance = 10
    }
  }
}
