/// The bands of a sampling rate, how many of them are coded, and how partitions of the masking model overlap them.
final class BandTables {
  /// A part of a band's lines, and the partition they are in.
  typealias Shares = [(partition: Int, part: Float)]

  /// How much of the weight of noise in a short window depends on that window alone, not the whole frame.
  static let localShare: Float = 0.9

  /// How much noise counts against the energy of its own band, apart from what masks it.
  static let lossShare: Float = 0.2
  /// Energy of a practically silent band.
  static let softest: Float = 1000
  /// Energy of a line that is 12 dB above what rounding to 16 bits leaves in each line of a long window.
  static let roundedLine: Float = 6400
  /// Energy of a line that is 95 dB below its frame, relative to the frame: about that of rounding beside loud sound.
  static let roundedShare: Float = 3e-10

  /// The lines of a low-frequency channel that may be coded: all above are 0.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.2.1.3 (LFE).
  static let lowFrequencyLines = 12

  /// In Hz.
  let sampleRate: Int
  /// Widths of bands in quarters of a Bark, at least 1.
  let longWidths: [Float]
  let shortWidths: [Float]
  let long: ScalefactorBands
  let short: ScalefactorBands
  /// How many bands are coded at each of the bandwidths, from the usual one to the widest.
  let used: [(long: Int, short: Int)]
  let usedLowFrequency: Int
  let longShares: [Shares]
  let shortShares: [Shares]
  let longSharesOfShort: [Shares]

  /// - Parameters:
  ///   - sampleRate: in Hz.
  ///   - bandwidths: the highest frequencies in Hz that a frame may be coded up to: the usual one, and higher ones.
  ///   - tools: the masking models.
  init(sampleRate: Int, bandwidths: [Int], tools: AnalysisTools) {
    self.sampleRate = sampleRate
    let index = SamplingFrequency.tableIndex(of: UInt32(sampleRate))
    let (long, short) = (
      ScalefactorBands(frequencyIndex: index, isShort: false), ScalefactorBands(frequencyIndex: index, isShort: true)
    )
    (self.long, self.short) = (long, short)
    func count(_ bands: ScalefactorBands, below frequency: Int) -> Int {
      let length = Int(bands.offsets[bands.count])
      return bands.offsets.dropLast().count { Int($0) * sampleRate < frequency * 2 * length }
    }
    used = bandwidths.map { (count(long, below: $0), count(short, below: $0)) }
    usedLowFrequency = long.offsets.dropLast().count { Int($0) < BandTables.lowFrequencyLines }
    longWidths = BandTables.widths(long, sampleRate: sampleRate)
    shortWidths = BandTables.widths(short, sampleRate: sampleRate)
    longShares = (0..<long.count).map {
      tools.longMasking.shares(of: Int(long.offsets[$0])..<Int(long.offsets[$0 + 1]))
    }
    shortShares = (0..<short.count).map {
      tools.shortMasking.shares(of: Int(short.offsets[$0])..<Int(short.offsets[$0 + 1]))
    }
    longSharesOfShort = (0..<short.count).map {
      tools.longMasking.shares(of: 8 * Int(short.offsets[$0])..<8 * Int(short.offsets[$0 + 1]))
    }
  }

  private static func widths(_ bands: ScalefactorBands, sampleRate: Int) -> [Float] {
    let spacing = Double(sampleRate) / 2 / Double(bands.offsets[bands.count])
    let edges = bands.offsets.map { MaskingModel.bark(Double($0) * spacing) }
    return zip(edges, edges.dropFirst()).map { Float(max(1, ($1 - $0) / MaskingModel.judgedWidth)) }
  }

  /// The weight of noise in a band of short windows: mostly their own, and for the rest that of the frame.
  ///
  /// - Parameters:
  ///   - local: the mean weight over the band in these windows.
  ///   - frame: the weights of noise in the frame, taken as one long window.
  func shortWeight(_ band: Int, local: Float, frame: UnsafePointer<Float>) -> Float {
    // A unit of noise in a line of a short window counts eight times as much as in one of a long window.
    let wide = unsafe 8 * BandTables.weight(frame, longSharesOfShort[band])
    return BandTables.localShare * local + (1 - BandTables.localShare) * wide
  }

  /// The mean weight over a band. Both have to come from the same masking model, as shares index its partitions.
  static func weight(_ weights: UnsafePointer<Float>, _ shares: Shares) -> Float {
    var sum: Float = 0
    for share in shares { unsafe sum += weights[share.partition] * share.part }
    return sum
  }
}
