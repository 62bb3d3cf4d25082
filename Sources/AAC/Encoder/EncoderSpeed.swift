extension AACEncoder {
  /// How long the search for the best use of the bits may take; of HE-AAC, that of its core.
  ///
  /// The rate is the same, and so is what decoders have to do. How near each comes to the sound: `docs/encoding.md`.
  public enum Speed: Sendable, Hashable, CaseIterable {
    /// Three quarters of the usual time, a little further from the sound.
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
  /// How much higher than computed the likely best one is: where the reach is short, it must be around the middle of those
  /// that turn out to be best.
  var shift: Float = 0
  /// Scalefactors are tried until bits or noise alone cost that much more than the best one in all: it may still be chosen
  /// because it is nearer to its neighbour's, or because the price changes. In bits, and as a part of the cost.
  var tolerance: Float = 6
  var relativeTolerance: Float = 0.1
  /// Bits by which a path through the bands may be worse than the cheapest one and still win, as it goes on with a shorter
  /// step: those of the longest.
  var pathTolerance: Float = 19
  /// The shape of windows is chosen for one frame out of so many: it matters to tones, which last longer.
  var shapePeriod = 1

  init(_ speed: AACEncoder.Speed) {
    guard speed == .fast else { return }
    (reach, shift, tolerance, relativeTolerance, pathTolerance) = (3, 1, 2, 0.05, 7)
    shapePeriod = 4
  }
}
