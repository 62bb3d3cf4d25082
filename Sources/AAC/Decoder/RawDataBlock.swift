/// Reads the elements of a stream's packets, and turns them into samples.
///
/// Source: ISO/IEC 14496-3, 4.4.2.1, table 4.3 (raw_data_block).
struct RawDataBlock {
  /// Samples of the channels in output order.
  let output: [AlignedMemory<Float>]
  /// Whether a packet had an SBR layer.
  private(set) var hasSBR = false
  /// What is wrong with the SBR layer of the current packet.
  private(set) var replicationFault: PacketFault?

  private let tables: StreamTables
  private let tools: SBRTools?
  private let spectral = SpectralReader()
  private var noise = NoiseSource()
  private let elements: [ChannelElement]
  /// Coupling channels by tag; 16 at most.
  private var couplings: [CouplingElement] = []
  /// Elements into which channels are read that have no known loudspeaker.
  private let spares: [ChannelElements.Kind: ChannelElement]

  /// The most elements in a packet: no stream has more, and empty fill elements could continue for long.
  static let maximumElements = 1024

  /// - Parameter layer: the SBR layer, if it is to be decoded.
  init(_ tables: StreamTables, _ map: ChannelMap, _ layer: SBRLayer? = nil) {
    self.tables = tables
    tools = layer.map { SBRTools(isDownsampled: $0.isDownsampled) }
    let elements = map.slots.enumerated().map { number, slot in
      ChannelElement(kind: slot.kind, slot: number, tag: slot.tag, tables, layer)
    }
    self.elements = elements
    spares = [
      .single: ChannelElement(kind: .single, slot: nil, tag: nil, tables),
      .pair: ChannelElement(kind: .pair, slot: nil, tag: nil, tables),
      .lowFrequency: ChannelElement(kind: .lowFrequency, slot: nil, tag: nil, tables),
    ]
    let placed = zip(map.slots, elements).flatMap { slot, element in zip(slot.outputChannels, element.samples) }
    output = placed.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// The windows of the current packet's channels.
  var windows: [(sequence: WindowSequence, shape: WindowShape)] {
    elements.filter(\.isPresent).flatMap { $0.streams.map { ($0.info.sequence, $0.info.shape) } }
  }

  /// Whether a packet had parametric stereo.
  var hasStereo: Bool { elements.contains { $0.replication?.stereo?.isActive == true } }

  /// Forgets the past.
  func reset() {
    for element in elements {
      for stream in element.streams { stream.reset() }
      element.replication?.reset()
    }
    for coupling in couplings { coupling.stream.reset() }
  }

  // MARK: Reading

  /// Reads a packet up to its end element.
  mutating func read(_ reader: inout PacketBitReader) throws(PacketFault) {
    for element in elements {
      element.isPresent = false
      element.replication?.begin()
    }
    for coupling in couplings { coupling.isPresent = false }
    replicationFault = nil
    var found = false
    var last: ChannelElement?
    for _ in 0..<RawDataBlock.maximumElements {
      // Some encoders omit the end element if the packet ends anyway.
      if found, reader.count - reader.position < 3 { return try finish(&reader) }
      let kind = ChannelElements.Kind(rawValue: reader.bits(3)) ?? .end
      if reader.isOverrun { throw .truncated("id_syn_ele") }
      switch kind {
      case .end:
        guard found else { throw .invalid("id_syn_ele", kind.rawValue) }
        return try finish(&reader)
      case .single, .pair, .lowFrequency:
        last = try readChannels(&reader, kind)
        found = true
      case .coupling:
        try readCoupling(&reader)
        last = nil
      case .dataStream: reader.skipDataStream()
      case .programConfig: reader.skipProgramConfig()
      case .fill: readFill(&reader, after: last)
      }
      if reader.isOverrun { throw .truncated("raw_data_block") }
    }
    throw .invalid("id_syn_ele", 0)
  }

  private func finish(_ reader: inout PacketBitReader) throws(PacketFault) {
    reader.alignToByte()
    for element in elements where !element.isPresent {
      for stream in element.streams { stream.clear(tables) }
    }
  }

  private mutating func readChannels(
    _ reader: inout PacketBitReader, _ kind: ChannelElements.Kind
  ) throws(PacketFault) -> ChannelElement {
    let tag = reader.bits(4)
    guard let element = element(kind, tag: tag) else { throw .invalid("id_syn_ele", kind.rawValue) }
    if kind == .pair {
      try readPair(&reader, element.streams[0], element.streams[1])
    } else {
      let stream = element.streams[0]
      try stream.read(&reader, tables, spectral, &noise, shared: nil)
      stream.predictor?.predict(stream.spectrum, stream.info, predictedBands: tables.predictedBands)
    }
    element.isPresent = true
    element.presentTag = tag
    return element
  }

  /// The element that one in a packet belongs to: the one with its tag, or the next of its kind. A single channel may
  /// also replace a low-frequency one, and vice versa: some encoders mix them up.
  private func element(_ kind: ChannelElements.Kind, tag: Int) -> ChannelElement? {
    for element in elements where !element.isPresent && element.kind == kind && (element.tag ?? tag) == tag {
      return element
    }
    guard elements.contains(where: { $0.tag != nil }) else {
      return kind == .pair ? nil : elements.first { !$0.isPresent && $0.kind != .pair }
    }
    return spares[kind]
  }

  private mutating func readPair(
    _ reader: inout PacketBitReader, _ left: ChannelStream, _ right: ChannelStream
  ) throws(PacketFault) {
    var (shared, stereo): (WindowInfo?, StereoTools) = (nil, StereoTools())
    var second: WindowInfo?
    if reader.flag() {
      var info = try WindowInfo(&reader, tables)
      shared = info
      // With LTP, the second channel has a prediction of its own; in AAC Main both share the predicted bands.
      if tables.objectType == 4, info.hasPredictionData {
        info.longTerm = reader.flag() ? LongTermInfo(&reader, codedBands: info.codedBands) : nil
      }
      second = info
      stereo = try StereoTools(&reader, info)
    }
    try left.read(&reader, tables, spectral, &noise, shared: shared)
    try right.read(&reader, tables, spectral, &noise, shared: second)
    if shared != nil { stereo.applyMiddleSide(left, right) }
    for stream in [left, right] {
      stream.predictor?.predict(stream.spectrum, stream.info, predictedBands: tables.predictedBands)
    }
    stereo.applyIntensity(left, right)
  }

  private mutating func readCoupling(_ reader: inout PacketBitReader) throws(PacketFault) {
    let tag = reader.bits(4)
    let coupling: CouplingElement
    if let known = couplings.first(where: { $0.tag == tag }) {
      coupling = known
    } else {
      coupling = CouplingElement(tag: tag, tables)
      couplings.append(coupling)
    }
    try coupling.read(&reader, tables, spectral, &noise)
  }

  /// Skips padding and extensions, except for the SBR layer of the element before.
  private mutating func readFill(_ reader: inout PacketBitReader, after element: ChannelElement?) {
    var count = reader.bits(4)
    if count == 15 { count += reader.bits(8) - 1 }
    let end = reader.position + 8 * count
    let kind = reader.peek(4)
    if count > 0, kind == RawDataBlock.replicationType || kind == RawDataBlock.checkedReplicationType {
      hasSBR = true
      reader.skip(4)
      do throws(PacketFault) {
        let hasChecksum = kind == RawDataBlock.checkedReplicationType
        try element?.replication?.read(&reader, end: end, hasChecksum: hasChecksum)
      } catch {
        replicationFault = error
      }
    }
    // Backwards, too, where the layer was read beyond its end.
    reader.skip(end - reader.position)
  }

  /// `extension_type` of an SBR layer, without and with a checksum.
  static let replicationType = 13
  static let checkedReplicationType = 14

  // MARK: Samples

  /// Turns what was read into samples.
  mutating func synthesise(_ bank: FilterBank) {
    for coupling in couplings where coupling.isPresent {
      let stream = coupling.stream
      stream.noiseShaping.synthesise(stream.spectrum, stream.info)
      coupleSpectra(.beforeNoiseShaping, coupling)
      if coupling.point == .inTime { bank.synthesise(stream) }
    }
    for element in elements { for stream in element.streams { shape(stream, bank) } }
    for coupling in couplings where coupling.isPresent { coupleSpectra(.afterNoiseShaping, coupling) }
    for element in elements {
      for stream in element.streams {
        bank.synthesise(stream)
        stream.keepSpectrum()
      }
    }
    for coupling in couplings where coupling.isPresent && coupling.point == .inTime {
      forEachTarget(coupling) { coupling.addSamples(to: $0, list: $1) }
    }
    for element in elements { for stream in element.streams { stream.history?.append(stream, bank) } }
    replicate(isConcealed: false)
  }

  /// Brings the samples to the rate of the SBR layer.
  private func replicate(isConcealed: Bool) {
    guard let tools else { return }
    for element in elements {
      element.replication?.synthesise(
        element.streams.map(\.samples), to: element.replicated, tools, isConcealed: isConcealed)
    }
  }

  private func shape(_ stream: ChannelStream, _ bank: FilterBank) {
    stream.history?.predict(stream, bank)
    stream.noiseShaping.synthesise(stream.spectrum, stream.info)
  }

  private func coupleSpectra(_ point: CouplingElement.Point, _ coupling: CouplingElement) {
    guard coupling.point == point else { return }
    forEachTarget(coupling) { coupling.addSpectrum(to: $0, list: $1) }
  }

  private func forEachTarget(_ coupling: CouplingElement, _ body: (ChannelStream, Int) -> Void) {
    for target in coupling.targets {
      let kind = target.isPair ? ChannelElements.Kind.pair : .single
      guard let element = elements.first(where: { $0.isPresent && $0.kind == kind && $0.presentTag == target.tag })
      else { continue }
      if let list = target.lists.first { body(element.streams[0], list) }
      if let list = target.lists.second, element.streams.count == 2 { body(element.streams[1], list) }
    }
  }

  /// Conceals a packet: the last spectra again, quieter, in windows that fit the previous ones.
  func conceal(_ bank: FilterBank, gain: Float) {
    for element in elements {
      element.replication?.begin()
      for stream in element.streams {
        stream.repeatSpectrum(gain: gain)
        bank.synthesise(stream)
        stream.keepSpectrum()
        stream.history?.append(stream, bank)
      }
    }
    replicate(isConcealed: true)
  }
}

extension ChannelStream {
  /// Uses the last good spectrum again.
  fileprivate func repeatSpectrum(gain: Float) {
    for line in 0..<spectrum.count { spectrum[line] = lastSpectrum[line] * gain }
    info.sequence = lastSequence == .longStart ? .longStop : lastSequence == .longStop ? .onlyLong : lastSequence
    info.shape = lastShape
    noiseShaping = NoiseShapingInfo()
    predictor?.reset()
  }
}
