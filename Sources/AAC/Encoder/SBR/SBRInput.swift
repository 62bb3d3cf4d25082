/// One channel on its way into an encoder with SBR: its samples at the full rate, from which come the core's, at half
/// of it, and 64 subbands, whose upper ones are described.
///
/// Both have to meet again in the decoder. There, a frame of subbands lags six slots behind the packet's core (see
/// `SBRSignal`), so here it is taken six slots earlier than the packet's first sample.
final class SBRInput: EncoderInput {
  /// Frames of a packet.
  static let frameLength = 2048
  /// Frames that a decoder's filter banks delay the sound by.
  static let decoderDelay = 962
  /// Samples by which a frame of subbands begins before its packet's core: six slots of 64.
  private static let lead = 384
  /// Samples that the filter bank needs before a frame.
  private static let history = 576

  /// The frame of subbands that is described next, in slots 0 to 31, and the first slots of the one after it.
  private(set) var current = SubbandSamples(bands: SBRBands.subbands)
  /// The frame after it.
  private(set) var next = SubbandSamples(bands: SBRBands.subbands)

  /// From `lead + history` before the packet after the one that is coded next, to the end of the core's look-ahead.
  private let samples = AlignedMemory<Float>(capacity)
  private static let capacity = lead + history + 2 * frameLength + HalfBandFilter.reach + 1
  /// Number of samples held: what is before the sound is silent.
  private var filled = lead + history + frameLength
  private let analysed = AlignedMemory<Float>(history + frameLength)

  /// Room for more samples.
  var room: Int { SBRInput.capacity - filled }

  /// Where the next samples go.
  var end: MemoryPart<Float> { samples.from(filled) }

  /// Notes that this many samples were added at the end.
  func advance(_ count: Int) { filled += count }

  /// Takes the frame that is full: half of its samples go to the core, and the subbands move on.
  func take(_ tools: SBREncoderTools, core: ChannelAnalysis) {
    let start = SBRInput.lead + SBRInput.history
    tools.halfBand.run(samples.from(start + SBRInput.frameLength), to: core.end)
    core.advance(SBRInput.frameLength / 2)
    swap(&current, &next)
    analysed.all.update(from: samples.all, count: analysed.count)
    tools.bank.analyse(analysed, to: next, firstSlot: 0)
    for band in 0..<SBRBands.subbands {
      let row = band * SubbandSamples.slots
      current.real.from(row + 32).update(from: next.real.from(row), count: 8)
      current.imaginary.from(row + 32).update(from: next.imaginary.from(row), count: 8)
    }
    samples.all.update(from: samples.from(SBRInput.frameLength), count: filled - SBRInput.frameLength)
    filled -= SBRInput.frameLength
  }
}

/// What all channels of an encoder with SBR share.
final class SBREncoderTools {
  let halfBand = HalfBandFilter(count: SBRInput.frameLength / 2)
  let bank = QMFAnalysis(bands: 64, fullScale: 32768)
  /// Makes the core's samples of the lower subbands, where two channels are mixed to one.
  let coreBank = QMFSynthesis(bands: 32)
}
