/// Long-term prediction (LTP) data: how a frame is predicted from earlier output. Source: ISO/IEC 14496-3, 4.4.2.7,
/// table 4.55.
struct LongTermInfo {
  /// How many samples earlier, 0 to 2047.
  let lag: Int
  /// The gain applied to them.
  let gain: Float
  /// A bit for each band that is predicted.
  var bands: UInt64 = 0

  init(_ reader: inout PacketBitReader, codedBands: Int) {
    lag = reader.bits(11)
    gain = Prediction.longTermGains[reader.bits(3)]
    for band in 0..<min(codedBands, Prediction.maximumLongTermBands) where reader.flag() {
      bands |= 1 << UInt64(band)
    }
  }
}

/// The past of a channel, which LTP predicts from: two frames, and what is known of the next.
///
/// Source: ISO/IEC 14496-3, 4.6.7.
final class LongTermHistory {
  private let past: AlignedMemory<Float>
  private let predicted: AlignedMemory<Float>
  private let spectrum: AlignedMemory<Float>
  private let frameLength: Int

  init(frameLength: Int) {
    self.frameLength = frameLength
    past = AlignedMemory(3 * frameLength)
    predicted = AlignedMemory(2 * frameLength)
    spectrum = AlignedMemory(frameLength)
  }

  /// Forgets everything.
  func reset() { past.clear() }

  /// Adds the prediction to the bands of a spectrum that use it; called before noise shaping.
  func predict(_ channel: ChannelStream, _ bank: FilterBank) {
    guard let info = channel.info.longTerm, channel.info.sequence != .eightShort else { return }
    let known = min(frameLength + info.lag, 2 * frameLength)
    // The source begins `lag` before the third frame of `past`, and `known` ends with that frame at the latest.
    let (past, target) = unsafe (past.start, predicted.start)
    for index in 0..<(2 * frameLength) {
      let source = index + 2 * frameLength - info.lag
      unsafe target[index] = index < known && source >= 0 ? past[source] * info.gain : 0
    }
    bank.analyse(predicted, as: channel, to: spectrum)
    channel.noiseShaping.analyse(spectrum, channel.info)
    for band in 0..<min(channel.info.codedBands, Prediction.maximumLongTermBands)
    where info.bands >> UInt64(band) & 1 == 1 {
      let (start, count) = channel.info.bands.lines(band)
      let lines = unsafe channel.spectrum.pointer(at: start, count: count)
      let prediction = unsafe spectrum.pointer(at: start, count: count)
      for line in 0..<count { unsafe lines[line] += prediction[line] }
    }
  }

  /// Adds a finished frame.
  func append(_ channel: ChannelStream, _ bank: FilterBank) {
    past.all.update(from: past.from(frameLength), count: frameLength)
    past.from(frameLength).update(from: channel.samples.all, count: frameLength)
    bank.estimate(channel, to: past.from(2 * frameLength))
  }
}
