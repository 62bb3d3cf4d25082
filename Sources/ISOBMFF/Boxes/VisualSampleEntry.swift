/// The fields that all sample entries of video tracks begin with, whatever the codec; its configuration follows in
/// child boxes.
///
/// Source: ISO/IEC 14496-12, 12.1.3.
package struct VisualSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// Kept as is: QuickTime's version, vendor and qualities.
  package var preDefined: [UInt8] = []
  /// Coded width in pixels.
  package var width: UInt16 = 0
  /// Coded height in pixels.
  package var height: UInt16 = 0
  /// Pixels per inch, 16.16.
  package var horizontalResolution: UInt32 = 0x48_0000
  /// Pixels per inch, 16.16.
  package var verticalResolution: UInt32 = 0x48_0000
  /// Kept as is.
  package var reserved: UInt32 = 0
  /// Frames per sample.
  package var frameCount: UInt16 = 1
  /// A human-readable name: a length byte, then at most 31 bytes.
  package var compressorName: [UInt8] = []
  /// 24, or 32 with an alpha channel.
  package var depth: UInt16 = 24
  /// QuickTime's colour table number; -1 for none.
  package var colourTableID: Int16 = -1

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
  package var compressorText: String {
    String(decoding: compressorName.dropFirst().prefix(Int(min(compressorName.first ?? 0, 31))), as: UTF8.self)
  }
}
