/// Decides whether a frame with an attack really has short windows.
///
/// Tones that beat, as those of a telephone's bell do, and deep ones that swell look like attacks to `AttackDetector`.
/// But in a long window each of them takes a few lines, and in eight short ones some lines of each: ten times the bits,
/// so that all of it has more noise than a long window would have spread. So what both take is compared.
final class WindowLengthChoice {
  /// A long window is used in spite of an attack if it costs less than this, relative to short ones. For a real attack
  /// it costs more, as its noise must be as soft as what is heard before the attack.
  private static let margin: Float = 0.7

  private let tools: AnalysisTools
  private let bands: BandTables
  /// The acceptable weighted noise of a line: divided by the line's weight, it is the noise's energy.
  private let acceptable: Float
  /// Where the lines of a band of long windows are in short ones.
  private let shortSharesOfLong: [BandTables.Shares]
  /// Lines of eight short windows, and the weights of noise in each.
  private let lines = AlignedMemory<Float>(1024)
  private let weights: AlignedMemory<Float>

  /// - Parameter price: the weighted noise that a bit is worth, about: that of the first frame will do for all.
  init(tools: AnalysisTools, bands: BandTables, price: Float) {
    (self.tools, self.bands) = (tools, bands)
    acceptable = PerceptualEntropy.noise * price
    weights = AlignedMemory(8 * tools.shortMasking.partitionCount)
    shortSharesOfLong = zip(bands.long.offsets, bands.long.offsets.dropFirst()).map { start, end in
      tools.shortMasking.shares(of: Int(start) / 8..<max(Int(end) / 8, Int(start) / 8 + 1))
    }
  }

  /// Whether the next frame of channels that share their windows costs less with short ones.
  ///
  /// - Parameter offset: where the frame's window begins in the channels' samples.
  func prefersShort(_ channels: [ChannelAnalysis], at offset: Int) -> Bool {
    var (long, short): (Float, Float) = (0, 0)
    for channel in channels {
      transform(channel.samples.from(offset))
      short += costOfShort(frame: channel.nextWeights)
      long += costOfLong(channel.nextLines, channel.nextWeights)
    }
    return long >= WindowLengthChoice.margin * short
  }

  private func transform(_ samples: MemoryPart<Float>) {
    let slopes = tools.slopes(.sine).short
    let count = tools.shortMasking.partitionCount
    for window in 0..<8 {
      let part = lines.from(128 * window)
      tools.shortTransform.run(samples + (448 + 128 * window), rise: slopes.rise, fall: slopes.fall, to: part)
      tools.shortMasking.weights(of: part, to: weights.from(count * window))
    }
  }

  private func costOfShort(frame: AlignedMemory<Float>) -> Float {
    let count = tools.shortMasking.partitionCount
    var entropy = PerceptualEntropy()
    for window in 0..<8 {
      let weights = unsafe weights.pointer(at: count * window, count: count)
      for band in 0..<bands.used[0].short {
        let (from, end) = (Int(bands.short.offsets[band]), Int(bands.short.offsets[band + 1]))
        let local = unsafe BandTables.weight(weights, bands.shortShares[band])
        let weight = unsafe bands.shortWeight(band, local: local, frame: frame.start)
        entropy.add(lines.from(128 * window + from), count: end - from, weight: weight / acceptable)
      }
    }
    entropy.flush()
    return entropy.cost
  }

  /// The noise of a long window is the same in all of the short ones that it stands for, and counts as in these.
  private func costOfLong(_ lines: AlignedMemory<Float>, _ frame: AlignedMemory<Float>) -> Float {
    let count = tools.shortMasking.partitionCount
    var entropy = PerceptualEntropy()
    for band in 0..<bands.used[0].long {
      let (from, end) = (Int(bands.long.offsets[band]), Int(bands.long.offsets[band + 1]))
      var local: Float = 0
      for window in 0..<8 {
        let weights = unsafe weights.pointer(at: count * window, count: count)
        unsafe local += BandTables.weight(weights, shortSharesOfLong[band])
      }
      let own = unsafe BandTables.weight(frame.start, bands.longShares[band])
      // The mean over eight windows. A short window's weight is eight times a long one's, hence 64.
      let weight = BandTables.localShare * local / 64 + (1 - BandTables.localShare) * own
      entropy.add(lines.from(from), count: end - from, weight: weight / acceptable)
    }
    entropy.flush()
    return entropy.cost
  }
}

extension PerceptualEntropy {
  /// Adds lines of one band.
  fileprivate mutating func add(_ lines: MemoryPart<Float>, count: Int, weight: Float) {
    let vectors = unsafe lines.vectors(count: count)
    for vector in 0..<(count / 4) {
      let x = unsafe vectors[vector]
      add(x * x * weight, SIMD4())
    }
  }
}
