/// Reads an element of a packet: one channel or a pair.
///
/// Source: Apple Lossless Audio Codec, packet format.
struct ElementReader {
  let configuration: ALACConfiguration
  /// Low bits of a pair's samples that were not coded, but written as they are.
  private let lowBits: [SampleMemory]

  init(_ configuration: ALACConfiguration) {
    self.configuration = configuration
    lowBits = (0..<2).map { _ in SampleMemory(configuration.frameLength) }
  }

  /// The head of an element.
  private struct Head {
    var frames: Int
    /// Bits of a sample that were not coded.
    var lowBits: Int
    /// Whether samples are written as they are: where coding would take more room.
    var isRaw: Bool
  }

  /// The head of a channel.
  private struct Channel {
    var predictor: LinearPredictor
    var residuals: ResidualReader
    /// Whether residuals were made of differences of the residuals: for very predictable sound.
    var isTwice: Bool
    var isPlain: Bool
  }

  /// Reads an element, from its instance tag on.
  ///
  /// - Parameters:
  ///   - bits: the packet.
  ///   - channels: memory for the samples, of one channel or two, of `frameLength` samples each.
  /// - Returns: how many frames it has.
  /// - Throws: `ALACFault`.
  func read(_ bits: PacketBits, to channels: [SampleMemory]) throws(ALACFault) -> Int {
    let head = try head(bits)
    guard !head.isRaw else {
      try readRaw(bits, to: channels, frames: head.frames)
      return head.frames
    }
    let width = configuration.bitDepth - head.lowBits + channels.count - 1
    guard (1...32).contains(width) else { throw .invalid("bytesShifted", head.lowBits / 8) }
    let (mixShift, mixWeight) = (try bits.bits(8), try bits.signedBits(8))
    guard mixWeight == 0 || mixShift < 32 || channels.count == 1 else { throw .invalid("mixBits", Int(mixShift)) }
    var heads: [Channel] = []
    for _ in channels { heads.append(try channel(bits, width: width)) }
    if head.lowBits > 0 { try readLowBits(bits, width: head.lowBits, channels: channels.count, frames: head.frames) }
    for (coded, channel) in zip(heads, channels) {
      // As many samples as were checked to be there.
      let samples = unsafe channel.pointer(count: head.frames)
      try unsafe coded.residuals.read(bits, to: samples, count: head.frames, width: width)
      if coded.isTwice { unsafe LinearPredictor.sum(samples, count: head.frames, width: width) }
      if coded.isPlain {
        unsafe LinearPredictor.sum(samples, count: head.frames, width: width)
      } else {
        unsafe coded.predictor.run(samples, count: head.frames)
      }
    }
    if channels.count == 2, mixWeight != 0 { unmix(channels, head.frames, shift: Int32(mixShift), weight: mixWeight) }
    if head.lowBits > 0 { append(head.lowBits, to: channels, head.frames) }
    return head.frames
  }

  private func head(_ bits: PacketBits) throws(ALACFault) -> Head {
    // The instance tag, by which elements of one kind could be told apart, and what is reserved.
    _ = try bits.bits(4 + 12)
    let hasCount = try bits.flag()
    let (lowBits, isRaw) = (8 * Int(try bits.bits(2)), try bits.flag())
    let frames = hasCount ? Int(try bits.bits(32)) : configuration.frameLength
    guard (1...configuration.frameLength).contains(frames) else { throw .invalid("numSamples", frames) }
    return Head(frames: frames, lowBits: lowBits, isRaw: isRaw)
  }

  private func channel(_ bits: PacketBits, width: Int) throws(ALACFault) -> Channel {
    let (mode, shift) = (try bits.bits(4), try bits.bits(4))
    let (factor, order) = (try bits.bits(3), Int(try bits.bits(5)))
    guard shift > 0 || order == 0 else { throw .invalid("denShift", 0) }
    var coefficients: [Int32] = []
    for _ in 0..<order { coefficients.append(try bits.signedBits(16)) }
    let isPlain = order == LinearPredictor.differences
    return Channel(
      predictor: LinearPredictor(coefficients: coefficients, shift: Int32(max(shift, 1)), width: width),
      residuals: ResidualReader(
        multiplier: UInt32(configuration.historyMultiplier) * factor / 4,
        initialMean: UInt32(configuration.initialHistory), limit: Int(configuration.riceLimit)),
      isTwice: mode != 0, isPlain: isPlain)
  }

  // MARK: Samples that are written as they are

  private func readRaw(_ bits: PacketBits, to channels: [SampleMemory], frames: Int) throws(ALACFault) {
    guard frames * channels.count * configuration.bitDepth <= bits.count - bits.position else { throw .truncated }
    for frame in 0..<frames {
      for channel in channels {
        // As many samples as were checked to be there.
        unsafe channel.pointer(count: frames)[frame] = try bits.signedBits(configuration.bitDepth)
      }
    }
  }

  private func readLowBits(_ bits: PacketBits, width: Int, channels: Int, frames: Int) throws(ALACFault) {
    guard frames * channels * width <= bits.count - bits.position else { throw .truncated }
    // As many samples as were checked to be there; with one channel, the second pointer is not used.
    let (first, second) = unsafe (lowBits[0].pointer(count: frames), lowBits[1].pointer(count: frames))
    for frame in 0..<frames {
      unsafe first[frame] = Int32(bitPattern: try bits.bits(width))
      if channels == 2 { unsafe second[frame] = Int32(bitPattern: try bits.bits(width)) }
    }
  }

  // MARK: From what was coded to samples

  /// Left and right of what was predicted in their place: a weighted mean, and the difference.
  private func unmix(_ channels: [SampleMemory], _ frames: Int, shift: Int32, weight: Int32) {
    // As many samples as were checked to be there.
    let (left, right) = unsafe (channels[0].pointer(count: frames), channels[1].pointer(count: frames))
    for frame in 0..<frames {
      let difference = unsafe right[frame]
      let sample = unsafe left[frame] &- (difference &* weight) &>> shift
      unsafe right[frame] = sample
      unsafe left[frame] = sample &+ difference
    }
  }

  private func append(_ width: Int, to channels: [SampleMemory], _ frames: Int) {
    let shift = Int32(width)
    for (channel, low) in zip(channels, lowBits) {
      // As many samples as were checked to be there.
      let (samples, low) = unsafe (channel.pointer(count: frames), low.pointer(count: frames))
      for frame in 0..<frames { unsafe samples[frame] = samples[frame] &<< shift | low[frame] }
    }
  }
}
