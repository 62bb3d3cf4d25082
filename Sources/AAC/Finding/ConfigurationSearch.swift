package import MediaCore

/// Finds out how a stream is coded when only its packets are left.
///
/// Each set of tables is tried on a few stretches of the media. With the right one, packet follows packet as far as the
/// media goes; with a wrong one, chains break after one or two. Sampling rates that share their tables cannot be told
/// apart, and neither can those whose tables differ only in bands that the stream does not use.
package struct ConfigurationSearch {
  /// A rule, and how well it explains the media.
  package struct Candidate: Sendable {
    /// How packets are read, their elements included.
    package var rule: PacketRule
    /// Bytes of the stretches that lie in chains.
    package var bytes: UInt64 = 0
    /// Packets in these chains.
    package var packets = 0
    /// Whether any of them has an SBR layer.
    package var hasSBR = false
  }

  /// A rate in Hz for each set of tables, the likeliest set first.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.4, tables 4.129 to 4.147.
  static let rates: [UInt32] = [44100, 24000, 32000, 16000, 96000, 64000, 8000]

  /// The rates in Hz whose packets are read with the same tables as those of this one, highest first.
  package static func sharing(_ rate: UInt32) -> [UInt32] {
    let offsets = ScalefactorBandOffsets.of1024[SamplingFrequency.tableIndex(of: rate)]
    return SamplingFrequency.table.indices.filter { ScalefactorBandOffsets.of1024[$0] == offsets }
      .map { SamplingFrequency.table[$0] }
  }

  private let reader: SourceReader
  private let media: Range<UInt64>

  /// Sizes of the stretches: where sound is a small part of the media, short ones may miss it.
  private static let stretchSizes: [UInt64] = [64 << 10, 1 << 20]
  private static let stretchCount: UInt64 = 4
  /// Packets that a stream has at least, to be one.
  private static let fewestPackets = 8
  /// The part of the media in chains from which on no other kind of coding is tried.
  private static let explained = 0.99

  /// A search in a part of a source.
  package init(_ reader: SourceReader, media: Range<UInt64>) {
    self.reader = reader
    self.media = media.clamped(to: 0..<reader.size)
  }

  /// The rules that explain most of the media, equally well, the likeliest first; empty if there is no AAC.
  ///
  /// - Throws: `SourceError` if reading fails.
  package func candidates() throws(SourceError) -> [Candidate] {
    for (round, size) in ConfigurationSearch.stretchSizes.enumerated() {
      let stretches = stretches(of: size)
      let total = stretches.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
      var found = try candidates(ConfigurationSearch.rules(objectType: 2), stretches)
      if round == 0, Double(found.first?.bytes ?? 0) < ConfigurationSearch.explained * Double(total) {
        let rules =
          ConfigurationSearch.rules(objectType: 2, frameLength: 960) + ConfigurationSearch.rules(objectType: 1)
          + ConfigurationSearch.rules(objectType: 4)
        found = ConfigurationSearch.best(found + (try candidates(rules, stretches)))
      }
      if !found.isEmpty { return found }
      if stretches == [media] { break }
    }
    return []
  }

  private static func rules(objectType: UInt8, frameLength: Int = 1024) -> [PacketRule] {
    rates.map { PacketRule(objectType: objectType, sampleRate: $0, frameLength: frameLength) }
  }

  /// Parts of the media, evenly spread; the first one begins where the media does.
  private func stretches(of size: UInt64) -> [Range<UInt64>] {
    let length = media.upperBound - media.lowerBound
    guard length > size * ConfigurationSearch.stretchCount else { return [media] }
    return (0..<ConfigurationSearch.stretchCount).map { number in
      let start = media.lowerBound + length / ConfigurationSearch.stretchCount * number
      return start..<(start + size)
    }
  }

  private func candidates(
    _ rules: [PacketRule], _ stretches: [Range<UInt64>]
  ) throws(SourceError) -> [Candidate] {
    var all: [Candidate] = []
    for rule in rules {
      if let candidate = try candidate(rule, stretches) { all.append(candidate) }
    }
    return ConfigurationSearch.best(all)
  }

  private static func best(_ candidates: [Candidate]) -> [Candidate] {
    let most = candidates.map(\.bytes).max() ?? 0
    return candidates.filter { $0.bytes == most }
  }

  /// How well a rule explains some stretches, with the shape that most of its packets have.
  private func candidate(_ rule: PacketRule, _ stretches: [Range<UInt64>]) throws(SourceError) -> Candidate? {
    var byShape: [PacketShape: Candidate] = [:]
    let scanner = PacketScanner(reader, media: media, rule: rule)
    for stretch in stretches {
      var next = try first(of: stretch, scanner)
      while let offset = next {
        let (chain, shape) = try scanner.chain(at: offset, limit: stretch.upperBound)
        if let shape {
          var candidate = byShape[shape] ?? Candidate(rule: rule)
          candidate.rule.shape = shape
          candidate.bytes += min(chain.end, stretch.upperBound) - offset
          candidate.packets += chain.lengths.count
          if candidate.packets == chain.lengths.count { try describe(&candidate, chain, scanner) }
          byShape[shape] = candidate
        }
        next = try scanner.nextChain(from: max(chain.end, offset + 1), limit: stretch.upperBound)
      }
    }
    let best = byShape.values.max { one, other in
      (one.bytes, one.rule.shape?.channels ?? 0) < (other.bytes, other.rule.shape?.channels ?? 0)
    }
    // A few packets are enough if they are all there is.
    let all = media.upperBound - media.lowerBound
    return best.flatMap { $0.packets >= ConfigurationSearch.fewestPackets || $0.bytes == all ? $0 : nil }
  }

  /// The first packet of a stretch: where the media begins, one is believed if any follow.
  private func first(of stretch: Range<UInt64>, _ scanner: PacketScanner) throws(SourceError) -> UInt64? {
    if stretch.lowerBound == media.lowerBound {
      let (chain, _) = try scanner.chain(at: stretch.lowerBound, count: PacketScanner.convincingPackets)
      let isConvincing = chain.lengths.count == PacketScanner.convincingPackets || chain.end == media.upperBound
      if isConvincing, !chain.lengths.isEmpty { return stretch.lowerBound }
    }
    return try scanner.nextChain(from: stretch.lowerBound, limit: stretch.upperBound)
  }

  /// Notes what the first packets of a chain have in common; the very first may hold the name of its encoder.
  private func describe(
    _ candidate: inout Candidate, _ chain: PacketChain, _ scanner: PacketScanner
  ) throws(SourceError) {
    var offset = chain.offset
    candidate.rule.allowsPreface = false
    for (number, length) in chain.lengths.prefix(8).enumerated() {
      if try scanner.packet(at: offset)?.hasSBR == true { candidate.hasSBR = true }
      if number > 0, try scanner.hasPreface(at: offset) { candidate.rule.allowsPreface = true }
      offset += UInt64(length)
    }
  }
}
