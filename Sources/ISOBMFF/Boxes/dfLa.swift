/// Configuration of a FLAC decoder: the metadata blocks of a FLAC file.
///
/// Source: Encapsulation of FLAC in ISO Base Media File Format, 3.3.2.
package struct FLACSpecificBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The blocks; the first is STREAMINFO.
  package var blocks: [FLACMetadataBlock] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.listToEnd("blocks", &blocks, make: FLACMetadataBlock.init) {
      (coder, block) throws(BoxError) in try block.code(with: &coder)
    }
  }
}

extension FLACSpecificBox {
  /// The stream's properties in the first block; `nil` if that is too short to be STREAMINFO.
  ///
  /// Source: RFC 9639, 8.2: after two block sizes and two frame sizes come 20 bits of rate, 3 bits of channels minus
  /// one, 5 bits of sample size minus one.
  package var streamInfo: FLACStreamInfo? { blocks.first.flatMap { $0.type == 0 ? FLACStreamInfo($0.data) : nil } }
}

/// Properties of a FLAC stream.
package struct FLACStreamInfo: Sendable, Hashable {
  /// Samples per second.
  package let sampleRate: UInt32
  /// Number of channels, 1 to 8.
  package let channels: Int
  /// Bits per sample, 4 to 32.
  package let bitsPerSample: Int

  /// Reads a STREAMINFO block; `nil` if it is too short.
  package init?(_ block: [UInt8]) {
    guard block.count >= 18 else { return nil }
    let word = block[10..<14].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    sampleRate = word >> 12
    channels = Int(word >> 9 & 7) + 1
    bitsPerSample = Int(word >> 4 & 31) + 1
  }
}

/// A metadata block of FLAC.
///
/// Source: RFC 9639, 8.1.
package struct FLACMetadataBlock: Sendable, Hashable {
  /// Whether it is the last one.
  package var isLast = false
  /// 0 STREAMINFO, 4 comments, 6 picture.
  package var type: UInt8 = 0
  /// The block after its header; at most 16 MiB.
  package var data: [UInt8] = []

  /// An empty block.
  package init() {}

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.flag("LastMetadataBlockFlag", &isLast)
    try coder.bits("BlockType", &type, 7)
    var length = UInt32(clamping: min(data.count, 0xFF_FFFF))
    if !coder.isPrinting { try coder.integer24("Length", &length) }
    if !coder.isReading { data = Array(data.prefix(Int(length))) }
    try coder.bytes("BlockData", &data, count: Int(length))
  }
}
