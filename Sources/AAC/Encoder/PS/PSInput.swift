/// The two channels of a sound on their way into an encoder with parametric stereo: their subbands, the one channel
/// that they are mixed to, and the core's samples, which are made of that one's subbands.
///
/// The mix is made of subbands because its gain and phase differ from band to band. Of 64 subbands, a bank of 32 makes
/// samples at half the rate, so nothing else has to filter them.
///
/// Core and description have to line up again in the decoder: see `SBRInput`. The bank's output lags its input by 577
/// samples; that much look-ahead keeps the core aligned to the sample. The described frame begins 79 slots of 64
/// samples before the newest one, one sample later than it should.
final class PSInput {
  /// One channel's samples.
  final class Channel: EncoderInput {
    fileprivate let samples = AlignedMemory<Float>(history + SBRInput.frameLength)
    /// The first frame ends where the bank has everything of the silence before the sound.
    private var filled = history + SBRInput.frameLength - delay
    fileprivate var older = SubbandSamples(bands: SBRBands.subbands)
    fileprivate var old = SubbandSamples(bands: SBRBands.subbands)
    fileprivate var newest = SubbandSamples(bands: SBRBands.subbands)

    /// Room for more samples.
    var room: Int { samples.count - filled }

    /// Where the next samples go.
    var end: MemoryPart<Float> { samples.from(filled) }

    /// Notes that this many samples were added at the end.
    func advance(_ count: Int) { filled += count }

    fileprivate func analyse(_ bank: QMFAnalysis) {
      (older, old, newest) = (old, newest, older)
      bank.analyse(samples, to: newest, firstSlot: 0)
      samples.all.update(from: samples.from(SBRInput.frameLength), count: PSInput.history)
      filled = PSInput.history
    }
  }

  /// Samples that the filter bank needs before a frame.
  private static let history = 576
  /// Samples by which analysis and synthesis delay the sound.
  private static let delay = 577
  /// The slot, within the older of two analysed frames, at which the described frame begins.
  private static let offset = 17

  let channels = (left: Channel(), right: Channel())
  /// The mix of the frame that is described next, in slots 0 to 31, and the first slots of the one after it.
  private(set) var current = SubbandSamples(bands: SBRBands.subbands)
  private var next = SubbandSamples(bands: SBRBands.subbands)
  /// How the channels compare in that frame and the one after it.
  let analysis = PSAnalysis()

  private let mixer = PSDownmix()
  private var mixes = (
    older: SubbandSamples(bands: SBRBands.subbands), old: SubbandSamples(bands: SBRBands.subbands),
    newest: SubbandSamples(bands: SBRBands.subbands)
  )
  private let placed = SubbandSamples(bands: SBRBands.subbands)
  private let synthesis = QMFSynthesis.State(bands: 32)
  private let output = AlignedMemory<Float>(SBRInput.frameLength / 2)
  private var isFirst = true

  /// Takes the frame that is full: the core gets samples, and the subbands move on.
  func take(_ tools: SBREncoderTools, core: ChannelAnalysis) {
    channels.left.analyse(tools.bank)
    channels.right.analyse(tools.bank)
    mixes = (mixes.old, mixes.newest, mixes.older)
    mixer.mix(channels.left.newest, channels.right.newest, to: mixes.newest)
    tools.coreBank.synthesise(mixes.newest, synthesis, to: output)
    if !isFirst {
      // The bank makes samples whose full scale is 1.
      let target = unsafe core.end.pointer(count: output.count)
      for index in 0..<output.count { unsafe target[index] = output[index] * 32768 }
      core.advance(output.count)
    }
    isFirst = false
    swap(&current, &next)
    PSInput.place(mixes.older, mixes.old, to: next)
    PSInput.place(channels.left.older, channels.left.old, to: placed)
    analysis.takeLeft(placed)
    PSInput.place(channels.right.older, channels.right.old, to: placed)
    analysis.takeRight(placed)
  }

  /// All slots of a frame that begins within another.
  private static func place(_ first: SubbandSamples, _ second: SubbandSamples, to target: SubbandSamples) {
    let count = 32 - offset
    for band in 0..<SBRBands.subbands {
      let row = band * SubbandSamples.slots
      for (first, second, target) in [
        (first.real, second.real, target.real), (first.imaginary, second.imaginary, target.imaginary),
      ] {
        target.from(row).update(from: first.from(row + offset), count: count)
        target.from(row + count).update(from: second.from(row), count: SubbandSamples.slots - count)
      }
    }
  }
}
