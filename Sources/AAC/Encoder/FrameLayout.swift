/// How the lines of a frame are arranged: windows, groups of windows, and the bands of each group one after another.
///
/// Eight short windows would need eight sets of scalefactors; similar-sounding windows form a group and share one. In a
/// group, lines go by band, then by window. A frame with one long window is one group of one window.
///
/// Source: ISO/IEC 14496-3, 4.5.2.3.4.
struct FrameLayout {
  /// The windows of the frame.
  var sequence = WindowSequence.onlyLong
  /// The shape of the slope with which the frame ends.
  var shape = WindowShape.sine
  /// Windows of each group; their sum is 8 or 1.
  var groups: [Int] = [1]
  /// Bands of each group that may be coded.
  var bandsPerGroup = 0
  /// First line of each band of all groups, in the order of transmission, and after the last one its end.
  var offsets: [Int] = []
  /// Bits of a section's run length; all ones mean that it continues in another field of as many bits.
  var sectionRunBits: Int { sequence == .eightShort ? 3 : 5 }

  /// Bands of all groups.
  var bandCount: Int { offsets.count - 1 }

  /// The layout of a long window.
  init(long bands: ScalefactorBands, used: Int) {
    bandsPerGroup = used
    offsets = bands.offsets.prefix(used + 1).map(Int.init)
  }

  /// The layout of eight short windows in groups.
  init(short bands: ScalefactorBands, used: Int, groups: [Int]) {
    sequence = .eightShort
    self.groups = groups
    bandsPerGroup = used
    var line = 0
    offsets.reserveCapacity(used * groups.count + 1)
    for group in groups {
      for band in 0..<used {
        offsets.append(line)
        line += group * Int(bands.offsets[band + 1] - bands.offsets[band])
      }
    }
    offsets.append(line)
  }

  /// Lines from window order, 128 of each, into the order of groups.
  func interleave(
    _ windows: AlignedMemory<Float>, bands: ScalefactorBands, to lines: AlignedMemory<Float>
  ) {
    var line = 0
    var first = 0
    for group in groups {
      for band in 0..<bandsPerGroup {
        let (from, end) = (Int(bands.offsets[band]), Int(bands.offsets[band + 1]))
        for window in first..<(first + group) {
          lines.from(line).update(from: windows.from(128 * window + from), count: end - from)
          line += end - from
        }
      }
      first += group
    }
  }
}
