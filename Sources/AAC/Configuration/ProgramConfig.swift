internal import MediaCore

/// Which elements of a packet belong to which loudspeaker, where no channel configuration fits.
///
/// Channel configuration 0 refers to this structure. It is in the AudioSpecificConfig and, since it does not fit in an
/// ADTS header, in packets too. Source: ISO/IEC 14496-3, 4.4.1.1 and 4.5.2.1 (program_config_element).
public struct ProgramConfig: Sendable, Hashable {
  /// A single channel or a channel pair, by the tag of its element.
  public struct Element: Sendable, Hashable {
    /// Whether it is a pair of channels.
    public var isPair: Bool
    /// `element_instance_tag` of the element, 0 to 15.
    public var tag: UInt8

    /// An element from its parts.
    public init(isPair: Bool, tag: UInt8) {
      self.isPair = isPair
      self.tag = tag
    }
  }

  /// A coupling channel.
  public struct Coupling: Sendable, Hashable {
    /// `cc_element_is_ind_sw`: whether it is applied in the time domain.
    public var isIndependentlySwitched: Bool
    /// `element_instance_tag`, 0 to 15.
    public var tag: UInt8
  }

  /// How to mix surround down to two channels.
  public struct MatrixMixdown: Sendable, Hashable {
    /// `matrix_mixdown_idx`, 0 to 3.
    public var index: UInt8
    /// `pseudo_surround_enable`.
    public var isPseudoSurround: Bool
  }

  /// `element_instance_tag`, 0 to 15.
  public var tag: UInt8 = 0
  /// `object_type`: the audio object type minus 1, 0 to 3.
  public var objectType: UInt8 = 1
  /// `sampling_frequency_index`, 0 to 15.
  public var samplingFrequencyIndex: UInt8 = 4
  /// Front channels, from the centre outwards; at most 15, like all of these lists unless they say otherwise.
  public var front: [Element] = []
  /// Side channels, from front to back.
  public var side: [Element] = []
  /// Back channels, from the outside to the centre.
  public var back: [Element] = []
  /// Tags of low-frequency channels, at most 3.
  public var lowFrequency: [UInt8] = []
  /// Tags of data streams, at most 7.
  public var associatedData: [UInt8] = []
  /// Coupling channels.
  public var coupling: [Coupling] = []
  /// The element that holds a mono mixdown, if there is one.
  public var monoMixdown: UInt8?
  /// The element that holds a stereo mixdown, if there is one.
  public var stereoMixdown: UInt8?
  /// How to mix down, if specified.
  public var matrixMixdown: MatrixMixdown?
  /// `comment_field_data`, at most 255 bytes; any excess is not written.
  public var comment: [UInt8] = []

  /// A configuration without channels.
  public init() {}

  /// Number of output channels: coupling channels and data streams have no loudspeaker.
  public var channels: Int {
    [front, side, back].joined().reduce(lowFrequency.count) { $0 + ($1.isPair ? 2 : 1) }
  }

  /// The element at the start of a packet, as ADTS with channel configuration 0 carries it.
  ///
  /// - Returns: `nil` if the packet starts with something else or ends too early.
  public init?(packet: some Collection<UInt8>) {
    var reader = BitReader(packet)
    guard let id = try? reader.bits(3), id == ProgramConfig.elementID, let parsed = try? ProgramConfig(from: &reader)
    else { return nil }
    self = parsed
  }

  /// The configuration as an element of a packet: its three-bit identifier, then itself. Ends on a byte boundary, so
  /// that the bytes of any packet can follow.
  public var packetElement: [UInt8] {
    var writer = BitWriter()
    writer.append(ProgramConfig.elementID, bits: 3)
    write(to: &writer)
    return writer.bytes
  }

  /// ID_PCE. Source: ISO/IEC 14496-3, table 4.85.
  private static let elementID: UInt32 = 5

  /// Longest element in bytes: every list full, and a comment of 255 bytes.
  static let maximumSize = 320
}

// Reading and writing, field by field in the order of the standard.
extension ProgramConfig {
  /// Reads the fields. Byte alignment counts from the reader's first bit, which is the start of the packet or of the
  /// AudioSpecificConfig, as in the standard.
  init(from reader: inout BitReader) throws(BitReader.EndOfData) {
    tag = UInt8(try reader.bits(4))
    objectType = UInt8(try reader.bits(2))
    samplingFrequencyIndex = UInt8(try reader.bits(4))
    let frontCount = try reader.bits(4)
    let sideCount = try reader.bits(4)
    let backCount = try reader.bits(4)
    let lowFrequencyCount = try reader.bits(2)
    let associatedDataCount = try reader.bits(3)
    let couplingCount = try reader.bits(4)
    monoMixdown = try reader.flag() ? UInt8(try reader.bits(4)) : nil
    stereoMixdown = try reader.flag() ? UInt8(try reader.bits(4)) : nil
    if try reader.flag() {
      matrixMixdown = MatrixMixdown(index: UInt8(try reader.bits(2)), isPseudoSurround: try reader.flag())
    }
    front = try ProgramConfig.elements(frontCount, from: &reader)
    side = try ProgramConfig.elements(sideCount, from: &reader)
    back = try ProgramConfig.elements(backCount, from: &reader)
    for _ in 0..<lowFrequencyCount { lowFrequency.append(UInt8(try reader.bits(4))) }
    for _ in 0..<associatedDataCount { associatedData.append(UInt8(try reader.bits(4))) }
    for _ in 0..<couplingCount {
      coupling.append(Coupling(isIndependentlySwitched: try reader.flag(), tag: UInt8(try reader.bits(4))))
    }
    reader.alignToByte()
    for _ in 0..<(try reader.bits(8)) { comment.append(UInt8(try reader.bits(8))) }
  }

  private static func elements(_ count: UInt32, from reader: inout BitReader) throws(BitReader.EndOfData) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<count { elements.append(Element(isPair: try reader.flag(), tag: UInt8(try reader.bits(4)))) }
    return elements
  }

  func write(to writer: inout BitWriter) {
    writer.append(UInt32(tag), bits: 4)
    writer.append(UInt32(objectType), bits: 2)
    writer.append(UInt32(samplingFrequencyIndex), bits: 4)
    let lists = [front, side, back].map { $0.prefix(15) }
    for list in lists { writer.append(UInt32(list.count), bits: 4) }
    writer.append(UInt32(lowFrequency.prefix(3).count), bits: 2)
    writer.append(UInt32(associatedData.prefix(7).count), bits: 3)
    writer.append(UInt32(coupling.prefix(15).count), bits: 4)
    for mixdown in [monoMixdown, stereoMixdown] {
      writer.append(mixdown != nil)
      if let mixdown { writer.append(UInt32(mixdown), bits: 4) }
    }
    writer.append(matrixMixdown != nil)
    if let matrixMixdown {
      writer.append(UInt32(matrixMixdown.index), bits: 2)
      writer.append(matrixMixdown.isPseudoSurround)
    }
    for element in lists.joined() {
      writer.append(element.isPair)
      writer.append(UInt32(element.tag), bits: 4)
    }
    for tag in lowFrequency.prefix(3) { writer.append(UInt32(tag), bits: 4) }
    for tag in associatedData.prefix(7) { writer.append(UInt32(tag), bits: 4) }
    for channel in coupling.prefix(15) {
      writer.append(channel.isIndependentlySwitched)
      writer.append(UInt32(channel.tag), bits: 4)
    }
    writer.alignToByte()
    writer.append(UInt32(comment.prefix(255).count), bits: 8)
    for byte in comment.prefix(255) { writer.append(UInt32(byte), bits: 8) }
  }
}
