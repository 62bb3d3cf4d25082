#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Measures how two channels compare in each parameter band: which one is louder, and how much they have in common.
///
/// Decoders change what they do linearly from the end of one envelope to the end of the next. So what is sent belongs to
/// the moment when an envelope ends, and is measured around it: with weights that fall linearly to the ends of the
/// envelopes on either side.
///
/// Source of what decoders do with it: ISO/IEC 14496-3, 8.6.4.6.
final class PSAnalysis {
  /// What is measured of one slot and band.
  private struct Products {
    var left: Float = 0
    var right: Float = 0
    /// The real part of left times the conjugate of right.
    var both: Float = 0
  }

  /// What is sent of a moment, by parameter band.
  struct Measures: Equatable {
    /// The energy of left, relative to that of right, in dB.
    var intensity: [Float]
    /// The real part of what they have in common: 1 for the same sound, 0 for nothing, -1 for the opposite.
    var coherence: [Float]
  }

  private static let map = PSBandMap.few
  private static let slots = 32
  /// Energy of a slot below which nothing can be heard; it makes silence the same in both channels.
  private static let floor: Float = 1

  private let bank = HybridBank(.few)
  private let histories = (left: PSHistory(), right: PSHistory())
  private let left = SubbandSamples(bands: PSBandMap.few.count)
  private let right = SubbandSamples(bands: PSBandMap.few.count)
  /// By slot and band: of the frame that is described next, and of the one after it.
  private var products = [Products](repeating: Products(), count: 2 * slots * map.bands)

  /// Takes a frame of the left channel: slots 0 to 37.
  func takeLeft(_ subbands: SubbandSamples) {
    histories.left.append(subbands)
    bank.divide(histories.left, subbands, to: left)
  }

  /// Takes the same frame of the right channel, and measures both.
  func takeRight(_ subbands: SubbandSamples) {
    histories.right.append(subbands)
    bank.divide(histories.right, subbands, to: right)
    let count = PSAnalysis.slots * PSAnalysis.map.bands
    for index in 0..<count {
      products[index] = products[count + index]
      products[count + index] = Products()
    }
    for (subband, band) in PSAnalysis.map.band.enumerated() {
      let (l, r) = unsafe (left.row(subband), right.row(subband))
      for slot in 0..<PSAnalysis.slots {
        let (x, y) = unsafe (SIMD2(l.real[slot], l.imaginary[slot]), SIMD2(r.real[slot], r.imaginary[slot]))
        let index = count + slot * PSAnalysis.map.bands + band
        products[index].left += (x * x).sum()
        products[index].right += (y * y).sum()
        products[index].both += (x * y).sum()
      }
    }
  }

  /// Into how many envelopes the frame is best divided: 1, 2 or 4.
  func envelopes(bands: Int) -> Int { 1 }

  /// Measures the moments when envelopes of the same length end.
  ///
  /// - Parameters:
  ///   - count: of envelopes in the frame: 1, 2 or 4.
  ///   - bands: 10 or 20; of 10, each is two of the others.
  func measure(count: Int, bands: Int) -> [Measures] {
    let length = PSAnalysis.slots / count
    return (1...count).map { envelope in
      let sums = sums(around: envelope * length, within: length)
      let step = sums.count / bands
      let merged = (0..<bands).map { band in
        sums[(band * step)..<((band + 1) * step)].reduce(into: Products()) { total, part in
          total.left += part.left
          total.right += part.right
          total.both += part.both
        }
      }
      let floor = PSAnalysis.floor
      return Measures(
        intensity: merged.map { 10 * log10f(($0.left + floor) / ($0.right + floor)) },
        coherence: merged.map { min(($0.both + floor) / (($0.left + floor) * ($0.right + floor)).squareRoot(), 1) })
    }
  }

  private func sums(around moment: Int, within length: Int) -> [Products] {
    var sums = [Products](repeating: Products(), count: PSAnalysis.map.bands)
    for slot in (moment - length)..<(moment + length) {
      let weight = 1 - abs(Float(slot - moment) + 0.5) / Float(length)
      for band in sums.indices {
        let product = products[slot * sums.count + band]
        sums[band].left += weight * product.left
        sums[band].right += weight * product.right
        sums[band].both += weight * product.both
      }
    }
    return sums
  }
}
