/// Reads a number of bits at a time, most significant first, from bytes in memory.
public struct BitReader: Sendable {
  /// The data ended before the requested bits.
  public struct EndOfData: MediaError, Hashable {
    /// An error without further detail.
    public init() {}

    /// The error itself: there are no other codes.
    public typealias Code = EndOfData

    public var reason: String { "the data ends before the field does" }
    public var recoverySuggestion: String? { nil }
  }

  private let bytes: ArraySlice<UInt8>
  /// Bits read so far.
  public private(set) var position = 0

  /// A reader at the first bit of these bytes.
  public init(_ bytes: some Collection<UInt8>) {
    self.bytes = ArraySlice(bytes)
  }

  /// Bits left to read.
  public var remaining: Int { bytes.count * 8 - position }

  /// The next `count` bits as a number.
  ///
  /// - Parameter count: 0 to 32.
  /// - Throws: `EndOfData`; the position is then unchanged.
  public mutating func bits(_ count: Int) throws(EndOfData) -> UInt32 {
    guard (0...32).contains(count), count <= remaining else { throw EndOfData() }
    var value: UInt64 = 0
    var left = count
    while left > 0 {
      let byte = UInt64(bytes[bytes.startIndex + position / 8])
      let available = 8 - position % 8
      let taken = min(available, left)
      let part = byte >> UInt64(available - taken) & ((1 << UInt64(taken)) - 1)
      value = value << UInt64(taken) | part
      position += taken
      left -= taken
    }
    return UInt32(truncatingIfNeeded: value)
  }

  /// The next bit as a flag.
  public mutating func flag() throws(EndOfData) -> Bool {
    try bits(1) == 1
  }

  /// Skips bits.
  public mutating func skip(_ count: Int) throws(EndOfData) {
    guard count >= 0, count <= remaining else { throw EndOfData() }
    position += count
  }

  /// Moves on to the next byte boundary, counted from the first bit.
  public mutating func alignToByte() {
    position = (position + 7) / 8 * 8
  }
}
