/// Parametric stereo: makes two channels of the one that was coded.
///
/// Source: ISO/IEC 14496-3, subpart 8.
final class ParametricStereo {
  private var parameters = PSParameters()
  private let history = PSHistory()
  private let decorrelator = PSDecorrelator()
  private let mixer = PSMixer()
  private let banks = (few: HybridBank(.few), many: HybridBank(.many))
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

  /// Rows of subbands that a channel needs.
  static let rows = PSBandMap.many.count

  private var map: PSBandMap { parameters.hasManyBands ? .many : .few }

  /// The row of the lowest subband in what `process` takes and makes: the lowest subbands are divided, and the rows
  /// before are room for their parts.
  var firstRow: Int { isActive ? map.firstRow : 0 }

  /// Makes two channels of one.
  ///
  /// - Parameters:
  ///   - left: the channel's subbands from row `firstRow` on, slots 0 to 31, and of the lowest five the six slots that
  ///     follow; becomes left.
  ///   - right: gets the right channel in the same rows.
  ///   - end: subbands from here on are silent.
  func process(_ left: SubbandSamples, to right: SubbandSamples, end: Int) {
    let (map, bank) = (map, parameters.hasManyBands ? banks.many : banks.few)
    let isNew = parameters.hasManyBands != hadManyBands
    if isNew { decorrelator.reset() }
    hadManyBands = parameters.hasManyBands
    history.append(left, firstRow: map.firstRow)
    bank.divide(history, to: left)
    decorrelator.decorrelate(left, map, end: end + map.firstRow, to: right)
    mixer.mix(left, right, parameters, map, isNew: isNew)
    bank.unite(left)
    bank.unite(right)
  }
}
