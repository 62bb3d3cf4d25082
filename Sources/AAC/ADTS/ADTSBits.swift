internal import MediaCore

/// The 56 bits that every ADTS header begins with, as one number: the first bit of the header is bit 55.
///
/// There is a header for every few hundred bytes, both when reading and when writing: as a number, it is tested, taken
/// apart and patched in registers. Source: ISO/IEC 14496-3, 1.A.3.2.1 and 1.A.3.2.2.
struct ADTSBits: Equatable {
  /// adts_fixed_header and adts_variable_header; the 8 bits above them are zero.
  var word: UInt64

  /// Bytes of the header without a checksum.
  static let byteCount = 7
  /// The largest aac_frame_length.
  static let maximumFrameLength = 8191
  /// adts_buffer_fullness of a stream of variable rate, where the decoder's buffer does not matter.
  static let variableRate: UInt16 = 0x7FF

  init(word: UInt64) {
    self.word = word
  }

  /// The bits at `offset` of the span, which holds at least seven bytes from there.
  @inline(__always)
  init(_ span: Span<UInt8>, at offset: Int) {
    let head = span.bigEndian(at: offset, as: UInt32.self)
    let middle = span.bigEndian(at: offset + 3, as: UInt32.self)
    word = UInt64(head) << 24 | UInt64(middle & 0xFF_FFFF)
  }

  /// A field, by its first bit and its width.
  struct Field {
    let position: UInt64
    let width: UInt64

    static var syncword: Field { Field(position: 0, width: 12) }
    static var id: Field { Field(position: 12, width: 1) }
    static var layer: Field { Field(position: 13, width: 2) }
    static var protectionAbsent: Field { Field(position: 15, width: 1) }
    static var profile: Field { Field(position: 16, width: 2) }
    static var samplingFrequencyIndex: Field { Field(position: 18, width: 4) }
    static var privateBit: Field { Field(position: 22, width: 1) }
    static var channelConfiguration: Field { Field(position: 23, width: 3) }
    static var originalCopy: Field { Field(position: 26, width: 1) }
    static var home: Field { Field(position: 27, width: 1) }
    static var copyrightBit: Field { Field(position: 28, width: 1) }
    static var copyrightStart: Field { Field(position: 29, width: 1) }
    static var frameLength: Field { Field(position: 30, width: 13) }
    static var bufferFullness: Field { Field(position: 43, width: 11) }
    static var additionalBlocks: Field { Field(position: 54, width: 2) }
  }

  /// The value of a field; excess bits are cut off.
  @inline(__always)
  subscript(field: Field) -> UInt64 {
    get { word >> (56 - field.position - field.width) & ((1 << field.width) - 1) }
    set {
      let shift = 56 - field.position - field.width
      let mask: UInt64 = ((1 << field.width) - 1) << shift
      word = word & ~mask | newValue << shift & mask
    }
  }

  /// Bytes before the first raw data block: the 7, plus a checksum and the block positions that only come with one.
  var headerSize: UInt64 { self[.protectionAbsent] == 1 ? 7 : 9 + 2 * self[.additionalBlocks] }

  /// Whether this can be the header of a frame: the sync word, layer 0, a rate that exists, and a length that holds
  /// at least the header and, if there is one, its checksum.
  @inline(__always)
  var isPlausible: Bool {
    // Sync word and layer in one comparison: 12 ones, any ID, two zeros.
    word & 0xFFF6_0000_0000_00 == 0xFFF0_0000_0000_00 && self[.samplingFrequencyIndex] < 13
      && self[.frameLength] >= (self[.protectionAbsent] == 1 ? 7 : 9)
  }

  /// The fields that stay the same throughout a stream, as far as decoding goes: ID, profile, rate and channels.
  @inline(__always)
  var streamKey: UInt64 {
    word & 0x0008_FDC0_0000_00
  }
}
