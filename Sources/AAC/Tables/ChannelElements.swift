internal import MediaCore

/// The elements of a channel configuration, in the order of the packet, with the loudspeakers they feed.
///
/// Source: ISO/IEC 14496-3, table 1.19, and ISO/IEC 23001-8 for 11 to 14.
struct ChannelElements: Sendable, Hashable {
  /// The kind of an element in a packet: `id_syn_ele`. Source: ISO/IEC 14496-3, table 4.85.
  enum Kind: Int, Sendable {
    case single = 0
    case pair = 1
    case coupling = 2
    case lowFrequency = 3
    case dataStream = 4
    case programConfig = 5
    case fill = 6
    case end = 7
  }

  /// An element and the loudspeakers of its one or two channels, as bits of a channel mask (`Loudspeaker`).
  struct Element: Sendable, Hashable {
    let kind: Kind
    let speakers: [UInt32]
  }

  /// The elements of a channel configuration, 1 to 7, 11, 12 and 14; `nil` for others.
  static func elements(configuration: UInt8) -> [Element]? {
    typealias L = Loudspeaker
    let center = Element(kind: .single, speakers: [L.center])
    let front = Element(kind: .pair, speakers: [L.left, L.right])
    let back = Element(kind: .pair, speakers: [L.backLeft, L.backRight])
    let side = Element(kind: .pair, speakers: [L.sideLeft, L.sideRight])
    let backCenter = Element(kind: .single, speakers: [L.backCenter])
    let lowFrequency = Element(kind: .lowFrequency, speakers: [L.lowFrequency])
    switch configuration {
    case 1: return [center]
    case 2: return [front]
    case 3: return [center, front]
    case 4: return [center, front, backCenter]
    case 5: return [center, front, back]
    case 6: return [center, front, back, lowFrequency]
    case 7:
      let inner = Element(kind: .pair, speakers: [L.leftOfCenter, L.rightOfCenter])
      return [center, inner, front, back, lowFrequency]
    case 11: return [center, front, back, backCenter, lowFrequency]
    case 12: return [center, front, side, back, lowFrequency]
    case 14:
      let top = Element(kind: .pair, speakers: [L.topFrontLeft, L.topFrontRight])
      return [center, front, back, lowFrequency, top]
    default: return nil
    }
  }
}
