#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How an SBR layer divides the spectrum: which subbands each of its values is for, and from where they are copied.
///
/// A list of bands holds the first subband of each, and after the last one the subband where they end.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.2 and 4.6.18.6.3.
struct SBRBands {
  /// The bands of all lists begin at this subband, up to 32: `kx`.
  let first: Int
  /// Number of subbands that SBR makes: `M`, up to 64 - `first`.
  let count: Int
  /// Bands of an envelope of high resolution.
  let high: [Int]
  /// Bands of an envelope of low resolution: two of high resolution in one.
  let low: [Int]
  /// Bands of the noise floor, 1 to 5.
  let noise: [Int]
  /// Bands in which gains are limited.
  let limiter: [Int]
  /// Adjacent stretches of subbands that are copied from lower ones: 1 to 6.
  let patches: [Patch]
  /// The master table's first subband: below it the core may have been coded completely.
  let masterFirst: Int

  /// Subbands that are copied together.
  struct Patch {
    /// The lowest subband that is copied.
    let source: Int
    /// How many are.
    let count: Int
  }

  /// Subbands of the filter bank.
  static let subbands = 64

  /// The bands of a header.
  ///
  /// - Parameters:
  ///   - header: the header.
  ///   - rate: the sampling rate of the subbands, twice the core's; one of the standard's.
  /// - Returns: `nil` if the standard does not allow the values.
  init?(_ header: SBRHeader, rate: Int) {
    guard let master = SBRMasterBands(header.spectrum, rate: rate), header.spectrum.crossover < master.bands.count - 1
    else { return nil }
    let high = Array(master.bands[header.spectrum.crossover...])
    let (first, end) = (high[0], high[high.count - 1])
    guard end <= SBRBands.subbands, first <= 32 else { return nil }
    let low = SBRBands.low(high)
    let octaves = log2(Double(master.bands[master.bands.count - 1]) / Double(first))
    let noiseCount = max(1, Int((Double(header.spectrum.noiseBands) * octaves).rounded()))
    guard noiseCount <= 5, let patches = SBRBands.patches(master.bands, first: first, end: end, rate: rate) else {
      return nil
    }
    (self.first, count, self.high, self.low) = (first, end - first, high, low)
    noise = SBRBands.noise(low, count: noiseCount)
    self.patches = patches
    limiter = SBRBands.limiter(low, patches, bands: header.limiterBands)
    masterFirst = master.bands[0]
  }

  /// The bands of an envelope.
  func bands(isHigh: Bool) -> [Int] { isHigh ? high : low }

  /// The noise band of a subband.
  func noiseBand(of subband: Int) -> Int {
    (noise.dropFirst().firstIndex { subband < $0 } ?? noise.count - 1) - 1
  }

  /// Every second border; if the number of bands is odd, the first band is kept as it is.
  private static func low(_ high: [Int]) -> [Int] {
    let bands = high.count - 1
    return [high[0]] + stride(from: 2 - bands % 2, through: bands, by: 2).map { high[$0] }
  }

  private static func noise(_ low: [Int], count: Int) -> [Int] {
    var (index, borders) = (0, [low[0]])
    for band in 0..<count {
      index += (low.count - 1 - index) / (count - band)
      borders.append(low[index])
    }
    return borders
  }

  /// The patches: from the top of what the core codes, as often as it takes.
  private static func patches(_ master: [Int], first: Int, end: Int, rate: Int) -> [Patch]? {
    // About 16 kHz: the first patch goes no higher, if that is possible.
    let goal = (2_048_000 + rate / 2) / rate
    var (top, filled, sourceEnd) = (master.count - 1, first, master[0])
    if goal < end { top = master.firstIndex { $0 >= goal } ?? top }
    var patches: [Patch] = []
    var lastTry = (-1, -1)
    while true {
      guard (top, sourceEnd) != lastTry, patches.count < 6 else { return nil }
      lastTry = (top, sourceEnd)
      // The highest border that can be reached by copying what lies below the source's end; subbands keep their parity.
      var (index, border, odd) = (top, master[top], (master[top] + master[0]) & 1)
      while border > master[0] - 1 + sourceEnd - odd {
        guard index > 0 else { return nil }
        index -= 1
        border = master[index]
        odd = (border + master[0]) & 1
      }
      let count = max(border - filled, 0)
      if count > 0 {
        guard master[0] - odd - count >= 0 else { return nil }
        patches.append(Patch(source: master[0] - odd - count, count: count))
        (filled, sourceEnd) = (border, border)
      } else {
        sourceEnd = first
      }
      if master[top] - border < 3 { top = master.count - 1 }
      if border == end { break }
    }
    // A last patch of one or two subbands is left out: they stay empty.
    if patches.count > 1, patches[patches.count - 1].count < 3 { patches.removeLast() }
    return patches
  }

  /// The limiter's bands: those of low resolution and the borders of patches, without what is too narrow. A patch's
  /// border gives way to nothing but another one.
  private static func limiter(_ low: [Int], _ patches: [Patch], bands: Int) -> [Int] {
    guard bands > 0 else { return [low[0], low[low.count - 1]] }
    let narrowest = exp2(0.49 / [1.2, 2, 3][bands - 1])
    var border = low[0]
    let edges =
      [border]
      + patches.map { patch in
        border += patch.count
        return border
      }
    var borders = (low + edges.dropFirst().dropLast()).sorted()
    var index = 1
    while index < borders.count {
      let (lower, upper) = (borders[index - 1], borders[index])
      if Double(upper) >= Double(lower) * narrowest {
        index += 1
      } else if lower == upper || !edges.contains(upper) {
        borders.remove(at: index)
      } else if !edges.contains(lower) {
        borders.remove(at: index - 1)
      } else {
        index += 1
      }
    }
    return borders
  }
}

/// The master table: the bands from which all others are made.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.2.1.
private struct SBRMasterBands {
  let bands: [Int]

  init?(_ spectrum: SBRHeader.Spectrum, rate: Int) {
    guard let start = SBRStart(rate: rate) else { return nil }
    let first = start.lowest + start.offsets[spectrum.start]
    let end: Int
    switch spectrum.stop {
    case 14: end = 2 * first
    case 15: end = 3 * first
    default:
      let lowest = (2 * start.frequency * 128 + rate / 2) / rate
      end = lowest + SBRMasterBands.widths(lowest, 64, count: 13).sorted().prefix(spectrum.stop).reduce(0, +)
    }
    let last = min(end, SBRBands.subbands)
    let most = rate <= 32_000 ? 48 : rate == 44_100 ? 35 : 32
    guard first > 0, last > first, last - first <= most else { return nil }
    let widths =
      spectrum.scale == 0
      ? SBRMasterBands.equal(last - first, doubled: spectrum.isAltered)
      : SBRMasterBands.growing(first, last, perOctave: 2 * (7 - spectrum.scale), isAltered: spectrum.isAltered)
    guard let widths, !widths.isEmpty, widths.allSatisfy({ $0 > 0 }) else { return nil }
    var border = first
    bands =
      [first]
      + widths.map { width in
        border += width
        return border
      }
  }

  /// Bands of one or two subbands, an even number of them; the first or the last ones make up for the difference.
  private static func equal(_ subbands: Int, doubled: Bool) -> [Int]? {
    let width = doubled ? 2 : 1
    let count = doubled ? (subbands + 2) / 4 * 2 : subbands / 2 * 2
    guard count > 0 else { return nil }
    var widths = [Int](repeating: width, count: count)
    let difference = subbands - count * width
    if difference < 0 {
      widths[0] -= 1
      if difference < -1 { widths[1] -= 1 }
    } else {
      widths[count - 1] += difference
    }
    return widths
  }

  /// Bands that widen with frequency; those more than an octave above the first may widen faster.
  private static func growing(_ first: Int, _ last: Int, perOctave: Int, isAltered: Bool) -> [Int]? {
    let isSplit = 49 * last > 110 * first
    let middle = isSplit ? 2 * first : last
    guard var lower = growing(first, middle, perOctave: Double(perOctave)) else { return nil }
    lower.sort()
    guard isSplit else { return lower }
    guard var upper = growing(middle, last, perOctave: Double(perOctave) / (isAltered ? 1.3 : 1)) else { return nil }
    upper.sort()
    // No upper band may be narrower than a lower one.
    if upper[0] < lower[lower.count - 1] {
      let change = min(lower[lower.count - 1] - upper[0], (upper[upper.count - 1] - upper[0]) / 2)
      upper[0] += change
      upper[upper.count - 1] -= change
      upper.sort()
    }
    return lower + upper
  }

  private static func growing(_ from: Int, _ to: Int, perOctave: Double) -> [Int]? {
    let count = 2 * Int((perOctave / 2 * log2(Double(to) / Double(from))).rounded())
    return count > 0 ? widths(from, to, count: count) : nil
  }

  /// The widths of bands that divide a range in equal ratios, rounded.
  private static func widths(_ from: Int, _ to: Int, count: Int) -> [Int] {
    let borders = (0...count).map { index in
      Int((Double(from) * pow(Double(to) / Double(from), Double(index) / Double(count))).rounded())
    }
    return zip(borders, borders.dropFirst()).map { $1 - $0 }
  }
}

/// Where a master table can begin at a sampling rate.
private struct SBRStart {
  /// The frequency of the lowest start in Hz; it is twice that for stops.
  let frequency: Int
  /// The subband of `frequency`.
  let lowest: Int
  /// Distances from `lowest`, by `bs_start_freq`.
  let offsets: [Int]

  init?(rate: Int) {
    guard rate > 0 else { return nil }
    frequency = rate < 32_000 ? 3000 : rate < 64_000 ? 4000 : 5000
    lowest = (frequency * 128 + rate / 2) / rate
    offsets =
      switch rate {
      case ...16_000: Array(-8...7)
      case ...22_050: Array(-5...7) + [9, 11, 13]
      case ...24_000: [-5] + Array(-3...7) + [9, 11, 13, 16]
      case ...32_000: [-6, -4] + Array(-2...7) + [9, 11, 13, 16]
      case ...64_000: [-4] + Array(-2...7) + [9, 11, 13, 16, 20]
      default: Array(-2...7) + [9, 11, 13, 16, 20, 24]
      }
  }
}
