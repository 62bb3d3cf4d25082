internal import MediaCore

/// Which element of a packet feeds which loudspeaker, and the order of the output channels.
struct ChannelMap {
  /// An element that a stream is known to have.
  struct Slot {
    let kind: ChannelElements.Kind
    /// Its tag; `nil` if elements of a kind are distinguished by their order.
    let tag: Int?
    /// The indices of its one or two channels in the output.
    var outputChannels: [Int]
  }

  private(set) var slots: [Slot]
  /// The loudspeakers of the output channels.
  private(set) var layout: ChannelLayout

  /// The map of a stream's configuration.
  ///
  /// - Returns: `nil` if it has no channels, or reserved ones.
  init?(_ configuration: AudioSpecificConfig) {
    if configuration.channelConfiguration == 0 {
      guard let program = configuration.programConfig, program.channels > 0 else { return nil }
      self.init(ChannelMap.slots(of: program), speakers: ChannelMap.speakers(of: program))
    } else {
      guard let elements = ChannelMap.elements(configuration.channelConfiguration) else { return nil }
      let slots = elements.map { ($0.kind, Int?.none, $0.speakers.count) }
      self.init(slots, speakers: elements.flatMap(\.speakers))
    }
    guard let layer = SBRLayer(configuration), layer.hasStereo, slots.count == 1 else { return }
    slots[0].outputChannels = [0, 1]
    layout = .stereo
  }

  /// The output is in the order of WAVE masks if all loudspeakers are known, otherwise in that of the packet.
  private init(_ elements: [(ChannelElements.Kind, Int?, Int)], speakers: [UInt32]) {
    let isKnown = !speakers.contains(0) && Set(speakers).count == speakers.count
    let order = isKnown ? speakers.indices.sorted { speakers[$0] < speakers[$1] } : Array(speakers.indices)
    var outputChannels = [Int](repeating: 0, count: order.count)
    for (index, channel) in order.enumerated() { outputChannels[channel] = index }
    var next = 0
    slots = elements.map { kind, tag, count in
      defer { next += count }
      return Slot(kind: kind, tag: tag, outputChannels: Array(outputChannels[next..<(next + count)]))
    }
    layout = ChannelLayout(channels: speakers.count, mask: isKnown ? speakers.reduce(0, |) : 0)
  }

  /// The standard's elements, except for configuration 7: encoders use its inner front pair for the sides, and other
  /// decoders treat it as such.
  private static func elements(_ configuration: UInt8) -> [ChannelElements.Element]? {
    guard configuration == 7 else { return ChannelElements.elements(configuration: configuration) }
    typealias L = Loudspeaker
    return [
      .init(kind: .single, speakers: [L.center]), .init(kind: .pair, speakers: [L.left, L.right]),
      .init(kind: .pair, speakers: [L.sideLeft, L.sideRight]), .init(kind: .pair, speakers: [L.backLeft, L.backRight]),
      .init(kind: .lowFrequency, speakers: [L.lowFrequency]),
    ]
  }

  // MARK: Program configurations

  private static func slots(of program: ProgramConfig) -> [(ChannelElements.Kind, Int?, Int)] {
    let elements = [program.front, program.side, program.back].joined().map { element in
      (element.isPair ? ChannelElements.Kind.pair : .single, Int?.some(Int(element.tag)), element.isPair ? 2 : 1)
    }
    return elements + program.lowFrequency.map { (.lowFrequency, Int($0), 1) }
  }

  /// Loudspeakers of a program's channels; 0 for those that are uncertain.
  private static func speakers(of program: ProgramConfig) -> [UInt32] {
    typealias L = Loudspeaker
    let low = program.lowFrequency.indices.map { $0 == 0 ? L.lowFrequency : 0 }
    let outer = [L.left, L.right]
    // Front pairs go outwards from the centre.
    let isWide = program.front.count { $0.isPair } > 1
    let front = isWide ? [[L.leftOfCenter, L.rightOfCenter], outer] : [outer]
    return speakers(of: program.front, single: L.center, pairs: front)
      + speakers(of: program.side, single: nil, pairs: [[L.sideLeft, L.sideRight]])
      + speakers(of: program.back, single: L.backCenter, pairs: [[L.backLeft, L.backRight]]) + low
  }

  /// Loudspeakers of the elements on one side of the listener: two consecutive single channels are a pair as well.
  private static func speakers(
    of elements: [ProgramConfig.Element], single: UInt32?, pairs: [[UInt32]]
  ) -> [UInt32] {
    let singles = elements.count { !$0.isPair }
    if singles == 2, elements.count == 2 { return pairs[0] }
    var free = pairs[...]
    return elements.flatMap { element in
      element.isPair ? free.popFirst() ?? [0, 0] : [singles == 1 ? single ?? 0 : 0]
    }
  }
}
