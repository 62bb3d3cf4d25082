/// Pulses: amounts added to the magnitudes of a few quantised lines, which lets the rest be coded with smaller books.
///
/// Source: ISO/IEC 14496-3, 4.4.2.7, table 4.7, and 4.6.3.3.
struct PulseInfo {
  private var pulses: [(line: Int, amplitude: Int)] = []

  /// Reads `pulse_data`.
  init(_ reader: inout PacketBitReader, _ info: WindowInfo) throws(PacketFault) {
    if info.sequence == .eightShort { throw .invalid("pulse_data_present", 1) }
    let count = reader.bits(2) + 1
    let band = reader.bits(6)
    guard band < info.bands.count else { throw .invalid("pulse_start_sfb", band) }
    var line = info.bands.lines(band).start
    for _ in 0..<count {
      line += reader.bits(5)
      guard line < info.windowLength else { throw .invalid("pulse_offset", line) }
      pulses.append((line, reader.bits(4)))
    }
  }

  /// Adds the pulses. Lines are already scaled: the quantised value is recovered exactly, as neighbouring values are
  /// far apart compared with the precision of a float.
  func apply(to channel: ChannelStream) {
    let spectrum = channel.spectrum
    for pulse in pulses {
      guard let band = channel.band(of: pulse.line) else { continue }
      let codebook = Int(channel.codebooks[band])
      let gain = channel.gains[band]
      guard codebook != Codebook.zero, codebook < Codebook.reserved, gain > 0 else { continue }
      let scaled = Double(spectrum[pulse.line]) / Double(gain)
      let magnitude = Int((scaled.magnitude.squareRoot() * scaled.magnitude.squareRoot().squareRoot()).rounded())
      let raised = min(magnitude + pulse.amplitude, Codebook.largestMagnitude)
      let value = Quantisation.power43[raised] * gain
      // A line that was 0 becomes negative: the standard subtracts unless the line is positive.
      spectrum[pulse.line] = scaled > 0 ? value : -value
    }
  }
}

extension ChannelStream {
  /// The coded band that a line of a long window belongs to.
  fileprivate func band(of line: Int) -> Int? {
    (0..<info.codedBands).first { line < Int(info.bands.offsets[$0 + 1]) }
  }
}
