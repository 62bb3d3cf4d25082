/// Reads residuals: what prediction leaves of the samples of a channel.
///
/// They are coded by an adaptive variant of Rice's code. A mean of the sizes of those before tells how many low bits of
/// a residual to write as they are; what is above is counted in unary. The variant saves a code: the quotient is that
/// of a division by 2^k - 1, not 2^k. Where the mean gets very small, the number of zeros that follow is coded instead
/// of the zeros. Residuals are folded: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4.
///
/// Source: Apple Lossless Audio Codec, adaptive Golomb coding.
struct ResidualReader {
  /// How fast the mean follows.
  let multiplier: UInt32
  /// The mean at the beginning, scaled by 512.
  let initialMean: UInt32
  /// The most bits that are written as they are.
  let limit: Int

  /// Ones that do not count, but say that a number follows in full.
  private static let escape = 9
  /// The largest number that the mean takes into account.
  private static let largest: UInt32 = 0xFFFF

  /// Reads residuals to memory.
  ///
  /// - Parameters:
  ///   - bits: the packet.
  ///   - target: room for all of them.
  ///   - count: how many there are.
  ///   - width: bits of a residual that is written in full, 1 to 32.
  /// - Throws: `ALACFault`.
  func read(_ bits: PacketBits, to target: UnsafeMutablePointer<Int32>, count: Int, width: Int) throws(ALACFault) {
    // Kept in registers: a position within the packet, before each turn, allows for the bits of one.
    let (start, end) = unsafe (bits.start, bits.count)
    var position = bits.position
    var mean = initialMean
    var afterRun: UInt32 = 0
    var index = 0
    while index < count {
      guard position < end else { throw .truncated }
      let size = min(31 &- (mean >> 9 &+ 3).leadingZeroBitCount, limit)
      let value =
        unsafe ResidualReader.number(start, &position, size: size, fullWidth: width) &+ afterRun
      unsafe target[index] = Int32(bitPattern: value >> 1 ^ (0 &- (value & 1)))
      index &+= 1
      let next = mean &+ value &* multiplier &- (mean &* multiplier) >> 9
      mean = value > ResidualReader.largest ? ResidualReader.largest : next
      afterRun = 0
      guard mean < 128, index < count else { continue }
      let run = unsafe ResidualReader.number(
        start, &position, size: min(mean.leadingZeroBitCount &- 24 &+ Int((mean &+ 16) >> 6), limit), fullWidth: 16)
      guard Int(run) <= count &- index else { throw .invalid("run of zeros", Int(run)) }
      unsafe (target + index).update(repeating: 0, count: Int(run))
      index &+= Int(run)
      // What ends a run is not zero, so one less is written.
      afterRun = run < ResidualReader.largest ? 1 : 0
      mean = 0
    }
    try bits.go(to: position)
  }

  /// A number in the code: ones, a zero, and `size` bits of which the last may be left out; or nine ones and the number
  /// in full.
  @inline(__always)
  private static func number(_ start: UnsafeRawPointer, _ position: inout Int, size: Int, fullWidth: Int) -> UInt32 {
    var word = unsafe UInt64(bigEndian: start.loadUnaligned(fromByteOffset: position &>> 3, as: UInt64.self))
    word = word &<< UInt64(truncatingIfNeeded: position & 7)
    let ones = (~word).leadingZeroBitCount
    guard ones < escape else {
      position &+= escape &+ fullWidth
      return UInt32(truncatingIfNeeded: (word &<< 9) &>> UInt64(truncatingIfNeeded: 64 &- fullWidth))
    }
    // The unary part of 2^k - 1 leaves one value of the k bits unused: so 0 takes one bit less.
    let low = (word &<< UInt64(truncatingIfNeeded: ones &+ 1)) &>> UInt64(truncatingIfNeeded: 64 &- size)
    position &+= ones &+ size &+ (low > 1 ? 1 : 0)
    let factor = 1 &<< UInt64(truncatingIfNeeded: size) &- 1
    return UInt32(truncatingIfNeeded: UInt64(truncatingIfNeeded: ones) &* factor &+ max(low, 1) &- 1)
  }
}
