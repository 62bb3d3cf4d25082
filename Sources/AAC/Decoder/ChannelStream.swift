/// One channel of a stream: its data in the current packet, and its state from one packet to the next.
final class ChannelStream {
  /// Room for side information: 8 groups of 16 bands, or one of 64.
  static let bandRoom = 128

  /// How the frame is divided.
  var info: WindowInfo
  /// The codebook of each band, by group and band.
  let codebooks = AlignedMemory<UInt8>(bandRoom)
  /// Each band's gain: from its scalefactor; for intensity, the ratio to the left channel; for noise, its amplitude.
  let gains = AlignedMemory<Float>(bandRoom)
  /// Whether any band is coded as intensity only.
  var hasIntensity = false
  /// Noise shaping of the frame, if there is any.
  var noiseShaping = NoiseShapingInfo()
  /// The spectrum, window after window: of this packet, and of the last good one.
  private(set) var spectrum = AlignedMemory<Float>(1024)
  private(set) var lastSpectrum = AlignedMemory<Float>(1024)
  /// Samples of the frame.
  let samples = AlignedMemory<Float>(1024)
  /// The second half of the last transform's output: fades out under the next frame.
  let ending = AlignedMemory<Float>(512)
  /// Shape of the last frame's windows.
  var lastShape = WindowShape.sine
  /// Sequence of the last frame's windows.
  var lastSequence = WindowSequence.onlyLong
  /// The backward predictors of AAC Main, if they are used.
  var predictor: MainPredictor?
  /// The past that LTP predicts from, if it is used.
  var history: LongTermHistory?

  init(_ tables: StreamTables) {
    info = WindowInfo(tables)
    if tables.objectType == 1 { predictor = MainPredictor() }
    if tables.objectType == 4 { history = LongTermHistory(frameLength: tables.frameLength) }
  }

  /// Makes this packet's spectrum the last good one, and the one before it room for the next.
  func keepSpectrum() {
    swap(&spectrum, &lastSpectrum)
  }

  /// Forgets the past: what follows does not continue it.
  func reset() {
    ending.clear()
    lastSpectrum.clear()
    lastShape = .sine
    lastSequence = .onlyLong
    predictor?.reset()
    history?.reset()
  }

  /// Notes that this packet has no data for this channel.
  func clear(_ tables: StreamTables) {
    info = WindowInfo(tables)
    info.shape = lastShape
    noiseShaping = NoiseShapingInfo()
    spectrum.clear()
  }
}
