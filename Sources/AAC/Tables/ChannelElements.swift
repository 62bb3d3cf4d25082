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

  /// An element and the loudspeakers of its one or two channels, as bits of a WAVE channel mask.
  struct Element: Sendable, Hashable {
    let kind: Kind
    let speakers: [UInt32]
  }

  /// Loudspeakers, as bits of a WAVE channel mask.
  enum Speaker {
    static let left: UInt32 = 0x1
    static let right: UInt32 = 0x2
    static let centre: UInt32 = 0x4
    static let lowFrequency: UInt32 = 0x8
    static let backLeft: UInt32 = 0x10
    static let backRight: UInt32 = 0x20
    static let leftOfCentre: UInt32 = 0x40
    static let rightOfCentre: UInt32 = 0x80
    static let backCentre: UInt32 = 0x100
    static let sideLeft: UInt32 = 0x200
    static let sideRight: UInt32 = 0x400
    static let topFrontLeft: UInt32 = 0x1000
    static let topFrontRight: UInt32 = 0x4000
  }

  /// The elements of a channel configuration, 1 to 7, 11, 12 and 14; `nil` for others.
  static func elements(configuration: UInt8) -> [Element]? {
    typealias S = Speaker
    let centre = Element(kind: .single, speakers: [S.centre])
    let front = Element(kind: .pair, speakers: [S.left, S.right])
    let back = Element(kind: .pair, speakers: [S.backLeft, S.backRight])
    let side = Element(kind: .pair, speakers: [S.sideLeft, S.sideRight])
    let backCentre = Element(kind: .single, speakers: [S.backCentre])
    let lowFrequency = Element(kind: .lowFrequency, speakers: [S.lowFrequency])
    switch configuration {
    case 1: return [centre]
    case 2: return [front]
    case 3: return [centre, front]
    case 4: return [centre, front, backCentre]
    case 5: return [centre, front, back]
    case 6: return [centre, front, back, lowFrequency]
    case 7:
      let inner = Element(kind: .pair, speakers: [S.leftOfCentre, S.rightOfCentre])
      return [centre, inner, front, back, lowFrequency]
    case 11: return [centre, front, back, backCentre, lowFrequency]
    case 12: return [centre, front, side, back, lowFrequency]
    case 14:
      let top = Element(kind: .pair, speakers: [S.topFrontLeft, S.topFrontRight])
      return [centre, front, back, lowFrequency, top]
    default: return nil
    }
  }
}
