/// The subbands of one channel of an SBR layer, and what carries over from one frame to the next.
///
/// The sound of the core is delayed: a frame's output begins with what was analysed six slots ago, so that prediction
/// and envelopes can reach beyond its ends.
///
/// Source: ISO/IEC 14496-3, 4.6.18.2.
final class SBRSignal {
  /// Slots that the generator looks back, `tHFGen`.
  static let lookBack = 8
  /// Slots between the analysis's first and the output's, `tHFAdj`.
  static let delay = 2

  /// Earlier samples of the core and those of the frame.
  let samples = AlignedMemory<Float>(QMFAnalysis.history + QMFAnalysis.frameLength)
  /// The core's subbands: eight slots of the frame before, then the frame's 32. Output slot `n` is slot `n + 2` here.
  let low = SubbandSamples(bands: 32)
  /// The generated subbands, by output slot: an envelope may end in the next frame.
  let high = SubbandSamples(bands: SBRBands.subbands)
  /// What the frame before generated for this one: its slots from 32 on.
  let early = SubbandSamples(bands: SBRBands.subbands)
  /// All subbands by output slot, and of the lower ones the six slots that follow.
  let output = SubbandSamples(bands: SBRBands.subbands)
  let synthesis = QMFSynthesis.State(bands: 64)

  /// How much of its noise each noise band's low band keeps, smoothed: the chirp factors.
  var chirp = [Float](repeating: 0, count: SBRChannel.noiseRoom)
  /// Which subbands had a sine in the last envelope.
  var sines = [Bool](repeating: false, count: SBRBands.subbands)
  /// Positions in the tables of noise and of the sines' phases.
  var noisePosition = 0
  var phase = 0
  /// Frames since a seek, until there was one to replicate.
  var skippedFrames = 0
  /// Gains of the last four slots, four for each subband: of sound and of noise.
  let lastGains = AlignedMemory<Float>(4 * SBRBands.subbands)
  let lastNoiseGains = AlignedMemory<Float>(4 * SBRBands.subbands)
  /// Where the frame before handed over to SBR, how many subbands this made, and until which slot of this frame.
  private var earlyFirst = 32
  private var earlyCount = 0
  private var earlyEnd = 0

  /// Forgets the past.
  func reset() {
    for memory in [samples, lastGains, lastNoiseGains] { memory.clear() }
    for subbands in [low, high, early, output] { subbands.clear() }
    synthesis.reset()
    for index in chirp.indices { chirp[index] = 0 }
    for index in sines.indices { sines[index] = false }
    (noisePosition, phase, skippedFrames) = (0, 0, 0)
    (earlyFirst, earlyCount, earlyEnd) = (32, 0, 0)
  }

  /// Takes the core's frame into the low band.
  func analyse(_ core: AlignedMemory<Float>, _ bank: QMFAnalysis) {
    let (history, length) = (QMFAnalysis.history, QMFAnalysis.frameLength)
    samples.all.update(from: samples.from(length), count: history)
    samples.from(history).update(from: core.all, count: length)
    for band in 0..<32 {
      let first = band * SubbandSamples.slots
      low.real.from(first).update(from: low.real.from(first + 32), count: SBRSignal.lookBack)
      low.imaginary.from(first).update(from: low.imaginary.from(first + 32), count: SBRSignal.lookBack)
    }
    bank.analyse(samples, to: low, firstSlot: SBRSignal.lookBack)
  }

  /// Puts the output together: the core's subbands below `first`, generated ones from there on.
  ///
  /// - Parameters:
  ///   - first: where SBR takes over; 32 without it.
  ///   - count: subbands that it made.
  ///   - end: the slot where its last envelope ended, 32 or more.
  func assemble(first: Int, count: Int, end: Int) {
    let made = first..<(first + count)
    assemble(made, low: low.real, high: high.real, early: early.real, to: output.real)
    assemble(made, low: low.imaginary, high: high.imaginary, early: early.imaginary, to: output.imaginary)
    keepEarly(first: first, count: count, end: end)
  }

  /// The same for real or imaginary parts.
  private func assemble(
    _ made: Range<Int>, low: AlignedMemory<Float>, high: AlignedMemory<Float>, early: AlignedMemory<Float>,
    to output: AlignedMemory<Float>
  ) {
    for band in 0..<SBRBands.subbands {
      let row = band * SubbandSamples.slots
      let target = output.from(row)
      if band < made.lowerBound {
        target.update(from: low.from(row + SBRSignal.delay), count: 38)
      } else if band < made.upperBound {
        target.update(from: high.from(row), count: 32)
      } else {
        target.update(repeating: 0, count: 38)
      }
      guard earlyEnd > 0 else { continue }
      if band < earlyFirst {
        target.update(from: low.from(row + SBRSignal.delay), count: earlyEnd)
      } else if band < earlyFirst + earlyCount {
        target.update(from: early.from(row), count: earlyEnd)
      } else {
        target.update(repeating: 0, count: earlyEnd)
      }
    }
  }

  private func keepEarly(first: Int, count: Int, end: Int) {
    (earlyFirst, earlyCount, earlyEnd) = (first, count, count > 0 ? min(max(end - 32, 0), SBRSignal.lookBack) : 0)
    guard earlyEnd > 0 else { return }
    for band in first..<(first + count) {
      let row = band * SubbandSamples.slots
      early.real.from(row).update(from: high.real.from(row + 32), count: earlyEnd)
      early.imaginary.from(row).update(from: high.imaginary.from(row + 32), count: earlyEnd)
    }
  }
}
