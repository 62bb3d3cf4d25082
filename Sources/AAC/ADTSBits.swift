internal import MediaCore

/// The 56 bits that every ADTS header begins with, as one number: the first bit of the file is bit 55.
///
/// Readers meet a header for every few hundred bytes, and writers make as many: a number is tested, taken apart and
/// patched in registers. Source: ISO/IEC 14496-3, 1.A.3.2.1 and 1.A.3.2.2.
struct ADTSBits: Equatable {
  /// adts_fixed_header and adts_variable_header; the 8 bits above them are zero.
  var word: UInt64

  /// Bytes of the header without a checksum.
  static let byteCount = 7
  /// The most that aac_frame_length can say.
  static let maximumFrameLength = 8191
  /// adts_buffer_fullness of a stream of variable rate, where the decoder's buffer does not matter.
  static let variableRate: UInt16 = 0x7FF

  init(word: UInt64) {
    self.word = word
  }

  /// The bits at `offset` of the span, which holds at least seven bytes from there.
  @inline(__always)
  init(_ span: RawSpan, at offset: Int) {
    let head = span.bigEndian(at: offset, as: UInt32.self)
    let middle = span.bigEndian(at: offset + 3, as: UInt32.self)
    word = UInt64(head) << 24 | UInt64(middle & 0xFF_FFFF)
  }

  private func field(_ position: UInt64, _ width: UInt64) -> UInt64 {
    word >> (56 - position - width) & ((1 << width) - 1)
  }

  private mutating func set(_ position: UInt64, _ width: UInt64, _ value: UInt64) {
    let shift = 56 - position - width
    let mask: UInt64 = ((1 << width) - 1) << shift
    word = word & ~mask | value << shift & mask
  }

  // The fields, by first bit and width.
  var syncword: UInt64 {
    get { field(0, 12) }
    set { set(0, 12, newValue) }
  }
  var id: UInt64 {
    get { field(12, 1) }
    set { set(12, 1, newValue) }
  }
  var layer: UInt64 {
    get { field(13, 2) }
    set { set(13, 2, newValue) }
  }
  var protectionAbsent: UInt64 {
    get { field(15, 1) }
    set { set(15, 1, newValue) }
  }
  var profile: UInt64 {
    get { field(16, 2) }
    set { set(16, 2, newValue) }
  }
  var samplingFrequencyIndex: UInt64 {
    get { field(18, 4) }
    set { set(18, 4, newValue) }
  }
  var privateBit: UInt64 {
    get { field(22, 1) }
    set { set(22, 1, newValue) }
  }
  var channelConfiguration: UInt64 {
    get { field(23, 3) }
    set { set(23, 3, newValue) }
  }
  var originalCopy: UInt64 {
    get { field(26, 1) }
    set { set(26, 1, newValue) }
  }
  var home: UInt64 {
    get { field(27, 1) }
    set { set(27, 1, newValue) }
  }
  var copyrightBit: UInt64 {
    get { field(28, 1) }
    set { set(28, 1, newValue) }
  }
  var copyrightStart: UInt64 {
    get { field(29, 1) }
    set { set(29, 1, newValue) }
  }
  var frameLength: UInt64 {
    get { field(30, 13) }
    set { set(30, 13, newValue) }
  }
  var bufferFullness: UInt64 {
    get { field(43, 11) }
    set { set(43, 11, newValue) }
  }
  var additionalBlocks: UInt64 {
    get { field(54, 2) }
    set { set(54, 2, newValue) }
  }

  /// Bytes before the first raw data block: of the 7, of a checksum, and of block positions, which only a checksum
  /// brings along.
  var headerLength: UInt64 { protectionAbsent == 1 ? 7 : 9 + 2 * additionalBlocks }

  /// Whether this can be the header of a frame: the sync word, layer 0, a rate that exists, and a length that holds
  /// at least a header and a checksum.
  @inline(__always)
  var isPlausible: Bool {
    // Sync word and layer in one comparison: 12 ones, any ID, two zeros.
    word & 0xFFF6_0000_0000_00 == 0xFFF0_0000_0000_00 && samplingFrequencyIndex < 13
      && frameLength >= (protectionAbsent == 1 ? 7 : 9)
  }

  /// What stays the same throughout a stream, as far as decoding goes: ID, profile, rate and channels.
  @inline(__always)
  var streamKey: UInt64 {
    word & 0x0008_FDC0_0000_00
  }
}
