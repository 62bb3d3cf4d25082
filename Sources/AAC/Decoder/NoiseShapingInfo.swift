/// The filters of temporal noise shaping.
///
/// The encoder predicted each line from its neighbours; undoing that gives the quantisation noise the signal's envelope
/// in time, so that an attack masks it instead of being preceded by it.
///
/// Source: ISO/IEC 14496-3, 4.4.2.7, table 4.54, and 4.6.9.
struct NoiseShapingInfo {
  /// One filter over a range of bands.
  struct Filter {
    var window: Int
    /// Bands from the first to before the second.
    var bands: Range<Int>
    var isDownward: Bool
    /// Prediction coefficients, the nearest line's first.
    var coefficients: [Float]
  }

  /// At most three for a long window, one for each short one.
  private(set) var filters: [Filter] = []

  /// Reads `tns_data`.
  mutating func read(_ reader: inout PacketBitReader, _ info: WindowInfo, maximumOrder: Int) throws(PacketFault) {
    let isShort = info.sequence == .eightShort
    for window in 0..<info.sequence.windowCount {
      let count = reader.bits(isShort ? 1 : 2)
      guard count > 0 else { continue }
      let resolution = 3 + reader.bits(1)
      var top = info.bands.count
      for _ in 0..<count {
        let length = reader.bits(isShort ? 4 : 6)
        let order = reader.bits(isShort ? 3 : 5)
        let bottom = max(top - length, 0)
        defer { top = bottom }
        guard order > 0 else { continue }
        guard order <= (isShort ? NoiseShaping.maximumShortOrder : maximumOrder) else {
          throw .invalid("tns_order", order)
        }
        let isDownward = reader.flag()
        let width = resolution - reader.bits(1)
        let reflections = (0..<order).map { _ in
          let code = reader.bits(width)
          let index = code >= 1 << (width - 1) ? code - 1 << width : code
          return Float(NoiseShaping.reflection(index, resolution: resolution))
        }
        filters.append(
          Filter(
            window: window, bands: bottom..<top, isDownward: isDownward,
            coefficients: NoiseShapingInfo.predictor(reflections)))
      }
    }
    if reader.isOverrun { throw .truncated("tns_data") }
  }

  /// Prediction coefficients from reflection coefficients: Levinson's step up.
  ///
  /// In single precision, like other decoders: filters near the edge of stability amplify an error in the last bit a
  /// thousand times, and then being alike matters more than being exact.
  private static func predictor(_ reflections: [Float]) -> [Float] {
    var coefficients: [Float] = []
    for reflection in reflections {
      coefficients =
        coefficients.indices.map { coefficients[$0] + reflection * coefficients[coefficients.count - 1 - $0] }
        + [reflection]
    }
    return coefficients
  }

  /// Calls `body` with the lines of each filter: their first in filter order, how many, and the step between them.
  private func forEachFilter(_ info: WindowInfo, _ body: (Filter, _ first: Int, _ count: Int, _ step: Int) -> Void) {
    let limit = min(info.bands.noiseShapingLimit, info.codedBands)
    for filter in filters {
      let start = Int(info.bands.offsets[min(filter.bands.lowerBound, limit)])
      let end = Int(info.bands.offsets[min(filter.bands.upperBound, limit)])
      guard start < end else { continue }
      let base = filter.window * info.windowLength
      body(filter, base + (filter.isDownward ? end - 1 : start), end - start, filter.isDownward ? -1 : 1)
    }
  }

  /// Shapes a spectrum: adds to each line its prediction from the finished lines before it.
  ///
  /// `lines` checks that all lines of a filter exist; a tap is at most as far away as its first line.
  func synthesise(_ spectrum: AlignedMemory<Float>, _ info: WindowInfo) {
    forEachFilter(info) { filter, first, count, step in
      let start = unsafe NoiseShapingInfo.lines(spectrum, first, count, step)
      unsafe filter.coefficients.withUnsafeBufferPointer { coefficients in
        for position in 0..<count {
          let line = unsafe start + position * step
          var value = unsafe line.pointee
          for tap in 0..<min(coefficients.count, position) {
            unsafe value -= coefficients[tap] * line[-(tap + 1) * step]
          }
          unsafe line.pointee = value
        }
      }
    }
  }

  /// The inverse: the encoder's filter, which LTP has to apply to its prediction. Its lines and taps are the same.
  func analyse(_ spectrum: AlignedMemory<Float>, _ info: WindowInfo) {
    forEachFilter(info) { filter, first, count, step in
      let start = unsafe NoiseShapingInfo.lines(spectrum, first, count, step)
      for position in (0..<count).reversed() {
        let line = unsafe start + position * step
        for tap in 1..<(min(filter.coefficients.count, position) + 1) {
          unsafe line.pointee += filter.coefficients[tap - 1] * line[-tap * step]
        }
      }
    }
  }

  /// The first of a filter's lines, which go upwards or downwards from there.
  private static func lines(
    _ spectrum: AlignedMemory<Float>, _ first: Int, _ count: Int, _ step: Int
  ) -> UnsafeMutablePointer<Float> {
    let lowest = min(first, first + (count - 1) * step)
    return unsafe spectrum.pointer(at: lowest, count: count) + (first - lowest)
  }
}
