/// One channel of a stream: what the present packet says of it, and what is kept from one packet to the next.
final class ChannelStream {
  /// Room for side information: 8 groups of 16 bands, or one of 64.
  static let bandRoom = 128

  /// How the frame is divided.
  var info: WindowInfo
  /// The codebook of each band, by group and band.
  let codebooks = AlignedMemory<UInt8>(bandRoom)
  /// Each band's gain: from its scalefactor; of intensity, how much louder than left; of noise, its amplitude.
  let gains = AlignedMemory<Float>(bandRoom)
  /// Whether any band has only its loudness.
  var hasIntensity = false
  /// Noise shaping of the frame, if there is any.
  var noiseShaping = NoiseShapingInfo()
  /// The spectrum, window after window: of this packet, and of the last good one.
  private(set) var spectrum = AlignedMemory<Float>(1024)
  private(set) var lastSpectrum = AlignedMemory<Float>(1024)
  /// Samples of the frame.
  let samples = AlignedMemory<Float>(1024)
  /// The second half of what the last transform gave: fades out under the next frame.
  let ending = AlignedMemory<Float>(512)
  /// Shape of the last frame's windows.
  var lastShape = WindowShape.sine
  /// Sequence of the last frame's windows.
  var lastSequence = WindowSequence.onlyLong
  /// The backward predictors of AAC Main; only where they are used.
  var predictor: MainPredictor?
  /// The past that LTP predicts from; only where it is used.
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

  /// Forgets the past: what follows does not continue what was.
  func reset() {
    ending.clear()
    lastSpectrum.clear()
    lastShape = .sine
    lastSequence = .onlyLong
    predictor?.reset()
    history?.reset()
  }

  /// Says that this packet has nothing for this channel.
  func clear(_ tables: StreamTables) {
    info = WindowInfo(tables)
    info.shape = lastShape
    noiseShaping = NoiseShapingInfo()
    spectrum.clear()
  }
}
