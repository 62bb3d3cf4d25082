internal import ISOBMFF
internal import MediaCore

/// The samples of a `trun` box, as cursors read them: contiguous in the file, each with the fields that the flags name.
///
/// A type of this module and not the box itself, since the compiler does not inline another module's `package` code:
/// working on the box, remuxing into fragments takes a third more instructions.
struct FragmentRun: Sendable {
  /// Number of samples.
  let sampleCount: UInt32
  /// The offset of the first sample from the fragment's base; `nil` if the run begins where the one before it ends.
  let dataOffset: Int32?
  /// Flags of the first sample, if it differs from the others.
  let firstSampleFlags: UInt32?
  let hasDuration: Bool
  let hasSize: Bool
  let hasFlags: Bool
  let hasCompositionOffset: Bool
  /// Size in bytes of one sample's fields: 0, 4, 8, 12 or 16.
  let entrySize: Int
  /// The samples' fields: `entrySize` bytes for each.
  let packed: ArraySlice<UInt8>

  init(_ box: TrackRunBox) {
    typealias Flag = TrackRunBox.Flag
    sampleCount = box.sampleCount
    dataOffset = box.has(Flag.dataOffset) ? box.dataOffset : nil
    firstSampleFlags = box.has(Flag.firstSampleFlags) ? box.firstSampleFlags : nil
    hasDuration = box.has(Flag.sampleDuration)
    hasSize = box.has(Flag.sampleSize)
    hasFlags = box.has(Flag.sampleFlags)
    hasCompositionOffset = box.has(Flag.sampleCompositionTimeOffset)
    entrySize = box.entrySize
    packed = box.packed
  }

  /// The sum of the durations, and when the sample that is shown last ends, relative to when the first one is decoded;
  /// for runs with composition offsets.
  ///
  /// - Parameter duration: the duration of samples that have no field for it.
  func times(duration: UInt32) -> (ticks: UInt64, shownEnd: Int64?) {
    let span = packed.span
    let stride = entrySize
    var (duration, time, shownEnd) = (Int64(duration), Int64(0), Int64.min)
    // The offset comes last in each entry.
    var bufferOffset = stride - 4
    for _ in 0..<sampleCount {
      if hasDuration { duration = Int64(span.bigEndian(at: bufferOffset &+ 4 &- stride, as: UInt32.self)) }
      time &+= duration
      shownEnd = max(shownEnd, time &+ Int64(span.bigEndian(at: bufferOffset, as: Int32.self)))
      bufferOffset &+= stride
    }
    return (UInt64(time), sampleCount == 0 ? nil : shownEnd)
  }

  /// The sum of one field of all samples, `offset` bytes into each entry.
  func sum(at offset: Int) -> UInt64 {
    let span = packed.span
    let stride = entrySize
    var sum: UInt64 = 0
    var bufferOffset = offset
    for _ in 0..<sampleCount {
      sum &+= UInt64(span.bigEndian(at: bufferOffset, as: UInt32.self))
      bufferOffset += stride
    }
    return sum
  }
}
