/// Decides from frame to frame how high the core of HE-AAC reaches: while a sound is so simple that the bits suffice
/// for more of it, more of it is coded, and less is made of copies.
///
/// A bell with a few partials, say, needs fewer bits than the rate gives up to 10 kHz, and copies of its low partials
/// would be in the wrong places. How many bits a frame takes is an estimate, at the price that an average sound has at
/// this rate: the analysis runs ahead of the rate control.
///
/// To move the border up takes two frames. A decoder makes the output of a frame from subbands that lag the core by six
/// slots, and for these it knows the core's subbands only up to the old border. So the frame before is told to end its
/// envelope six slots later (`SBRFramePlan`), and has the core's lines already, as windows overlap. Moving it down
/// takes no preparation.
struct CrossoverChoice {
  /// The choices for three frames in a row: the one that is analysed, the next, and the one after that, which is given
  /// up if its sound turns out to take too many bits. They are indices of bandwidths; 0 is the usual one.
  private var (current, next, coming) = (0, 0, 0)
  /// Bits that frames take in the mean, up to each of the bandwidths.
  private var means: [Float]
  private let bitsPerFrame: Float
  /// Frames since the choice changed.
  private var age = CrossoverChoice.leastAge

  /// How far the mean moves towards a frame that takes more, and towards one that takes less. Frames borrow bits from
  /// one another, so a bell's stroke is no reason to leave out its partials: the sound between two strokes pays for
  /// both.
  private static let (rise, fall): (Float, Float) = (0.2, 0.1)
  /// The mean bits, relative to those that there are, up to which a choice is kept, and that a higher one may take:
  /// what comes out as it was may have more noise than what would be a copy.
  private static let most: (later: Float, first: Float) = (1.12, 0.9)
  /// The most bits of a single frame, relative to those that there are. Where a sound is cut off, a frame takes more.
  private static let mostOfFrame: Float = 2
  /// A frame that takes less than this part is silent: what comes after a pause may be anything, so pauses do not lower
  /// the mean.
  private static let silentShare: Float = 0.05
  /// Frames from a change to the next one that goes up: for each, a header is sent, and values that stand on their own.
  private static let leastAge = 10

  /// - Parameters:
  ///   - count: the number of bandwidths.
  ///   - bitsPerFrame: of all that is coded.
  init(count: Int, bitsPerFrame: Float) {
    // As long as nothing is known, the sound may take all there is.
    means = [Float](repeating: bitsPerFrame, count: count)
    self.bitsPerFrame = bitsPerFrame
  }

  /// The bandwidth of the core's frame that is analysed now: windows overlap, so it serves this frame's border and the
  /// next one's.
  var ofCore: Int { max(current, next) }
  /// The bandwidth that is left to the core by the layer's frame that is described next.
  var ofLayer: Int { next }
  /// Whether that frame's envelopes must reach into the one after it, as the core takes over there.
  var reachesOver: Bool { coming > next }

  /// Goes on to the next frame.
  ///
  /// - Parameter bits: of the frame after it, about, up to each of the bandwidths.
  mutating func follow(bits: [Float]) {
    guard means.count > 1 else { return }
    for (index, bits) in bits.enumerated() where bits >= CrossoverChoice.silentShare * bitsPerFrame {
      means[index] += (bits > means[index] ? CrossoverChoice.rise : CrossoverChoice.fall) * (bits - means[index])
    }
    (current, next) = (next, coming)
    age += 1
    let kept = highest(bits, within: CrossoverChoice.most.later)
    if kept < next {
      (next, coming, age) = (kept, kept, 0)
    } else if age >= CrossoverChoice.leastAge {
      coming = max(next, highest(bits, within: CrossoverChoice.most.first))
      if coming > next { age = 0 }
    }
  }

  /// The highest choice that takes less than a part of the bits in the mean, and not too many in this frame.
  private func highest(_ bits: [Float], within part: Float) -> Int {
    means.indices.last {
      means[$0] < part * bitsPerFrame && bits[$0] < CrossoverChoice.mostOfFrame * bitsPerFrame
    } ?? 0
  }
}
