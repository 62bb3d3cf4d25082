#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Decides the price of a bit, frame by frame, so that the rate comes out as asked.
///
/// At one price for all frames, bits go where they take away the most audible noise; the price only follows the rate
/// slowly. Frames may take what earlier ones left over, or a loan on later ones: the bit reservoir. Its limits are the
/// decoder's: its buffer holds 6144 bits a channel, filled at the constant rate and emptied a frame at a time.
///
/// Source: ISO/IEC 14496-3, 4.5.3 (buffer requirements).
struct RateControl {
  /// Bits that a frame has on average; `nil`: as many as its quality takes.
  private let mean: Double?
  /// Bits that no frame may exceed: the decoder's buffer.
  let largestFrame: Int
  /// Bits that were left over by all frames so far, less those taken in advance.
  private var credit = 0.0
  /// Binary logarithm of the price that would just do.
  private var base: Double
  private var frames = 0
  /// Whether the sound is over: there are no more frames then that could pay a loan back.
  var isEnding = false

  /// How far the price gives way to a frame's credit, and how fast it follows lasting ones.
  private static let give = 0.5
  private static let follow = 0.03
  /// No better than this is worth bits: noise far below what is heard.
  private static let lowestPrice = -14.0
  private static let highestPrice = 12.0

  /// Control for a constant rate.
  init(bitsPerFrame: Double, channels: Int, linesInUse: Double) {
    mean = bitsPerFrame
    largestFrame = 6144 * channels
    // A guess that the first frames correct: two bits a line make little noise, none much.
    base = -2 - 3.2 * bitsPerFrame / linesInUse
  }

  /// Control for a constant quality.
  init(price: Double, channels: Int) {
    mean = nil
    largestFrame = 6144 * channels
    base = log2(price)
  }

  /// The price for the next frame.
  var price: Float {
    guard let mean else { return Float(exp2(base)) }
    let wanted = base - RateControl.give * credit / mean
    return Float(exp2(min(max(wanted, RateControl.lowestPrice), RateControl.highestPrice)))
  }

  /// Bits that the next frame may take.
  var allowance: Int {
    guard let mean else { return largestFrame }
    let loan = isEnding ? min(reservoir, 0.5 * mean) : reservoir
    return min(largestFrame, Int(max(income + credit + loan, 0.3 * mean)))
  }

  /// Bits that the next frame must take: what is less would not fit the decoder's buffer beside the rest.
  var minimum: Int {
    guard mean != nil else { return 0 }
    return max(0, Int((income + credit - reservoir).rounded(.up)))
  }

  /// What a frame brings in. The first one is more than the sound is long: what it takes comes out of the others' bits.
  private var income: Double { frames == 0 ? 0 : mean ?? 0 }

  /// How far bits may be taken in advance or saved up: within the decoder's buffer, and so little that the rate is right
  /// over a few seconds already.
  private var reservoir: Double {
    let mean = mean ?? 0
    return min(Double(largestFrame) - mean, 2.5 * mean)
  }

  /// Notes what a frame took.
  mutating func spend(_ bits: Int) {
    guard let mean else { return }
    credit += income - Double(bits)
    frames += 1
    let haste = frames < 12 ? 4.0 : 1
    base -= RateControl.follow * haste * min(max(credit / mean, -2), 2)
    base = min(max(base, RateControl.lowestPrice), RateControl.highestPrice)
  }
}
