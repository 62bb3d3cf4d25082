/// Writes the elements of packets: one channel or a pair.
final class ElementWriter {
  private let configuration: ALACConfiguration
  private let residualWriter: ResidualWriter
  private var analysis: PredictionAnalysis
  /// Low bits of a sample that are not coded: of more than 16, nothing predicts them.
  private let lowBits: Int
  // Room for the samples of a packet: without their low bits, as mean and difference, what prediction leaves.
  private let high: [SampleMemory]
  private let mixed: [SampleMemory]
  private let residuals: [SampleMemory]

  /// A writer for streams of a configuration.
  init(configuration: ALACConfiguration) {
    self.configuration = configuration
    lowBits = configuration.bitDepth >= 24 ? configuration.bitDepth - 16 : 0
    residualWriter = ResidualWriter(
      multiplier: UInt32(configuration.historyMultiplier), initialMean: UInt32(configuration.initialHistory),
      limit: Int(configuration.riceLimit))
    analysis = PredictionAnalysis(frameLength: configuration.frameLength)
    let room = { (_: Int) in SampleMemory(configuration.frameLength) }
    (high, mixed, residuals) = ((0..<2).map(room), (0..<2).map(room), (0..<2).map(room))
  }

  /// The most bytes that an element takes. Coding that saves nothing may exceed the raw size by up to a third before it
  /// is abandoned.
  static func capacity(_ configuration: ALACConfiguration) -> Int {
    configuration.channels * (configuration.frameLength * 14 + 256)
  }

  /// Writes an element, from its instance tag on.
  ///
  /// - Parameters:
  ///   - samples: of one channel or two.
  ///   - count: how many each has.
  ///   - instance: the number of elements of this kind before it.
  func write(_ samples: [SampleMemory], count: Int, instance: Int, to writer: PacketWriter) {
    writer.append(UInt32(instance), bits: 4)
    writer.append(0 as UInt32, bits: 12)
    writer.append(count == configuration.frameLength ? 0 : 1 as UInt32, bits: 1)
    let mark = writer.mark
    let start = writer.count
    writeCoded(samples, count: count, to: writer)
    guard writer.count - start >= 3 + count * samples.count * configuration.bitDepth else { return }
    writer.rewind(to: mark)
    // Raw samples have no low bytes apart, and decoders ignore the field; but ffmpeg refuses pairs of 32 bits without.
    let lowBytes = configuration.bitDepth == 32 && samples.count == 2 ? 2 : 0
    writeHead(lowBytes: lowBytes, isRaw: true, count: count, to: writer)
    interleave(samples, count: count, width: configuration.bitDepth, to: writer)
  }

  private func writeHead(lowBytes: Int, isRaw: Bool, count: Int, to writer: PacketWriter) {
    writer.append(UInt32(lowBytes), bits: 2)
    writer.append(isRaw ? 1 : 0 as UInt32, bits: 1)
    if count != configuration.frameLength { writer.append(UInt32(count), bits: 32) }
  }

  private func writeCoded(_ samples: [SampleMemory], count: Int, to writer: PacketWriter) {
    let (weight, channels) = prepare(samples, count: count)
    let width = configuration.bitDepth - lowBits + samples.count - 1
    writeHead(lowBytes: lowBits / 8, isRaw: false, count: count, to: writer)
    writer.append(weight == 0 ? 0 : StereoMix.shift, bits: 8)
    writer.append(weight, bits: 8)
    for (channel, rest) in zip(channels, residuals) {
      // As many as are there.
      let (input, output) = unsafe (UnsafePointer(channel.pointer(count: count)), rest.pointer(count: count))
      let coefficients = unsafe analysis.coefficients(input, count: count)
      let predictor = LinearPredictor(coefficients: coefficients, shift: PredictionAnalysis.shift, width: width)
      unsafe predictor.residuals(input, to: output, count: count)
      // Prediction in one step; a factor of four quarters.
      writer.append(0 as UInt32, bits: 4)
      writer.append(PredictionAnalysis.shift, bits: 4)
      writer.append(4 as UInt32, bits: 3)
      writer.append(UInt32(coefficients.count), bits: 5)
      for coefficient in coefficients { writer.append(coefficient, bits: 16) }
    }
    if lowBits > 0 { interleave(samples, count: count, width: lowBits, to: writer) }
    for rest in residuals.prefix(samples.count) {
      unsafe residualWriter.write(rest.pointer(count: count), count: count, width: width, to: writer)
    }
  }

  /// Takes the low bits away, and mixes a pair.
  ///
  /// - Returns: the weight of the mean, 0 for none, and what is to be predicted.
  private func prepare(_ samples: [SampleMemory], count: Int) -> (Int32, [SampleMemory]) {
    var channels = samples
    if lowBits > 0 {
      for (sample, target) in zip(samples, high) {
        let (input, output) = unsafe (sample.pointer(count: count), target.pointer(count: count))
        for index in 0..<count { unsafe output[index] = input[index] &>> Int32(lowBits) }
      }
      channels = Array(high.prefix(samples.count))
    }
    guard channels.count == 2 else { return (0, channels) }
    let (left, right) = unsafe (channels[0].pointer(count: count), channels[1].pointer(count: count))
    let weight = unsafe StereoMix.weight(left, right, count: count)
    guard weight > 0 else { return (0, channels) }
    unsafe StereoMix.mix(
      left, right, weight: weight, mean: mixed[0].pointer(count: count), difference: mixed[1].pointer(count: count),
      count: count)
    return (weight, mixed)
  }

  /// Writes the lowest bits of all samples, frame after frame.
  private func interleave(_ samples: [SampleMemory], count: Int, width: Int, to writer: PacketWriter) {
    if samples.count == 2 {
      let (left, right) = unsafe (samples[0].pointer(count: count), samples[1].pointer(count: count))
      for frame in 0..<count {
        unsafe writer.append(left[frame], bits: width)
        unsafe writer.append(right[frame], bits: width)
      }
    } else if let only = samples.first {
      let start = unsafe only.pointer(count: count)
      for frame in 0..<count { unsafe writer.append(start[frame], bits: width) }
    }
  }
}
