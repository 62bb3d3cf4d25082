internal import AAC
internal import MP4
internal import MediaCore

/// Saves the sound of a file without an index: AAC, whose packets are found by reading them.
struct SoundRepair {
  private let reader: SourceReader
  private let sampleRate: UInt32?

  /// Pieces with fewer packets may have come about by chance.
  static let doubtfulLength = 8
  /// How many packets are searched for layers such as SBR: enough for at least one to have the header of a layer.
  private static let packetsLookedInto = 64
  /// More frames of priming than any encoder has.
  private static let longestPriming: Int64 = 1 << 16
  /// Packets written between two reports of progress.
  private static let reportInterval = 1 << 14

  /// A repair of a source.
  ///
  /// - Parameter sampleRate: the rate of the output in Hz, if it is known.
  init(_ reader: SourceReader, sampleRate: UInt32?) {
    self.reader = reader
    self.sampleRate = sampleRate
  }

  /// Finds the packets, and writes them.
  ///
  /// - Throws: `RepairError`, `SourceError`, `SinkError`, `MP4Error`, `AACError`; whatever `progress` throws.
  func run(
    to sink: () throws(SinkError) -> any ByteSink, name: String, progress: (UInt64, UInt64) throws -> Void
  ) throws -> RepairReport {
    let media = try MediaSearch(reader)
    guard let longest = media.longest else { throw RepairError.noMedia(file: reader.source.name) }
    let candidates = try ConfigurationSearch(reader, media: longest).candidates()
    guard !candidates.isEmpty else { throw RepairError.noSound(file: reader.source.name) }
    let fitting = try candidates.filter { try fits($0) }
    guard !fitting.isEmpty else {
      throw RepairError.otherRate(
        file: reader.source.name, fitting: candidates.flatMap { ConfigurationSearch.sharing($0.rule.sampleRate) })
    }
    // Finding takes about twice as long as writing.
    let total = media.bytes.addingReportingOverflow(media.bytes / 2).partialValue
    let (candidate, chains) = try best(fitting, media) { try progress($0, total) }
    var stream = try stream(candidate, others: fitting, chains)
    if let heard = try heard(longest, chains, stream) { stream.hear(heard) }
    var report = RepairReport(.packets)
    report.assumptions = stream.assumptions + (stream.track.edits == nil ? [.noPriming] : [])
    report.tracks = [track(stream, chains, media)]
    report.unusedBytes = media.bytes - chains.reduce(0) { $0 + $1.bytes }
    report.bytes = try write(stream, chains, to: sink(), name: name) { try progress(media.bytes + $0 / 2, total) }
    try progress(total, total)
    return report
  }

  private func fits(_ candidate: ConfigurationSearch.Candidate) throws(SourceError) -> Bool {
    guard let sampleRate else { return true }
    let rates = ConfigurationSearch.sharing(candidate.rule.sampleRate)
    return rates.contains(sampleRate) || candidate.hasSBR && rates.contains(sampleRate / 2)
  }

  /// The chains of the candidate with which most of the media makes sense: they differ where one of them is wrong.
  private func best(
    _ candidates: [ConfigurationSearch.Candidate], _ media: MediaSearch, progress: (UInt64) throws -> Void
  ) throws -> (ConfigurationSearch.Candidate, [PacketChain]) {
    var best = (candidates[0], [PacketChain]())
    var most: UInt64 = 0
    for candidate in candidates {
      let chains = try SoundSearch(reader, rule: candidate.rule).chains(in: media.parts, progress: progress)
      let bytes = chains.reduce(0) { $0 + $1.bytes }
      if bytes > most { (best, most) = ((candidate, chains), bytes) }
      if most == media.bytes { break }
    }
    return best
  }

  /// The frames that are heard, if a tag is left that says so, and the first packet, too.
  private func heard(
    _ media: Range<UInt64>, _ chains: [PacketChain], _ stream: FoundStream
  ) throws(SourceError) -> Range<Int64>? {
    // With SBR, tags count frames of the core or of the output, and do not say which.
    guard let first = chains.first, first.offset == media.lowerBound, stream.configuration.hasSBR != true,
      let heard = try GaplessSearch(reader).heard(media), heard.lowerBound < SoundRepair.longestPriming
    else { return nil }
    let packets = chains.reduce(UInt64(0)) { $0 + UInt64($1.lengths.count) }
    let frames = stream.time(packets).value
    // After a gap, or where packets are missing at the end, all is heard.
    let end = chains.count == 1 ? min(heard.upperBound, frames) : frames
    return heard.lowerBound < end ? heard.lowerBound..<end : nil
  }

  private func write(
    _ stream: FoundStream, _ chains: [PacketChain], to sink: any ByteSink, name: String,
    progress: (UInt64) throws -> Void
  ) throws -> UInt64 {
    let muxer = try MP4Muxer(to: sink, name: name, tracks: [stream.track])
    let id = muxer.tracks[0].track.id
    let duration = Int64(stream.frames)
    var (time, number): (Int64, Int) = (0, 0)
    for chain in chains {
      var offset = chain.offset
      for length in chain.lengths {
        let timing = SampleTiming(
          decodeTime: time, presentationTime: time, duration: duration, timescale: stream.track.track.timescale)
        let payload = MediaData.range(reader, offset: offset, count: Int(length))
        try muxer.append(EncodedSample(trackID: id, timing: timing, isSync: true, payload: payload))
        offset += UInt64(length)
        time += duration
        number += 1
        if number.isMultiple(of: SoundRepair.reportInterval) { try progress(offset) }
      }
    }
    try reader.checkUnchanged()
    return try muxer.finish().bytes
  }
}

// What is told of the result.
extension SoundRepair {
  private func track(
    _ stream: FoundStream, _ chains: [PacketChain], _ media: MediaSearch
  ) -> RepairReport.TrackReport {
    var report = RepairReport.TrackReport(id: 1, kind: .audio, codecName: stream.configuration.name)
    var missing: UInt64 = 0
    var next = chains[...]
    for part in media.parts {
      var position = part.lowerBound
      while let chain = next.first, chain.offset < part.upperBound {
        if chain.offset > position {
          report.addGap(at: position, bytes: chain.offset - position, time: stream.time(report.found))
          missing += chain.offset - position
          if report.found > 0 { report.doubtful += 1 }
        }
        let count = chain.lengths.count
        report.found += UInt64(count)
        if count < SoundRepair.doubtfulLength { report.doubtful += UInt64(count) }
        position = chain.end
        next.removeFirst()
      }
      guard position < part.upperBound, let gap = media.written(position..<part.upperBound) else { continue }
      let bytes = gap.upperBound - gap.lowerBound
      report.addGap(at: gap.lowerBound, bytes: bytes, time: stream.time(report.found))
      missing += bytes
    }
    report.doubtful = min(report.doubtful, report.found)
    report.duration = stream.time(report.found)
    let bytes = chains.reduce(0) { $0 + $1.bytes }
    let mean = max(bytes / max(report.found, 1), 1)
    report.lost = (missing + mean - 1) / mean
    return report
  }

  /// What the packets are, as far as they tell, and what has to be assumed.
  private func stream(
    _ candidate: ConfigurationSearch.Candidate, others: [ConfigurationSearch.Candidate], _ chains: [PacketChain]
  ) throws -> FoundStream {
    let shape = candidate.rule.shape ?? PacketShape()
    let rates = ConfigurationSearch.sharing(candidate.rule.sampleRate)
    let packets = try firstPackets(chains)
    let choices = rates.filter { rate in sampleRate.map { $0 == rate || $0 == 2 * rate } ?? true }
    // The usual rate first.
    let ordered = choices.sorted { $0 == candidate.rule.sampleRate && $1 != $0 }
    var found: (configuration: AudioSpecificConfig, faults: Int)?
    for rate in ordered {
      var configuration = AudioSpecificConfig(
        shape: shape, objectType: candidate.rule.objectType, sampleRate: rate)
      configuration.frameLength = candidate.rule.frameLength
      let faults = candidate.hasSBR ? SoundRepair.addLayers(to: &configuration, packets) : 0
      if faults < found?.faults ?? .max { found = (configuration, faults) }
    }
    let configuration =
      found?.configuration
      ?? AudioSpecificConfig(
        shape: shape, objectType: candidate.rule.objectType, sampleRate: candidate.rule.sampleRate)
    let factor: UInt32 = configuration.hasSBR == true ? 2 : 1
    var alike = choices
    for other in others where sampleRate == nil && other.rule.frameLength == candidate.rule.frameLength {
      alike += ConfigurationSearch.sharing(other.rule.sampleRate)
    }
    let rest = Set(alike.map { $0 * factor }).subtracting([configuration.outputSampleRate]).sorted(by: >)
    return try FoundStream(
      configuration: configuration,
      assumptions: rest.isEmpty ? [] : [.sampleRate(configuration.outputSampleRate, others: rest)])
  }

  /// The first packets of the first long chain.
  private func firstPackets(_ chains: [PacketChain]) throws(SourceError) -> [[UInt8]] {
    guard let chain = chains.first(where: { $0.lengths.count >= SoundRepair.doubtfulLength }) ?? chains.first else {
      return []
    }
    var packets: [[UInt8]] = []
    var offset = chain.offset
    for length in chain.lengths.prefix(SoundRepair.packetsLookedInto) {
      packets.append(try reader.bytes(at: offset, count: Int(length)))
      offset += UInt64(length)
    }
    return packets
  }

  /// Announces the layers that the packets have.
  ///
  /// - Returns: how many packets have an SBR layer that does not make sense at the rate of the configuration.
  private static func addLayers(to configuration: inout AudioSpecificConfig, _ packets: [[UInt8]]) -> Int {
    configuration.hasSBR = true
    configuration.extensionSampleRate = configuration.sampleRate * 2
    var next = packets[...]
    configuration.settle {
      next.popFirst().map { packet in
        let timing = SampleTiming(decodeTime: 0, presentationTime: 0, duration: 1024, timescale: 1)
        return EncodedSample(trackID: 1, timing: timing, isSync: true, payload: .bytes(packet[...]))
      }
    }
    configuration.extensionSignalling = .backwardCompatible
    if configuration.channels == 1, configuration.hasPS == nil { configuration.hasPS = false }
    guard let decoder = try? AACDecoder(configuration: configuration) else { return packets.count }
    // Bytes have no padding between them, for which a raw span could be unsafe.
    return packets.count { unsafe decoder.decode($0.span.bytes) != .decoded }
  }
}
