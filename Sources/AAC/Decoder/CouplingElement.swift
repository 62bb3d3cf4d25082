#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A coupling channel: sound common to several channels, added to each with gains of its own.
///
/// A dependently switched one has the same windows as its targets and is added to their spectra, before or after noise
/// shaping; an independently switched one is added to their samples.
///
/// Source: ISO/IEC 14496-3, 4.4.2.1, table 4.8, and 4.6.8.3.
final class CouplingElement {
  /// Where in the decoder it is added.
  enum Point {
    case beforeNoiseShaping, afterNoiseShaping, inTime
  }

  /// An element that it is added to.
  struct Target {
    let isPair: Bool
    let tag: Int
    /// Which channels of a pair are coupled, and which list of gains each uses; `nil` for a channel that is not a
    /// target. A single channel is the first.
    var lists: (first: Int?, second: Int?)
  }

  let tag: Int
  let stream: ChannelStream
  private(set) var point = Point.inTime
  private(set) var targets: [Target] = []
  /// Whether the current packet has it.
  var isPresent = false
  /// Gains by list and band.
  private var gains: [Float] = []

  init(tag: Int, _ tables: StreamTables) {
    self.tag = tag
    stream = ChannelStream(tables)
  }

  /// Reads `coupling_channel_element`, except its tag.
  func read(
    _ reader: inout PacketBitReader, _ tables: StreamTables, _ spectral: SpectralReader, _ noise: inout NoiseSource
  ) throws(PacketFault) {
    let isIndependent = reader.flag()
    let lists = readTargets(&reader)
    let isAfter = reader.flag()
    point = isIndependent ? .inTime : isAfter ? .afterNoiseShaping : .beforeNoiseShaping
    let isSigned = reader.flag()
    let step = 1 << reader.bits(2)
    try stream.read(&reader, tables, spectral, &noise, shared: nil)
    gains = [Float](repeating: 1, count: lists * ChannelStream.bandRoom)
    for list in 1..<max(lists, 1) {
      readGains(&reader, spectral, list: list, step: step, isSigned: isSigned, isIndependent: isIndependent)
    }
    if reader.isOverrun { throw .truncated("coupling_channel_element") }
    isPresent = true
  }

  /// - Returns: the number of lists of gains.
  private func readTargets(_ reader: inout PacketBitReader) -> Int {
    var lists = 0
    targets = (0...reader.bits(3)).map { _ in
      let isPair = reader.flag()
      let tag = reader.bits(4)
      var target = Target(isPair: isPair, tag: tag, lists: (lists, nil))
      if isPair {
        let (left, right) = (reader.flag(), reader.flag())
        // Neither flag: both channels, with the same gains. Both: each with its own.
        target.lists = (left || !right ? lists : nil, left && right ? lists + 1 : left ? nil : lists)
        if left && right { lists += 1 }
      }
      lists += 1
      return target
    }
    return lists
  }

  /// Reads a list of gains: one for all bands, or differences from band to band. A step is a factor of 2
  /// to the power of 1/8, 1/4, 1/2 or 1.
  private func readGains(
    _ reader: inout PacketBitReader, _ spectral: SpectralReader, list: Int, step: Int, isSigned: Bool,
    isIndependent: Bool
  ) {
    let base = list * ChannelStream.bandRoom
    func gain(_ exponent: Int) -> Float { Float(exp2(-Double(exponent * step) / 8)) }
    if isIndependent || reader.flag() {
      let common = gain(spectral.scalefactorDifference(&reader))
      for index in base..<(base + ChannelStream.bandRoom) { gains[index] = common }
      return
    }
    var sum = 0
    let info = stream.info
    for group in 0..<info.groups {
      for index in (group * info.bandStride)..<(group * info.bandStride + info.codedBands)
      where stream.codebooks[index] != Codebook.zero {
        sum += spectral.scalefactorDifference(&reader)
        // With signs, the lowest bit is the sign.
        gains[base + index] = isSigned ? gain(sum >> 1) * (sum & 1 == 1 ? -1 : 1) : gain(sum)
      }
    }
  }

  /// Adds the spectrum to a target's.
  func addSpectrum(to target: ChannelStream, list: Int) {
    let (source, lines) = (stream.spectrum, target.spectrum)
    stream.info.forEachBand { index, start, count in
      guard stream.codebooks[index] != Codebook.zero else { return }
      let gain = gains[list * ChannelStream.bandRoom + index]
      for line in start..<(start + count) { lines[line] += source[line] * gain }
    }
  }

  /// Adds the samples to a target's.
  func addSamples(to target: ChannelStream, list: Int) {
    let gain = gains[list * ChannelStream.bandRoom]
    for index in 0..<target.samples.count { target.samples[index] += stream.samples[index] * gain }
  }
}
