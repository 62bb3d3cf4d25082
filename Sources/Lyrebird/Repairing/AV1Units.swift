internal import MediaCore

/// The open bitstream units (OBUs) of a stream of AV1, as far as they say where one sample ends and the next begins.
///
/// A sample is a temporal unit: any number of frames that are only referred to, and one that is shown. The unit that
/// shows it may be a frame, or a header that names a frame decoded before.
///
/// Source: AV1 Bitstream & Decoding Process Specification, 5.3 to 5.9; AV1 Codec ISO Media File Format Binding, 2.4.
enum AV1Units {
  /// Longer than any header that shows a frame decoded before: four bits, a time of at most 32, an identifier of 16,
  /// and the bits that fill the last byte.
  private static let mostBytesToShow = 8

  /// Whether these can be the first eight bits of a unit that says how long it is.
  static func canBegin(with byte: UInt8) -> Bool {
    // forbidden_bit, obu_type, obu_extension_flag, obu_has_size_field, reserved_1bit.
    byte & 0b1000_0011 == 0b10 && Kind(rawValue: byte >> 3 & 15) != nil
  }

  /// `obu_type`.
  private enum Kind: UInt8 {
    case sequenceHeader = 1
    case temporalDelimiter = 2
    case frameHeader = 3
    case tileGroup = 4
    case metadata = 5
    case frame = 6
    case redundantFrameHeader = 7
    case padding = 15
  }

  /// The unit that begins with these bytes, and how long it is.
  ///
  /// - Throws: `ParameterBits.Fault` if it cannot be one, or does not say how long it is.
  static func unit(_ bytes: ArraySlice<UInt8>) throws(ParameterBits.Fault) -> (unit: PictureUnit, bytes: UInt64) {
    var rest = bytes
    guard let header = rest.popFirst(), canBegin(with: header), let kind = Kind(rawValue: header >> 3 & 15)
    else { throw ParameterBits.Fault() }
    var layer: UInt8 = 0
    if header & 0b100 != 0 {
      guard let fields = rest.popFirst(), fields & 0b111 == 0 else { throw ParameterBits.Fault() }
      layer = fields >> 3 & 0b11
    }
    let length = try self.length(&rest)
    let unit = try self.unit(kind, layer: layer, rest.prefix(Int(length)), length: Int(length))
    return (unit, UInt64(rest.startIndex - bytes.startIndex) + length)
  }

  private static func unit(
    _ kind: Kind, layer: UInt8, _ payload: ArraySlice<UInt8>, length: Int
  ) throws(ParameterBits.Fault) -> PictureUnit {
    if kind == .temporalDelimiter, length == 0 { return .before }
    guard let first = payload.first else { throw ParameterBits.Fault() }
    switch kind {
    // seq_profile, of which there are three, and no still_picture.
    case .sequenceHeader where first >> 5 < 3 && first & 0b1_1000 == 0 && length > 4: return .before
    // metadata_type: those that are not reserved, and those that are for anyone to use.
    case .metadata where (1...31).contains(first) && length > 1: return .before
    // A frame of a further spatial layer is shown together with that of the first one.
    case .frame where length > 4 && first >> 7 == 0, .frameHeader:
      let slice = try frame(first, length: length)
      return layer == 0 ? .slice(slice) : .after
    case .tileGroup, .redundantFrameHeader, .padding: return .after
    case .temporalDelimiter, .sequenceHeader, .metadata, .frame: throw ParameterBits.Fault()
    }
  }

  /// The first bits of a frame's header.
  private static func frame(_ bits: UInt8, length: Int) throws(ParameterBits.Fault) -> PictureSlice {
    var slice = PictureSlice()
    slice.isFirst = true
    // show_existing_frame.
    if bits >> 7 == 1 {
      if length > mostBytesToShow { throw ParameterBits.Fault() }
      return slice
    }
    // frame_type: key, inter, intra-only, switch. show_frame.
    slice.isHidden = bits >> 4 & 1 == 0
    slice.isSync = bits >> 5 == 0 && !slice.isHidden
    return slice
  }

  /// leb128(): seven bits a byte, the least significant first.
  private static func length(_ bytes: inout ArraySlice<UInt8>) throws(ParameterBits.Fault) -> UInt64 {
    var length: UInt64 = 0
    for index in 0..<8 {
      guard let byte = bytes.popFirst() else { break }
      length |= UInt64(byte & 127) << UInt64(7 * index)
      if byte < 128, length <= UInt64(UInt32.max) { return length }
    }
    throw ParameterBits.Fault()
  }
}
