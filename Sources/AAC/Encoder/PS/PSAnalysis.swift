#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Measures how two channels compare in each parameter band: which one is louder, and how much they have in common.
///
/// Decoders change what they do linearly from the end of one envelope to the end of the next. So what is sent belongs
/// to the moment when an envelope ends, and is measured around it: with weights that fall linearly to the ends of the
/// envelopes on either side.
///
/// Source of what decoders do with it: ISO/IEC 14496-3, 8.6.4.6.
final class PSAnalysis {
  /// The energies of both channels in one slot and band, and what they have in common.
  private struct Products {
    var left: Float = 0
    var right: Float = 0
    /// The real part of left times the conjugate of right.
    var both: Float = 0
  }

  /// How the channels compare at one moment, by parameter band: this is what is sent.
  struct Measures: Equatable {
    /// The energy of left, relative to that of right, in dB.
    var intensity: [Float]
    /// The real part of what they have in common: 1 for the same sound, 0 for nothing, -1 for the opposite.
    var coherence: [Float]
    /// How much a band matters: the fourth root of its energy.
    var weight: [Float]

    /// The mean distance of a moment from the straight line between two others: a dB counts like a tenth of coherence.
    ///
    /// - Parameter place: where between them it is, 0 to 1.
    func distance(from first: Measures, _ second: Measures, place: Float) -> (sum: Float, weight: Float) {
      var result: (sum: Float, weight: Float) = (0, 0)
      for band in weight.indices {
        let level = first.intensity[band] + place * (second.intensity[band] - first.intensity[band])
        let common = first.coherence[band] + place * (second.coherence[band] - first.coherence[band])
        // Beyond 10 dB, it no longer matters how far a level is off.
        let error = min(abs(intensity[band] - level), 10) + 10 * abs(coherence[band] - common)
        result.sum += weight[band] * error
        result.weight += weight[band]
      }
      return result
    }
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
    divide(subbands, histories.left, to: left)
  }

  /// Takes the same frame of the right channel, and measures both.
  func takeRight(_ subbands: SubbandSamples) {
    divide(subbands, histories.right, to: right)
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

  private func divide(_ subbands: SubbandSamples, _ history: PSHistory, to target: SubbandSamples) {
    history.append(subbands, firstRow: 0)
    bank.divide(history, to: target)
    let map = PSAnalysis.map
    for band in map.divided..<SBRBands.subbands {
      unsafe target.row(map.firstRow + band).copy(subbands.row(band), count: PSAnalysis.slots)
    }
  }

  /// Into how many envelopes of the same length the frame is to be divided, 1, 2 or 4: no more than it takes to follow
  /// its quarters.
  ///
  /// - Parameters:
  ///   - last: what was measured where the frame before ended.
  ///   - bands: as below.
  func envelopes(after last: Measures?, bands: Int) -> Int {
    let quarters = measure(count: 4, bands: bands)
    for count in [1, 2] {
      let (ends, length) = (measure(count: count, bands: bands), 4 / count)
      var total: (sum: Float, weight: Float) = (0, 0)
      for (index, quarter) in quarters.enumerated() {
        let envelope = index / length
        let start = envelope > 0 ? ends[envelope - 1] : last ?? ends[0]
        let found = quarter.distance(
          from: start, ends[envelope], place: Float(index % length + 1) / Float(length))
        total = (total.sum + found.sum, total.weight + found.weight)
      }
      if total.sum <= PSAnalysis.largestError * total.weight { return count }
    }
    return 4
  }

  /// The mean distance in dB of what decoders do from what was measured, above which more envelopes are worth their
  /// bits.
  private static let largestError: Float = 3

  /// Measures the moments when envelopes of the same length end.
  ///
  /// - Parameters:
  ///   - count: of envelopes in the frame: 1, 2 or 4.
  ///   - bands: 10 or 20; with 10, each band covers two of the 20.
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
        coherence: merged.map { min(($0.both + floor) / (($0.left + floor) * ($0.right + floor)).squareRoot(), 1) },
        weight: merged.map { ($0.left + $0.right).squareRoot().squareRoot() })
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
