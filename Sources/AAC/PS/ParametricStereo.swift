/// Parametric stereo: makes two channels of the one that was coded.
///
/// Source: ISO/IEC 14496-3, subpart 8.
final class ParametricStereo {
  private var parameters = PSParameters()
  private let history = PSHistory()
  private let decorrelator = PSDecorrelator()
  private let mixer = PSMixer()
  private let banks = (few: HybridBank(.few), many: HybridBank(.many))
  private let left = SubbandSamples(bands: PSBandMap.many.count)
  private let right = SubbandSamples(bands: PSBandMap.many.count)
  /// Whether the frame before had 34 bands.
  private var hadManyBands = false

  /// Whether there is anything to do: a header came.
  var isActive: Bool { parameters.hasHeader }

  /// Reads a packet's parameters.
  func read(_ reader: inout PacketBitReader) throws(PacketFault) {
    do throws(PacketFault) {
      try parameters.read(&reader)
    } catch {
      parameters = PSParameters()
      throw error
    }
  }

  /// Forgets the past, but not the last header.
  func reset() {
    parameters.reset()
    history.clear()
    decorrelator.reset()
    mixer.reset()
    hadManyBands = false
  }

  /// Makes two channels of one.
  ///
  /// - Parameters:
  ///   - source: the channel's subbands, slots 0 to 31, and of the lowest five the six slots that follow; becomes left.
  ///   - target: becomes right.
  ///   - end: subbands from here on are silent.
  func process(_ source: SubbandSamples, to target: SubbandSamples, end: Int) {
    let map: PSBandMap = parameters.hasManyBands ? .many : .few
    let bank = parameters.hasManyBands ? banks.many : banks.few
    let isNew = parameters.hasManyBands != hadManyBands
    if isNew { decorrelator.reset() }
    hadManyBands = parameters.hasManyBands
    history.append(source)
    bank.divide(history, source, to: left)
    decorrelator.decorrelate(left, map, end: end + map.count - SBRBands.subbands, to: right)
    mixer.mix(left, right, parameters, map, isNew: isNew)
    bank.unite(left, to: source)
    bank.unite(right, to: target)
  }
}
