/// The SBR layer of one element of a stream: of a single channel or of a pair.
///
/// Without data of its own a frame is only brought to the layer's rate, and the layer waits for its next header.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, tables 4.62 to 4.67, and 4.6.18.
final class SBRElement {
  let channels: [SBRChannel]
  let signals: [SBRSignal]
  /// Output and filter state of the channel that parametric stereo adds.
  private let right: (output: SubbandSamples, synthesis: QMFSynthesis.State)?
  /// Makes two channels of one, if the stream has parametric stereo.
  let stereo: ParametricStereo?
  /// The division of the spectrum; `nil` until a header came, and after errors.
  private(set) var bands: SBRBands?
  private(set) var header: SBRHeader?
  /// Whether this packet's header changed the bands.
  private(set) var isReset = false
  /// Whether the right channel's values are the balance of both.
  private(set) var isCoupled = false
  /// Whether nothing has been replicated since the start or the last seek.
  private var isFresh = true
  /// Whether there was a seek, and no packet has been replicated since.
  private var isAfterSeek = false
  /// Whether this packet had data that can be used.
  private(set) var hasData = false
  private let rate: Int

  /// A layer of one or two channels.
  ///
  /// - Parameters:
  ///   - channels: 1 or 2.
  ///   - rate: of the subbands, twice the core's, one of the standard's.
  ///   - hasStereo: whether parametric stereo turns its one channel into two.
  init(channels: Int, rate: Int, hasStereo: Bool) {
    self.channels = (0..<channels).map { _ in SBRChannel() }
    stereo = hasStereo && channels == 1 ? ParametricStereo() : nil
    let rows = stereo == nil ? SBRBands.subbands : ParametricStereo.rows
    signals = (0..<channels).map { _ in SBRSignal(rows: rows) }
    right = stereo == nil ? nil : (SubbandSamples(bands: rows), QMFSynthesis.State(bands: 64))
    self.rate = rate
  }

  /// Forgets the past, but not the last header: after a seek, the next one may be far.
  func reset() {
    begin()
    (isFresh, isAfterSeek) = (true, true)
    for channel in channels { channel.reset() }
    for signal in signals { signal.reset() }
    stereo?.reset()
    right?.synthesis.reset()
  }

  /// Prepares for a packet.
  func begin() {
    (hasData, isReset) = (false, false)
  }

  /// Stops replicating bands until the next header.
  func turnOff() {
    (bands, header, hasData, isReset) = (nil, nil, false, false)
    for channel in channels { channel.pause() }
  }

  // MARK: Reading

  /// Reads sbr_extension_data() up to a bit of the packet.
  func read(_ reader: inout PacketBitReader, end: Int, hasChecksum: Bool) throws(PacketFault) {
    do throws(PacketFault) {
      if hasChecksum { reader.skip(10) }
      if reader.flag() { try take(SBRHeader(&reader)) }
      guard let bands else { return }
      try channels.count == 1 ? readSingle(&reader, bands) : readPair(&reader, bands)
      if reader.flag() { try readExtensions(&reader) }
      guard reader.position <= end, !reader.isOverrun else { throw .truncated("sbr_extension_data") }
      hasData = channels.allSatisfy(\.isUsable)
      if hasData { (isReset, isFresh) = (isReset || isFresh, false) }
    } catch {
      turnOff()
      throw error
    }
  }

  /// Turns the core's samples into samples at the layer's rate.
  ///
  /// - Parameters:
  ///   - cores: the samples of the core's channels.
  ///   - outputs: get 2048 samples each, or 1024 at the rate of the core; two of them with parametric stereo.
  ///   - isConcealed: whether the packet is lost: the layer pauses, but goes on with the next one.
  func synthesise(
    _ cores: [AlignedMemory<Float>], to outputs: [AlignedMemory<Float>], _ tools: SBRTools, isConcealed: Bool
  ) {
    let firstRow = stereo?.firstRow ?? 0
    for (signal, core) in zip(signals, cores) { signal.analyse(core, tools.analysis) }
    if hasData, let header, let bands {
      replicate(bands, header, tools, firstRow: firstRow)
    } else {
      if !isConcealed, !isFresh { turnOff() }
      for signal in signals { signal.skippedFrames += 1 }
      for signal in signals { signal.assemble(first: 32, count: 0, end: 32, firstRow: firstRow) }
    }
    if let stereo, let right, outputs.count == 2 {
      let left = signals[0].output
      if stereo.isActive {
        stereo.process(left, to: right.output, end: hasData ? bands.map { $0.first + $0.count } ?? 32 : 32)
      }
      let source = stereo.isActive ? right.output : left
      tools.synthesis.synthesise(source, firstRow: firstRow, right.synthesis, to: outputs[1])
    }
    for (signal, output) in zip(signals, outputs) {
      tools.synthesis.synthesise(signal.output, firstRow: firstRow, signal.synthesis, to: output)
    }
  }

  private func replicate(_ bands: SBRBands, _ header: SBRHeader, _ tools: SBRTools, firstRow: Int) {
    let levels =
      isCoupled && channels.count == 2
      ? SBRLevels.coupled(channels[0], channels[1], bands) : channels.map { SBRLevels($0, bands) }
    for (number, (channel, signal)) in zip(channels, signals).enumerated() {
      let slots = 2 * channel.grid.borders[0]..<2 * channel.grid.end
      HighFrequencyGenerator.smoothChirp(signal, channel, bands)
      tools.generator.generate(signal, bands, slots: slots)
      tools.adjuster.adjust(
        SBRFrame(
          signal: signal, channel: channel, levels: levels[number], bands: bands, header: header, isReset: isReset,
          isAfterSeek: isAfterSeek))
      signal.assemble(first: bands.first, count: bands.count, end: slots.upperBound, firstRow: firstRow)
    }
    isAfterSeek = false
  }

  private func take(_ new: SBRHeader) throws(PacketFault) {
    isReset = new.spectrum != header?.spectrum || bands == nil
    if isReset || new.limiterBands != header?.limiterBands {
      guard let bands = SBRBands(new, rate: rate) else { throw .invalid("bs_start_freq", new.spectrum.start) }
      self.bands = bands
    }
    header = new
  }

  private var isCoarse: Bool { header?.isCoarse ?? false }

  private func readSingle(_ reader: inout PacketBitReader, _ bands: SBRBands) throws(PacketFault) {
    if reader.flag() { reader.skip(4) }
    let channel = channels[0]
    channel.begin(try SBRTimeGrid(&reader), isCoarse: isCoarse)
    channel.readDeltaDirections(&reader)
    channel.readInverseFiltering(&reader, bands)
    try channel.readEnvelopes(&reader, bands, isBalance: false)
    try channel.readNoise(&reader, bands, isBalance: false)
    channel.readHarmonics(&reader, bands)
  }

  private func readPair(_ reader: inout PacketBitReader, _ bands: SBRBands) throws(PacketFault) {
    if reader.flag() { reader.skip(8) }
    isCoupled = reader.flag()
    let (left, right) = (channels[0], channels[1])
    let grid = try SBRTimeGrid(&reader)
    left.begin(grid, isCoarse: isCoarse)
    right.begin(isCoupled ? grid : try SBRTimeGrid(&reader), isCoarse: isCoarse)
    for channel in channels { channel.readDeltaDirections(&reader) }
    left.readInverseFiltering(&reader, bands)
    if isCoupled {
      right.copyInverseFiltering(of: left)
      for (channel, isBalance) in [(left, false), (right, true)] {
        try channel.readEnvelopes(&reader, bands, isBalance: isBalance)
        try channel.readNoise(&reader, bands, isBalance: isBalance)
      }
    } else {
      right.readInverseFiltering(&reader, bands)
      for channel in channels { try channel.readEnvelopes(&reader, bands, isBalance: false) }
      for channel in channels { try channel.readNoise(&reader, bands, isBalance: false) }
    }
    for channel in channels { channel.readHarmonics(&reader, bands) }
  }

  /// Reads what follows the data: parametric stereo, and what is not known.
  private func readExtensions(_ reader: inout PacketBitReader) throws(PacketFault) {
    var size = reader.bits(4)
    if size == 15 { size += reader.bits(8) }
    let end = reader.position + 8 * size
    while end - reader.position > 7, !reader.isOverrun {
      if reader.bits(2) == SBRElement.stereoExtension, let stereo {
        try stereo.read(&reader)
      } else {
        break
      }
    }
    guard reader.position <= end else { throw .truncated("ps_data") }
    reader.skip(end - reader.position)
  }

  /// `bs_extension_id` of parametric stereo.
  static let stereoExtension = 2
}

/// The filter banks and tools that all elements of a stream share.
final class SBRTools {
  let analysis = QMFAnalysis()
  let synthesis: QMFSynthesis
  let generator = HighFrequencyGenerator()
  let adjuster = HighFrequencyAdjuster()

  /// Tools for output at twice the core's rate, or at the same rate.
  init(isDownsampled: Bool) {
    synthesis = QMFSynthesis(bands: isDownsampled ? 32 : 64)
  }
}

/// How a stream's SBR layer is decoded.
struct SBRLayer {
  /// Sampling rate of the subbands: twice the core's, as the standard's tables know it.
  let rate: Int
  /// Whether the output has the core's rate.
  let isDownsampled: Bool
  /// Whether parametric stereo may make two channels of one. Unless it is announced that there is none, it can begin in
  /// any packet, and until then both channels are the same.
  let hasStereo: Bool

  /// The layer that a configuration announces, if it does.
  init?(_ configuration: AudioSpecificConfig) {
    guard configuration.hasSBR == true else { return nil }
    rate = 2 * SamplingFrequency.nominal(configuration.sampleRate)
    isDownsampled = configuration.extensionSampleRate == configuration.sampleRate
    hasStereo = configuration.hasPS != false && configuration.channels == 1
  }
}
