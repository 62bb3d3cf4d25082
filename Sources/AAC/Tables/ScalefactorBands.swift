/// The scalefactor bands of a window: groups of spectral lines that share a scalefactor, narrow where hearing
/// distinguishes tones and wide above.
///
/// Source: ISO/IEC 14496-3, 4.5.4.
struct ScalefactorBands: Sendable {
  /// First line of each band, and after the last band's the length of the window. All are multiples of 4.
  let offsets: [UInt16]

  /// Number of bands.
  var count: Int { offsets.count - 1 }

  /// The bands of a window.
  ///
  /// - Parameters:
  ///   - frequencyIndex: 0 to 12; values outside are clamped.
  ///   - frameLength: 1024 or 960.
  ///   - isShort: the bands of one of the eight short windows.
  init(frequencyIndex: Int, frameLength: Int = 1024, isShort: Bool) {
    let families =
      switch (frameLength, isShort) {
      case (960, false): ScalefactorBandOffsets.of960
      case (960, true): ScalefactorBandOffsets.of120
      case (_, false): ScalefactorBandOffsets.of1024
      case (_, true): ScalefactorBandOffsets.of128
      }
    offsets = families[min(max(frequencyIndex, 0), families.count - 1)]
  }
}

extension SamplingFrequency {
  /// Lowest rate in Hz that uses the tables of index 0, 1, and so on; lower rates use those of index 11.
  static let lowestOfIndex: [UInt32] = [92017, 75132, 55426, 46009, 37566, 27713, 23004, 18783, 13856, 11502, 9391]

  /// The index whose tables a rate uses: its own, or for rates without one the nearest.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.1.1, table 4.82.
  static func tableIndex(of frequency: UInt32) -> Int {
    if let index = index(of: frequency) { return Int(index) }
    return lowestOfIndex.firstIndex { frequency >= $0 } ?? 11
  }
}
