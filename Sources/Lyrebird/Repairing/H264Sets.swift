internal import ISOBMFF
internal import MediaCore

/// The parameter sets of a stream of H.264, as far as the headers of slices need them.
///
/// Source: ITU-T H.264, 7.3.2.1, 7.3.2.2 and 7.3.3.
struct H264Sets {
  /// A sequence parameter set.
  struct Sequence {
    var frameNumberBits = 4
    var orderType = 0
    var orderBits = 4
    var deltaAlwaysZero = false
    var framesOnly = true
    var separatePlanes = false
  }

  /// A picture parameter set.
  struct Picture {
    var sequence = 0
    var hasFieldOrder = false
  }

  private var sequences: [Int: Sequence] = [:]
  private var pictures: [Int: Picture] = [:]

  /// The sets of a decoder configuration; `nil` if there is none that can be read.
  init?(_ configuration: AVCConfigurationBox) {
    for unit in configuration.sequenceParameterSets {
      if let (id, set) = try? H264Sets.sequence(unit[...]) { sequences[id] = set }
    }
    for unit in configuration.pictureParameterSets {
      if let (id, set) = try? H264Sets.picture(unit[...]), sequences[set.sequence] != nil { pictures[id] = set }
    }
    if pictures.isEmpty { return nil }
  }

  private var only: Sequence? { sequences.count == 1 ? sequences.values.first : nil }
  var orderBits: Int? { only.flatMap { $0.orderType == 0 ? $0.orderBits : nil } }
  var hasNoReordering: Bool { only?.orderType == 2 }

  /// A unit: ITU-T H.264, 7.4.1, table 7-1.
  func unit(_ bytes: ArraySlice<UInt8>, length: Int) throws(ParameterBits.Fault) -> PictureUnit {
    guard let first = bytes.first, first & 0x80 == 0 else { throw ParameterBits.Fault() }
    let (reference, type) = (Int(first >> 5 & 3), Int(first & 31))
    switch type {
    case 1, 5:
      guard type == 1 || reference > 0 else { throw ParameterBits.Fault() }
      return .slice(try slice(bytes, isIDR: type == 5, isReference: reference > 0))
    case 2, 3, 4:
      // Partitions of a slice, of which the first has the header.
      return type == 2 ? .slice(try slice(bytes, isIDR: false, isReference: reference > 0)) : .after
    case 6: return try reference == 0 && H264Sets.isMessage(bytes.dropFirst(), length: length - 1) ? .before : fault()
    case 7, 8:
      if type == 7 { _ = try H264Sets.sequence(bytes) } else { _ = try H264Sets.picture(bytes) }
      return try reference > 0 ? .before : fault()
    case 9: return try reference == 0 && length == 2 && bytes.last.map { $0 & 0x1F == 0x10 } == true ? .before : fault()
    case 10, 11: return try reference == 0 && length == 1 ? .after : fault()
    case 12: return try reference == 0 && bytes.dropFirst().dropLast().allSatisfy { $0 == 0xFF } ? .after : fault()
    // Scalable streams: what the next unit is in them, and the slices of further layers.
    case 14: return try (4...16).contains(length) ? .before : fault()
    case 15: return try reference > 0 && length > 4 ? .before : fault()
    case 19, 20: return .after
    default: throw ParameterBits.Fault()
    }
  }

  private func fault() throws(ParameterBits.Fault) -> PictureUnit { throw ParameterBits.Fault() }

  private func slice(
    _ bytes: ArraySlice<UInt8>, isIDR: Bool, isReference: Bool
  ) throws(ParameterBits.Fault) -> PictureSlice {
    var bits = ParameterBits(bytes, header: 1)
    var slice = PictureSlice()
    slice.isFirst = try bits.number(upTo: 139_264) == 0
    let type = try bits.number(upTo: 9) % 5
    if isIDR, type != 2, type != 4 { throw ParameterBits.Fault() }
    let set = try bits.number(upTo: 255)
    slice.set = UInt8(set)
    guard let picture = pictures[set], let sequence = sequences[picture.sequence] else {
      throw ParameterBits.Fault()
    }
    if sequence.separatePlanes { try bits.skip(2) }
    slice.frameNumber = UInt16(try bits.bits(sequence.frameNumberBits))
    if isIDR, slice.frameNumber != 0 { throw ParameterBits.Fault() }
    if !sequence.framesOnly {
      slice.isField = try bits.flag()
      if slice.isField { slice.isBottom = try bits.flag() }
    }
    if isIDR { slice.number = UInt16(try bits.number(upTo: 65535)) }
    if sequence.orderType == 0 {
      slice.orderLow = UInt16(try bits.bits(sequence.orderBits))
      if picture.hasFieldOrder, !slice.isField { slice.orderDelta = Int32(clamping: try bits.signed()) }
    } else if sequence.orderType == 1, !sequence.deltaAlwaysZero {
      slice.orderDelta = Int32(clamping: try bits.signed())
    }
    (slice.isSync, slice.startsOver, slice.isReference, slice.anchorsOrder) = (isIDR, isIDR, isReference, isReference)
    return slice
  }

  private static func sequence(_ unit: ArraySlice<UInt8>) throws(ParameterBits.Fault) -> (id: Int, set: Sequence) {
    var bits = ParameterBits(unit, header: 1)
    var set = Sequence()
    let profile = try bits.bits(8)
    try bits.skip(16)
    let id = try bits.number(upTo: 31)
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      let chroma = try bits.number(upTo: 3)
      if chroma == 3 { set.separatePlanes = try bits.flag() }
      _ = try (bits.number(upTo: 6), bits.number(upTo: 6))
      try bits.skip(1)
      if try bits.flag() {
        for index in 0..<(chroma == 3 ? 12 : 8) where try bits.flag() { try skipScaling(&bits, index < 6 ? 16 : 64) }
      }
    }
    set.frameNumberBits = try bits.number(upTo: 12) + 4
    set.orderType = try bits.number(upTo: 2)
    if set.orderType == 0 {
      set.orderBits = try bits.number(upTo: 12) + 4
    } else if set.orderType == 1 {
      set.deltaAlwaysZero = try bits.flag()
      _ = try (bits.signed(), bits.signed())
      for _ in 0..<(try bits.number(upTo: 255)) { _ = try bits.signed() }
    }
    _ = try bits.number(upTo: 16)
    try bits.skip(1)
    _ = try (bits.number(upTo: 8191), bits.number(upTo: 8191))
    set.framesOnly = try bits.flag()
    return (id, set)
  }

  private static func skipScaling(_ bits: inout ParameterBits, _ count: Int) throws(ParameterBits.Fault) {
    var (last, next) = (8, 8)
    for _ in 0..<count {
      if next != 0 { next = (last + (try bits.signed()) + 256) & 255 }
      if next != 0 { last = next }
    }
  }

  private static func picture(_ unit: ArraySlice<UInt8>) throws(ParameterBits.Fault) -> (id: Int, set: Picture) {
    var bits = ParameterBits(unit, header: 1)
    let id = try bits.number(upTo: 255)
    var set = Picture()
    set.sequence = try bits.number(upTo: 31)
    try bits.skip(1)
    set.hasFieldOrder = try bits.flag()
    return (id, set)
  }

  /// Whether bytes are supplemental messages whose sizes fit: ITU-T H.264, 7.3.2.3; ITU-T H.265, 7.3.2.4.
  static func isMessage(_ bytes: ArraySlice<UInt8>, length: Int) -> Bool {
    var rest = bytes
    var (kind, size) = (0, 0)
    while rest.first == 0xFF { kind += Int(rest.removeFirst()) }
    guard let last = rest.popFirst() else { return false }
    kind += Int(last)
    while rest.first == 0xFF { size += Int(rest.removeFirst()) }
    guard let end = rest.popFirst() else { return false }
    size += Int(end)
    return kind <= 256 && size < length
  }
}
