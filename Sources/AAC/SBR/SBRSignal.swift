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
  /// The slots that the previous frame generated for this one: its own from 32 on.
  let early = SubbandSamples(bands: SBRBands.subbands)
  /// All subbands by output slot, and of the lower ones the six slots that follow. Parametric stereo needs more rows
  /// than there are subbands.
  let output: SubbandSamples
  let synthesis = QMFSynthesis.State(bands: 64)

  /// How strongly tones are filtered out of the copies, by noise band: the chirp factors, smoothed, 0 (not at all) to
  /// 0.98.
  var chirp = [Float](repeating: 0, count: SBRChannel.noiseRoom)
  /// Which subbands had a sine in the last envelope.
  var sines = [Bool](repeating: false, count: SBRBands.subbands)
  /// Positions in the tables of noise and of the sines' phases.
  var noisePosition = 0
  var phase = 0
  /// Frames without usable SBR data since the start or the last seek. After a seek, the first frame that has some needs
  /// to know.
  var skippedFrames = 0
  /// Gains of the last four slots, four for each subband: of sound and of noise.
  let lastGains = AlignedMemory<Float>(4 * SBRBands.subbands)
  let lastNoiseGains = AlignedMemory<Float>(4 * SBRBands.subbands)
  /// Where the frame before handed over to SBR, how many subbands this made, and until which slot of this frame.
  private var earlyFirst = 32
  private var earlyCount = 0
  private var earlyEnd = 0

  /// A signal whose output has a number of rows, at least one for each subband.
  init(rows: Int = SBRBands.subbands) {
    output = SubbandSamples(bands: rows)
  }

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
  ///
  /// From the previous frame only those subbands are kept that belonged to the core then, although the others were
  /// analysed as well. Where a header moves the border up, the standard leaves a gap of six slots, which an encoder can
  /// fill with a long envelope.
  ///
  /// Source: ISO/IEC 14496-3, 4.6.18.5 (`XLow`, for `k < kx'`).
  func analyse(_ core: AlignedMemory<Float>, _ bank: QMFAnalysis) {
    let (history, length) = (QMFAnalysis.history, QMFAnalysis.frameLength)
    samples.all.update(from: samples.from(length), count: history)
    samples.from(history).update(from: core.all, count: length)
    for band in 0..<32 {
      let row = unsafe low.row(band)
      if band < earlyFirst {
        unsafe row.copy(row, from: 32, count: SBRSignal.lookBack)
      } else {
        unsafe row.clear(count: SBRSignal.lookBack)
      }
    }
    bank.analyse(samples, to: low, firstSlot: SBRSignal.lookBack)
  }

  /// Puts the output together: the core's subbands below `first`, generated ones from there on.
  ///
  /// - Parameters:
  ///   - first: where SBR takes over; 32 without it.
  ///   - count: subbands that it made.
  ///   - end: the slot where its last envelope ended, 32 or more.
  ///   - firstRow: the output's row of the lowest subband.
  func assemble(first: Int, count: Int, end: Int, firstRow: Int) {
    for band in 0..<SBRBands.subbands {
      let target = unsafe output.row(firstRow + band)
      if band < first {
        unsafe target.copy(low.row(band), from: SBRSignal.delay, count: 38)
      } else if band < first + count {
        unsafe target.copy(high.row(band), count: 32)
      } else {
        unsafe target.clear(count: 38)
      }
      guard earlyEnd > 0 else { continue }
      if band < earlyFirst {
        unsafe target.copy(low.row(band), from: SBRSignal.delay, count: earlyEnd)
      } else if band < earlyFirst + earlyCount {
        unsafe target.copy(early.row(band), count: earlyEnd)
      } else {
        unsafe target.clear(count: earlyEnd)
      }
    }
    keepEarly(first: first, count: count, end: end)
  }

  private func keepEarly(first: Int, count: Int, end: Int) {
    (earlyFirst, earlyCount, earlyEnd) = (first, count, count > 0 ? min(max(end - 32, 0), SBRSignal.lookBack) : 0)
    guard earlyEnd > 0 else { return }
    for band in first..<(first + count) { unsafe early.row(band).copy(high.row(band), from: 32, count: earlyEnd) }
  }
}
