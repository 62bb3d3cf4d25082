/// Which bands of a frame AAC Main predicts. Source: ISO/IEC 14496-3, 4.4.2.1, table 4.6.
struct MainPredictionInfo {
  /// The group of predictors to be reset, 1 to 30.
  var resetGroup: Int?
  /// A bit for each band.
  var bands: UInt64 = 0

  init(_ reader: inout PacketBitReader, bands count: Int) throws(PacketFault) {
    if reader.flag() {
      let group = reader.bits(5)
      guard (1...Prediction.resetGroups).contains(group) else { throw .invalid("predictor_reset_group_number", group) }
      resetGroup = group
    }
    for band in 0..<count where reader.flag() { bands |= 1 << UInt64(band) }
  }
}

/// The predictors of AAC Main: one for each line, which predicts it from the two previous frames.
///
/// Encoder and decoder must agree to the last bit, so the standard specifies how every number is rounded: to the upper
/// sixteen bits of a float.
///
/// Source: ISO/IEC 14496-3, 4.6.6.
struct MainPredictor {
  /// A lattice of two stages: what passed through it, and estimates of its correlation and energy.
  private struct State {
    var past: (Float, Float) = (0, 0)
    var correlation: (Float, Float) = (0, 0)
    var variance: (Float, Float) = (1, 1)
  }

  private var states = [State](repeating: State(), count: Prediction.maximumLines)

  /// Resets all predictors.
  mutating func reset() {
    states = [State](repeating: State(), count: Prediction.maximumLines)
  }

  /// Adds the prediction to the bands that use it, and updates all predictors.
  mutating func predict(_ spectrum: AlignedMemory<Float>, _ info: WindowInfo, predictedBands: Int) {
    guard info.sequence != .eightShort else { return reset() }
    // A line for each state, as the loop below ends with them.
    let lines = unsafe spectrum.pointer(at: 0, count: states.count)
    for band in 0..<min(predictedBands, info.bands.count) {
      let isUsed = (info.prediction?.bands ?? 0) >> UInt64(band) & 1 == 1
      let (start, count) = info.bands.lines(band)
      for line in start..<min(start + count, states.count) {
        unsafe MainPredictor.predict(&states[line], &lines[line], isUsed: isUsed)
      }
    }
    if let group = info.prediction?.resetGroup {
      for line in stride(from: group - 1, to: states.count, by: Prediction.resetGroups) { states[line] = State() }
    }
  }

  @inline(__always)
  private static func predict(_ state: inout State, _ line: inout Float, isUsed: Bool) {
    let (alpha, attenuation) = (Prediction.alpha, Prediction.attenuation)
    let (past, correlation, variance) = (state.past, state.correlation, state.variance)
    let first = variance.0 > 1 ? correlation.0 * (attenuation / variance.0).roundedEven16 : 0
    let second = variance.1 > 1 ? correlation.1 * (attenuation / variance.1).roundedEven16 : 0
    if isUsed { line += (first * past.0 + second * past.1).rounded16 }
    let error = (line, line - first * past.0)
    state.correlation.1 = (alpha * correlation.1 + past.1 * error.1).truncated16
    state.variance.1 = (alpha * variance.1 + 0.5 * (past.1 * past.1 + error.1 * error.1)).truncated16
    state.correlation.0 = (alpha * correlation.0 + past.0 * error.0).truncated16
    state.variance.0 = (alpha * variance.0 + 0.5 * (past.0 * past.0 + error.0 * error.0)).truncated16
    state.past.1 = (attenuation * (past.0 - first * error.0)).truncated16
    state.past.0 = (attenuation * error.0).truncated16
  }
}

extension Float {
  /// The upper sixteen bits; truncated.
  @inline(__always)
  fileprivate var truncated16: Float { Float(bitPattern: bitPattern & 0xFFFF_0000) }

  /// The upper sixteen bits; rounded half away from zero.
  @inline(__always)
  fileprivate var rounded16: Float { Float(bitPattern: (bitPattern &+ 0x8000) & 0xFFFF_0000) }

  /// The upper sixteen bits; rounded half to even.
  @inline(__always)
  fileprivate var roundedEven16: Float {
    Float(bitPattern: (bitPattern &+ 0x7FFF &+ (bitPattern >> 16 & 1)) & 0xFFFF_0000)
  }
}
