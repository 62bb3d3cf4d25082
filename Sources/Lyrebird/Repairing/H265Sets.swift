internal import ISOBMFF
internal import MediaCore

/// The parameter sets of a stream of H.265, as far as the headers of slices need them.
///
/// Source: ITU-T H.265, 7.3.2.2, 7.3.2.3 and 7.3.6.
struct H265Sets {
  /// A sequence parameter set.
  struct Sequence {
    var orderBits = 4
    var separatePlanes = false
  }

  /// A picture parameter set.
  struct Picture {
    var sequence = 0
    var hasOutputFlag = false
    var extraBits = 0
  }

  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  /// The sets of a decoder configuration; `nil` if there is none that can be read.
  init?(_ configuration: HEVCConfigurationBox) {
    let units = configuration.arrays.flatMap(\.units)
    for unit in units where H265Sets.type(unit[...]) == 33 {
      if let (id, set) = try? H265Sets.sequence(unit[...]) { sequences[id] = set }
    }
    for unit in units where H265Sets.type(unit[...]) == 34 {
      if let (id, set) = try? H265Sets.picture(unit[...]), sequences[set.sequence] != nil { pictures[id] = set }
    }
    if pictures.isEmpty { return nil }
  }

  var orderBits: Int? { sequences.count == 1 ? sequences.values.first?.orderBits : nil }

  private static func type(_ unit: ArraySlice<UInt8>) -> Int { Int(unit.first ?? 0) >> 1 & 63 }

  /// A unit: ITU-T H.265, 7.4.2.2, table 7-1.
  func unit(_ bytes: ArraySlice<UInt8>, length: Int) throws(ParameterBits.Fault) -> PictureUnit {
    guard bytes.count >= 2, let first = bytes.first, first & 0x80 == 0 else { throw ParameterBits.Fault() }
    let second = bytes[bytes.startIndex + 1]
    let (layer, temporal) = (Int(first & 1) << 5 | Int(second >> 3), Int(second & 7))
    guard temporal > 0 else { throw ParameterBits.Fault() }
    switch H265Sets.type(bytes) {
    case let type where type <= 9 || (16...21).contains(type):
      // Another layer's slices belong to the picture of the first one.
      if layer > 0 { return .after }
      if type >= 16, temporal != 1 { throw ParameterBits.Fault() }
      return .slice(try slice(bytes, type: type, temporal: temporal))
    case 32, 33, 34: return length > 4 && temporal == 1 && layer < 8 ? .before : try fault()
    case 35: return length == 3 ? .before : try fault()
    case 36, 37: return length == 2 ? .after : try fault()
    case 38: return bytes.dropFirst(2).dropLast().allSatisfy { $0 == 0xFF } ? .after : try fault()
    case 39: return H264Sets.isMessage(bytes.dropFirst(2), length: length - 2) ? .before : try fault()
    case 40: return H264Sets.isMessage(bytes.dropFirst(2), length: length - 2) ? .after : try fault()
    // Dolby Vision, which phones record: metadata (RPU) with a prefix of 25, and an enhancement layer. Both follow
    // their picture, as all unspecified types from 56 on do.
    case 62: return length > 3 && bytes.dropFirst(2).first == 25 ? .after : try fault()
    case 63: return length > 4 ? .after : try fault()
    default: throw ParameterBits.Fault()
    }
  }

  private func fault() throws(ParameterBits.Fault) -> PictureUnit { throw ParameterBits.Fault() }

  private func slice(
    _ bytes: ArraySlice<UInt8>, type: Int, temporal: Int
  ) throws(ParameterBits.Fault) -> PictureSlice {
    var bits = ParameterBits(bytes, header: 2)
    var slice = PictureSlice()
    slice.isFirst = try bits.flag()
    if type >= 16 { try bits.skip(1) }
    let set = try bits.number(upTo: 63)
    slice.set = UInt8(set)
    guard let picture = pictures[set], let sequence = sequences[picture.sequence] else {
      throw ParameterBits.Fault()
    }
    slice.isSync = type >= 16
    // IDR, and BLA, which nothing before refers to.
    slice.startsOver = (16...20).contains(type)
    // Odd types are referred to; leading pictures (6 to 9) do not count, and neither do higher layers in time.
    slice.isReference = type & 1 == 1 || type >= 16
    slice.anchorsOrder = temporal == 1 && slice.isReference && !(6...9).contains(type)
    guard slice.isFirst else { return slice }
    try bits.skip(picture.extraBits)
    let kind = try bits.number(upTo: 2)
    if type >= 16, kind != 2 { throw ParameterBits.Fault() }
    if picture.hasOutputFlag { try bits.skip(1) }
    if sequence.separatePlanes { try bits.skip(2) }
    slice.orderLow = type == 19 || type == 20 ? 0 : UInt16(try bits.bits(sequence.orderBits))
    return slice
  }

  private static func sequence(_ unit: ArraySlice<UInt8>) throws(ParameterBits.Fault) -> (id: Int, set: Sequence) {
    var bits = ParameterBits(unit, header: 2)
    try bits.skip(4)
    let layers = try bits.bits(3)
    try bits.skip(1)
    // profile_tier_level: 88 bits of profile and 8 of level, and the same for each layer in time that has them.
    try bits.skip(96)
    var present: [(Bool, Bool)] = []
    for _ in 0..<layers { present.append((try bits.flag(), try bits.flag())) }
    if layers > 0 { try bits.skip(2 * (8 - layers)) }
    for (profile, level) in present { try bits.skip((profile ? 88 : 0) + (level ? 8 : 0)) }
    let id = try bits.number(upTo: 15)
    var set = Sequence()
    if try bits.number(upTo: 3) == 3 { set.separatePlanes = try bits.flag() }
    _ = try (bits.number(upTo: 65535), bits.number(upTo: 65535))
    if try bits.flag() { for _ in 0..<4 { _ = try bits.number() } }
    _ = try (bits.number(upTo: 8), bits.number(upTo: 8))
    set.orderBits = try bits.number(upTo: 12) + 4
    return (id, set)
  }

  private static func picture(_ unit: ArraySlice<UInt8>) throws(ParameterBits.Fault) -> (id: Int, set: Picture) {
    var bits = ParameterBits(unit, header: 2)
    let id = try bits.number(upTo: 63)
    var set = Picture()
    set.sequence = try bits.number(upTo: 15)
    try bits.skip(1)
    set.hasOutputFlag = try bits.flag()
    set.extraBits = try bits.bits(3)
    return (id, set)
  }
}
