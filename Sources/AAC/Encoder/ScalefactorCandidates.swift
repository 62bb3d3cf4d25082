#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The costs of the bands of a channel with several scalefactors each: analysis by synthesis.
final class ScalefactorCandidates {
  /// Places for a band's costs: more than the scalefactors that are tried, and a power of two, so that the lowest bits
  /// of a scalefactor are its place.
  static let rowLength = 16
  /// Bits of a coded band besides its lines and scalefactor: its part of the sections.
  private static let sectionShare: Float = 2

  /// How much lower than the logarithm of the peak the limits are, in scalefactors.
  private static let coarsest = 16 / 3 * log2f(1 - BandQuantiser.rounding)
  private static let finest: Float = 16 / 3 * log2f(8190)

  private static let bandCount = FrameLayout.largestBandCount
  /// The highest and the lowest scalefactor tried in each band; the highest is -1 if the band is left out.
  let highest = AlignedMemory<Int32>(bandCount)
  let lowest = AlignedMemory<Int32>(bandCount)
  /// Bits and weighted noise of each scalefactor, at its lowest bits in the band's row.
  let bits = AlignedMemory<Float>(bandCount * rowLength)
  let noise = AlignedMemory<Float>(bandCount * rowLength)

  private let limits: SearchLimits

  init(_ limits: SearchLimits) { self.limits = limits }

  /// Where the costs of a band with a scalefactor are.
  @inline(__always)
  static func index(_ band: Int, _ scalefactor: Int) -> Int { band * rowLength + (scalefactor & (rowLength - 1)) }

  /// Tries scalefactors in every band.
  ///
  /// - Parameter price: the weighted noise that a bit is worth, approximately.
  func measure(_ channel: ChannelSpectrum, _ layout: FrameLayout, price: Float, _ quantiser: BandQuantiser) {
    for band in 0..<layout.bandCount {
      highest[band] = -1
      let weight = channel.weights[band]
      // A band that is not worth a bit is not worth trying; the price may yet halve.
      guard 2 * channel.holes[band] * channel.energies[band] * weight > price, channel.peaks[band] > 1e-6 else {
        continue
      }
      let count = layout.offsets[band + 1] - layout.offsets[band]
      let likely = 100 + 8 / 3 * log2f(4.87 * Float(count) * price / (weight * channel.roots[band])) + limits.shift
      // Above this all lines become 0; below the other limit, some exceed the largest magnitude.
      let peak = 100 + 16 / 3 * log2f(channel.peaks[band])
      let (coarsest, finest) = (peak - Self.coarsest, peak - Self.finest)
      let bottom = max(Int(finest.rounded(.up)), 0)
      let top = min(Int(coarsest), 255)
      guard top >= bottom else { continue }
      measure(channel, band, layout, likely: Int(likely).clamped(to: bottom...top), bottom...top, price, quantiser)
    }
  }

  /// Tries scalefactors of a band, from the likely best one upwards and downwards.
  @inline(__always)
  private func measure(
    _ channel: ChannelSpectrum, _ band: Int, _ layout: FrameLayout, likely: Int, _ limits: ClosedRange<Int>,
    _ price: Float, _ quantiser: BandQuantiser
  ) {
    let from = layout.offsets[band]
    let count = layout.offsets[band + 1] - from
    let lines = unsafe channel.lines.pointer(at: from, count: count)
    let powers = unsafe channel.powers.pointer(at: from, count: count)
    let (length, weight, peak, perBit) = (Self.rowLength, channel.weights[band], channel.peaks[band], 1 / price)
    let bits = unsafe bits.pointer(at: band * length, count: length)
    let noise = unsafe noise.pointer(at: band * length, count: length)
    let (reach, tolerance) = (self.limits.reach, self.limits.tolerance)
    let bottom = max(likely - reach, limits.lowerBound)
    let top = min(likely + reach, limits.upperBound)
    var (scalefactor, step, cheapest) = (likely, 1, Float.infinity)
    var (highest, lowest) = (likely, likely)
    while scalefactor >= bottom {
      let cost = unsafe quantiser.cost(lines, powers, count: count, scalefactor: scalefactor, peak: peak)
      let lineBits = cost.bits + Self.sectionShare
      let loss = cost.noise * weight
      let index = scalefactor & (length &- 1)
      unsafe (bits[index], noise[index]) = (lineBits, loss)
      if scalefactor > highest { highest = scalefactor } else { lowest = scalefactor }
      cheapest = min(cheapest, lineBits + loss * perBit)
      let limit = cheapest * SearchLimits.share + tolerance
      scalefactor &+= step
      if step < 0 {
        if lineBits > limit { break }
      } else if loss * perBit > limit || scalefactor > top {
        (step, scalefactor) = (-1, likely - 1)
      }
    }
    self.highest[band] = Int32(highest)
    self.lowest[band] = Int32(lowest)
  }
}
