/// Makes the high band from the low one: copies subbands upwards, and filters each copy so that it is as noisy as the
/// layer says.
///
/// The filter predicts a subband's samples from the two before; what it takes away are tones. The chirp factor says
/// how much of them stays away.
///
/// Source: ISO/IEC 14496-3, 4.6.18.5 and 4.6.18.6.
final class HighFrequencyGenerator {
  /// Two complex prediction coefficients of each subband: for the sample before, and for the one before that.
  struct Prediction {
    var first = SIMD2<Float>.zero
    var second = SIMD2<Float>.zero
  }

  private var predictions = [Prediction](repeating: Prediction(), count: 32)

  /// Generates a frame.
  ///
  /// - Parameters:
  ///   - signal: its `high` gets the subbands of the patches; what lies above is silent.
  ///   - bands: the division of the spectrum.
  ///   - slots: from the first envelope's start to the last one's end, 38 at most.
  func generate(_ signal: SBRSignal, _ bands: SBRBands, slots: Range<Int>) {
    let last = min(bands.masterFirst, 32)
    var (target, noiseBand) = (bands.first, 0)
    var isPredicted: UInt32 = 0
    let end = bands.first + bands.count
    for patch in bands.patches {
      for source in patch.source..<(patch.source + patch.count) where target < end && source < last {
        while noiseBand + 2 < bands.noise.count, target >= bands.noise[noiseBand + 1] { noiseBand += 1 }
        let (from, to, chirp) = unsafe (signal.low.row(source), signal.high.row(target), signal.chirp[noiseBand])
        if chirp != 0, isPredicted & 1 << source == 0 {
          predictions[source] = unsafe HighFrequencyGenerator.prediction(from)
          isPredicted |= 1 << source
        }
        let prediction = chirp == 0 ? Prediction() : predictions[source]
        unsafe to.clear(count: slots.lowerBound)
        unsafe HighFrequencyGenerator.copy(from, to: to, prediction, chirp, slots)
        target += 1
      }
    }
    signal.high.clear(target..<end)
  }

  private static let chirpTargets: [Float] = [0, 0.75, 0.9, 0.98]

  /// Moves the chirp factors towards what this packet's modes of inverse filtering ask for.
  static func smoothChirp(_ signal: SBRSignal, _ channel: SBRChannel, _ bands: SBRBands) {
    for band in 0..<(bands.noise.count - 1) {
      let (mode, previous) = (channel.inverseFiltering[band], channel.previousInverseFiltering[band])
      let (old, new) = (signal.chirp[band], mode + previous == 1 ? 0.6 : chirpTargets[mode])
      let smoothed = new < old ? 0.75 * new + 0.25 * old : 0.90625 * new + 0.09375 * old
      signal.chirp[band] = smoothed < 0.015625 ? 0 : smoothed
    }
  }

  // MARK: Prediction

  /// Products of a subband's samples with each other, some slots apart, summed over the frame.
  private struct Covariance {
    /// `sum of |x[n + 1]|^2` and of `|x[n]|^2`, over 38 slots.
    var one: Float = 0
    var zero: Float = 0
    /// `sum of x[n + 2] x[n + 1]*`, of `x[n + 1] x[n]*` and of `x[n + 2] x[n]*`.
    var twoOne = SIMD2<Float>.zero
    var oneZero = SIMD2<Float>.zero
    var twoZero = SIMD2<Float>.zero
  }

  /// The prediction of a row: of its slots 0 to 39.
  static func prediction(_ row: SubbandRow) -> Prediction {
    let sums = unsafe covariance(row)
    var result = Prediction()
    let determinant = sums.zero * sums.one - (sums.oneZero * sums.oneZero).total / 1.000001
    if determinant != 0 {
      result.second = (product(sums.twoOne, sums.oneZero) - sums.twoZero * sums.one) / determinant
    }
    if sums.one != 0 {
      // The second coefficient times the conjugate of the covariance.
      let part = SIMD2(
        result.second.x * sums.oneZero.x + result.second.y * sums.oneZero.y,
        result.second.y * sums.oneZero.x - result.second.x * sums.oneZero.y)
      result.first = -(sums.twoOne + part) / sums.one
    }
    // An unstable filter is not used, nor one with NaN, which fails both comparisons.
    let isStable = (result.first * result.first).total < 16 && (result.second * result.second).total < 16
    return isStable ? result : Prediction()
  }

  /// The same sums but for their ends, of slots 0 to 37, which have to exist. Each lane sums every fourth product: of
  /// samples with themselves, with those one slot before, and with those two slots before.
  private struct Products {
    var power = SIMD4<Float>.zero
    var (oneReal, oneImaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (twoReal, twoImaginary) = (SIMD4<Float>.zero, SIMD4<Float>.zero)

    /// Never inlined: the compiler would otherwise compute the loop element by element, as its caller takes the vectors
    /// apart.
    @inline(never)
    init(_ row: SubbandRow) {
      let (r, i) = unsafe (row.real, row.imaginary)
      for slot in stride(from: 0, to: 36, by: 4) {
        let (r0, i0) = unsafe (r.vector(slot), i.vector(slot))
        let (r1, i1) = unsafe (r.vector(slot + 1), i.vector(slot + 1))
        let (r2, i2) = unsafe (r.vector(slot + 2), i.vector(slot + 2))
        power += r1 * r1 + i1 * i1
        oneReal += r1 * r0 + i1 * i0
        oneImaginary += i1 * r0 - r1 * i0
        twoReal += r2 * r0 + i2 * i0
        twoImaginary += i2 * r0 - r2 * i0
      }
    }
  }

  /// Slots 0 to 39 of a row, all of which exist. The sums that are one slot apart differ in their ends only.
  private static func covariance(_ row: SubbandRow) -> Covariance {
    let products = unsafe Products(row)
    // Four totals at once.
    let parts = Transposed(products.power, products.oneReal, products.oneImaginary, products.twoReal)
    let total = parts[0] + parts[1] + parts[2] + parts[3]
    var sums = Covariance()
    sums.one = unsafe total.x + square(row, 37) + square(row, 38)
    sums.zero = unsafe sums.one - square(row, 38) + square(row, 0)
    sums.oneZero = SIMD2(total.y, total.z)
    sums.twoZero = SIMD2(total.w, products.twoImaginary.total)
    unsafe sums.oneZero += product(row, 37, 36) + product(row, 38, 37)
    unsafe sums.twoZero += product(row, 38, 36) + product(row, 39, 37)
    unsafe sums.twoOne = sums.oneZero - product(row, 1, 0) + product(row, 39, 38)
    return sums
  }

  @inline(__always)
  private static func square(_ row: SubbandRow, _ slot: Int) -> Float {
    unsafe row.real[slot] * row.real[slot] + row.imaginary[slot] * row.imaginary[slot]
  }

  /// A sample times the conjugate of another.
  @inline(__always)
  private static func product(_ row: SubbandRow, _ a: Int, _ b: Int) -> SIMD2<Float> {
    unsafe SIMD2(
      row.real[a] * row.real[b] + row.imaginary[a] * row.imaginary[b],
      row.imaginary[a] * row.real[b] - row.real[a] * row.imaginary[b])
  }

  private static func product(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
  }

  // MARK: Copying

  /// Filters a subband: output slot `n` is slot `n + 2` of the low band. Slots are even and end at 38 at most, so that
  /// a last pair of slots reads up to slot 39.
  static func copy(
    _ from: SubbandRow, to target: SubbandRow, _ prediction: Prediction, _ chirp: Float, _ slots: Range<Int>
  ) {
    let (a, b) = (prediction.first * chirp, prediction.second * (chirp * chirp))
    var slot = slots.lowerBound
    while slot + 4 <= slots.upperBound {
      let (r0, i0) = unsafe (from.real.vector(slot), from.imaginary.vector(slot))
      let (r1, i1) = unsafe (from.real.vector(slot + 1), from.imaginary.vector(slot + 1))
      let (r2, i2) = unsafe (from.real.vector(slot + 2), from.imaginary.vector(slot + 2))
      unsafe target.real.store(r2 + r1 * a.x - i1 * a.y + r0 * b.x - i0 * b.y, slot)
      unsafe target.imaginary.store(i2 + r1 * a.y + i1 * a.x + r0 * b.y + i0 * b.x, slot)
      slot += 4
    }
    while slot < slots.upperBound {
      let (r0, i0) = unsafe (from.real[slot], from.imaginary[slot])
      let (r1, i1) = unsafe (from.real[slot + 1], from.imaginary[slot + 1])
      let (r2, i2) = unsafe (from.real[slot + 2], from.imaginary[slot + 2])
      unsafe target.real[slot] = r2 + r1 * a.x - i1 * a.y + r0 * b.x - i0 * b.y
      unsafe target.imaginary[slot] = i2 + r1 * a.y + i1 * a.x + r0 * b.y + i0 * b.x
      slot += 1
    }
  }
}

extension SIMD2<Float> {
  /// The sum of both elements.
  @inline(__always)
  fileprivate var total: Float { x + y }
}
