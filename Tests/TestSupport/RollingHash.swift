/// A number that stands for a long run of bytes: enough to see whether two are the same.
///
/// Not for enemies; but bytes lost, repeated, swapped or changed all show. The pieces in which bytes arrive do not.
public struct RollingHash: Sendable, Hashable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325
  private var pending: UInt64 = 0
  private var pendingCount = 0

  /// The hash of nothing.
  public init() {}

  /// Takes more bytes into account.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    var index = 0
    while index < bytes.count {
      if pendingCount == 0, bytes.count - index >= 8 {
        unsafe mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
        index &+= 8
      } else {
        unsafe pending |= UInt64(bytes[index]) << UInt64(8 &* pendingCount)
        pendingCount &+= 1
        index &+= 1
        if pendingCount == 8 {
          mix(pending)
          (pending, pendingCount) = (0, 0)
        }
      }
    }
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }
}
