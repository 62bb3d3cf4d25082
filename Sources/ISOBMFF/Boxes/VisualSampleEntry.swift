/// The fields that all sample entries of video tracks begin with, whatever the codec; its configuration follows in
/// child boxes.
///
/// Source: ISO/IEC 14496-12, 12.1.3.
public struct VisualSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// Kept as is: QuickTime's version, vendor and qualities.
  public var preDefined: [UInt8] = []
  /// Coded width in pixels.
  public var width: UInt16 = 0
  /// Coded height in pixels.
  public var height: UInt16 = 0
  /// Pixels per inch, 16.16.
  public var horizontalResolution: UInt32 = 0x48_0000
  /// Pixels per inch, 16.16.
  public var verticalResolution: UInt32 = 0x48_0000
  /// Kept as is.
  public var reserved: UInt32 = 0
  /// Frames per sample.
  public var frameCount: UInt16 = 1
  /// A human-readable name: a length byte, then at most 31 bytes.
  public var compressorName: [UInt8] = []
  /// 24, or 32 with an alpha channel.
  public var depth: UInt16 = 24
  /// QuickTime's colour table number; -1 for none.
  public var colourTableID: Int16 = -1

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.reserved(&preDefined, count: 16)
    try coder.integer("width", &width)
    try coder.integer("height", &height)
    try coder.fixed("horizresolution", &horizontalResolution, fractionBits: 16)
    try coder.fixed("vertresolution", &verticalResolution, fractionBits: 16)
    try coder.integer("reserved", &reserved)
    try coder.integer("frame_count", &frameCount)
    if coder.isPrinting {
      coder.remark("compressorname", .text(compressorText))
    } else {
      if compressorName.count != 32 { compressorName = Array(repeating: 0, count: 32) }
      try coder.bytes("compressorname", &compressorName, count: 32)
    }
    try coder.integer("depth", &depth)
    try coder.integer("pre_defined", &colourTableID)
  }

  /// The compressor's name as text.
  public var compressorText: String {
    String(decoding: compressorName.dropFirst().prefix(Int(min(compressorName.first ?? 0, 31))), as: UTF8.self)
  }
}
