/// A window's slope in the form that overlapping needs.
final class Slope {
  /// Half the samples of the slope.
  let half: Int
  /// The upper half, rising.
  fileprivate let upper: AlignedMemory<Float>
  /// The lower half, backwards: falling.
  fileprivate let lower: AlignedMemory<Float>

  /// A slope of `count` samples, a multiple of 8.
  init(_ shape: WindowShape, count: Int) {
    half = count / 2
    let slope = shape.slope(count).map { Float($0) }
    upper = AlignedMemory(Array(slope[half...]))
    lower = AlignedMemory(Array(slope[..<half].reversed()))
  }

  /// A sample of the slope, rising; `index` is 0 up to `2 * half - 1`.
  subscript(_ index: Int) -> Float {
    index >= half ? upper.start[index - half] : lower.start[half - 1 - index]
  }

  /// Fades one transform's samples out and the next one's in, which cancels the aliasing of both.
  ///
  /// Both come without their mirror images, see `InverseMDCT`: `ending` is the second half of what the earlier
  /// transform gave, `beginning` the first half of the later's. Each has `half` samples, `output` gets `2 * half`, and
  /// all are aligned to 16 bytes; the loop runs over just these. `output` may be neither of the two.
  ///
  /// Source: ISO/IEC 14496-3, 4.6.11.3.3.
  @inline(__always)
  func overlap(
    _ ending: UnsafeMutablePointer<Float>, _ beginning: UnsafeMutablePointer<Float>,
    to output: UnsafeMutablePointer<Float>
  ) {
    let (last, next, out) = (ending.vectors, beginning.vectors, output.vectors)
    let vectors = half / 4
    for index in 0..<vectors {
      let mirrored = vectors - 1 - index
      let (rising, falling) = (upper.vectors[index], lower.vectors[index])
      let (old, new) = (last[mirrored].reversed, next[index])
      out[vectors + index] = new * rising + old * falling
      out[mirrored] = (old * rising - new * falling).reversed
    }
  }
}
