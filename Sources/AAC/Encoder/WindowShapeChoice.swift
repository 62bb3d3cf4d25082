/// Decides with which shape of slope a frame ends, and so the next one begins.
///
/// The Kaiser-Bessel window keeps a tone's energy out of lines far away, at the cost of the lines beside it: good for
/// sounds with few loud tones, bad for those with many close ones. A frame is transformed with both, and the shape
/// that takes fewer bits for the lines wins.
///
/// How many bits a steady tone takes varies from frame to frame with its phase, and differently with each shape. So the
/// bits of the last frames count too. Otherwise the shape would change all the time, and a window that begins with
/// one shape and ends with the other leaks as much as a sine.
///
/// Source: ISO/IEC 14496-3, 4.6.11.3.2 (window shapes).
final class WindowShapeChoice {
  /// How many bits a Kaiser-Bessel window may take at most, relative to a sine: the next frame, whose window begins
  /// with it, may be different.
  private static let margin: Float = 0.99
  /// How much of what earlier frames took counts, from one frame to the next: half of it after two and a half.
  private static let memory: Float = 0.75

  private let tools: AnalysisTools
  private let bands: BandTables
  /// The acceptable weighted noise of a line: divided by the line's weight, it is the noise's energy.
  private let acceptable: Float
  /// The lines of each channel with both shapes.
  private let sine: [AlignedMemory<Float>]
  private let kaiserBessel: [AlignedMemory<Float>]
  /// What frames took with each shape, the last ones most.
  private var (recentBitsOfSine, recentBitsOfKaiserBessel): (Float, Float) = (0, 0)
  /// About how many bits the frame that was transformed last takes, up to each of the bandwidths.
  private(set) var bits: [Float]
  /// The weights of noise in each channel.
  private let weights: [AlignedMemory<Float>]
  /// The weights of noise in the bands of the channel at hand, divided by `acceptable`.
  private let bandWeights: AlignedMemory<Float>

  /// - Parameters:
  ///   - channels: how many share their windows.
  ///   - price: the weighted noise that a bit is worth, about: that of the first frame will do for all.
  init(tools: AnalysisTools, bands: BandTables, channels: Int, price: Float) {
    self.tools = tools
    self.bands = bands
    acceptable = PerceptualEntropy.noise * price
    bits = bands.used.map { _ in 0 }
    sine = (0..<channels).map { _ in AlignedMemory(1024) }
    kaiserBessel = (0..<channels).map { _ in AlignedMemory(1024) }
    weights = (0..<channels).map { _ in AlignedMemory(tools.longMasking.partitionCount) }
    bandWeights = AlignedMemory(bands.long.count)
  }

  /// Transforms the next frame of channels that share their windows, and gives them its lines.
  ///
  /// - Parameters:
  ///   - channels: those that share their windows.
  ///   - offset: where the frame's window begins in their samples.
  ///   - rise: the slopes with which the frame begins.
  /// - Returns: the shape with which it ends.
  func transform(_ channels: [ChannelAnalysis], at offset: Int, rise: WindowSlopes) -> WindowShape {
    var (bitsOfSine, bitsOfKaiserBessel): (Float, Float) = (0, 0)
    for (index, channel) in channels.enumerated() {
      run(channel.samples.from(offset), rise, .sine, to: sine[index])
      run(channel.samples.from(offset), rise, .kaiserBessel, to: kaiserBessel[index])
      tools.longMasking.weights(of: sine[index].all, to: weights[index].all)
      let usual = 0..<bands.used[0].long
      weighBands(usual, weights[index])
      bitsOfSine += bits(of: sine[index], usual)
      bitsOfKaiserBessel += bits(of: kaiserBessel[index], usual)
    }
    recentBitsOfSine = WindowShapeChoice.memory * recentBitsOfSine + bitsOfSine
    recentBitsOfKaiserBessel = WindowShapeChoice.memory * recentBitsOfKaiserBessel + bitsOfKaiserBessel
    let isSine = recentBitsOfKaiserBessel >= WindowShapeChoice.margin * recentBitsOfSine
    bits[0] = isSine ? bitsOfSine : bitsOfKaiserBessel
    for (index, channel) in channels.enumerated() {
      let lines = isSine ? sine[index] : kaiserBessel[index]
      if !isSine { tools.longMasking.weights(of: lines.all, to: weights[index].all) }
      channel.takeNext(lines, weights[index])
    }
    for (index, (usual, wider)) in zip(bands.used, bands.used.dropFirst()).enumerated() {
      bits[index + 1] = channels.indices.reduce(bits[index]) { sum, channel in
        weighBands(usual.long..<wider.long, weights[channel])
        return sum + bits(of: isSine ? sine[channel] : kaiserBessel[channel], usual.long..<wider.long)
      }
    }
    return isSine ? .sine : .kaiserBessel
  }

  private func run(
    _ samples: MemoryPart<Float>, _ rise: WindowSlopes, _ shape: WindowShape, to lines: AlignedMemory<Float>
  ) {
    tools.longTransform.run(samples, rise: rise.long.rise, fall: tools.slopes(shape).long.fall, to: lines.all)
  }

  /// Finds the weights of noise in some bands of a channel, from those in its partitions.
  private func weighBands(_ range: Range<Int>, _ weights: AlignedMemory<Float>) {
    for band in range {
      bandWeights[band] = unsafe BandTables.weight(weights.start, bands.longShares[band]) / acceptable
    }
  }

  /// Bits that the lines of bands take, about: half the binary logarithm of one plus their energy over that of
  /// acceptable noise.
  ///
  /// The bit pattern of a float, taken as a number, is its logarithm to a twelfth: the exponent is above the fraction.
  /// Sums have room for 1024 lines, less than 2^23 each.
  private func bits(of lines: AlignedMemory<Float>, _ range: Range<Int>) -> Float {
    let offsets = bands.long.offsets
    // Bands are whole vectors, one after another, and no longer than the lines.
    let vectors = unsafe lines.from(0).vectors(count: Int(offsets[range.upperBound]))
    var sum = SIMD4<UInt32>()
    var vector = Int(offsets[range.lowerBound]) / 4
    for band in range {
      let (end, weight) = (Int(offsets[band + 1]) / 4, bandWeights[band])
      while vector < end {
        let x = unsafe vectors[vector]
        sum &+= (1 + x * x * weight).words &>> 8
        vector &+= 1
      }
    }
    let total = Float(sum.x) + Float(sum.y) + Float(sum.z) + Float(sum.w)
    // 15 bits of fraction are left, and 1 has the exponent 127.
    return 0.5 * (total / 32768 - 127 * Float(offsets[range.upperBound] - offsets[range.lowerBound]))
  }
}
