/// The channel elements of a packet, in their order, with their tags: the same in every packet of a stream.
package struct PacketShape: Sendable, Hashable {
  /// Seven bits for each element, the first one highest: a 1, the kind, the tag.
  private var code: UInt64 = 0
  /// How many elements there are.
  package private(set) var count = 0

  /// More than any channel configuration has, and as many as fit.
  static let maximumCount = 9

  /// No elements.
  package init() {}

  /// The elements that a configuration names, if their tags are the usual ones: counted from 0 for each kind.
  package init?(_ configuration: AudioSpecificConfig) {
    guard configuration.channelConfiguration > 0,
      let elements = ChannelElements.elements(configuration: configuration.channelConfiguration)
    else { return nil }
    var tags: [ChannelElements.Kind: Int] = [:]
    for element in elements {
      guard add(element.kind, tag: tags[element.kind, default: 0]) else { return nil }
      tags[element.kind, default: 0] += 1
    }
  }

  /// Adds an element.
  ///
  /// - Returns: whether there was room.
  mutating func add(_ kind: ChannelElements.Kind, tag: Int) -> Bool {
    guard count < PacketShape.maximumCount else { return false }
    code = code << 7 | UInt64(PacketShape.code(kind, tag: tag))
    count += 1
    return true
  }

  /// Whether the element with this number is of this kind, and has this tag.
  func has(_ kind: ChannelElements.Kind, tag: Int, at index: Int) -> Bool {
    guard index < count else { return false }
    return Int(truncatingIfNeeded: code >> UInt64(7 * (count - 1 - index)) & 0x7F) == PacketShape.code(kind, tag: tag)
  }

  private static func code(_ kind: ChannelElements.Kind, tag: Int) -> Int { 0x40 | kind.rawValue << 4 | tag & 15 }

  /// The elements, first to last.
  var elements: [(kind: ChannelElements.Kind, tag: UInt8)] {
    (0..<count).map { index in
      let bits = Int(truncatingIfNeeded: code >> UInt64(7 * (count - 1 - index)) & 0x3F)
      return (ChannelElements.Kind(rawValue: bits >> 4) ?? .single, UInt8(bits & 15))
    }
  }

  /// How many channels they carry.
  package var channels: Int { elements.reduce(0) { $0 + ($1.kind == .pair ? 2 : 1) } }
}

extension AudioSpecificConfig {
  /// The configuration of a stream whose packets have this shape.
  ///
  /// Elements that no channel configuration has are described one by one; single channels are taken to be in front.
  ///
  /// - Parameters:
  ///   - shape: the elements, at least one.
  ///   - objectType: the audio object type, 1 to 4.
  ///   - sampleRate: in Hz.
  package init(shape: PacketShape, objectType: UInt8, sampleRate: UInt32) {
    let kinds = shape.elements.map(\.kind)
    let standard = (1...14).first { number in
      ChannelElements.elements(configuration: UInt8(number))?.map(\.kind) == kinds
    }
    if let standard {
      self.init(objectType: objectType, sampleRate: sampleRate, channelConfiguration: UInt8(standard))
      return
    }
    var program = ProgramConfig()
    program.objectType = objectType - min(objectType, 1)
    program.samplingFrequencyIndex = UInt8(SamplingFrequency.tableIndex(of: sampleRate))
    for element in shape.elements {
      switch element.kind {
      case .lowFrequency: program.lowFrequency.append(element.tag)
      default: program.front.append(ProgramConfig.Element(isPair: element.kind == .pair, tag: element.tag))
      }
    }
    self.init(objectType: objectType, sampleRate: sampleRate, channelConfiguration: 0, programConfig: program)
  }
}
