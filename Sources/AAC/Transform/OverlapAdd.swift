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
    index >= half ? upper[index - half] : lower[half - 1 - index]
  }

  /// Fades one transform's samples out and the next one's in, which cancels the aliasing of both.
  ///
  /// Both come without their mirror images, see `InverseMDCT`: `ending` is the second half of what the earlier
  /// transform gave, `beginning` the first half of the later's. Each has `half` samples, `output` gets `2 * half`, and
  /// all begin at a multiple of 4; that is checked once, and the loop runs over just these. `output` may be neither of
  /// the two.
  ///
  /// Source: ISO/IEC 14496-3, 4.6.11.3.3.
  @inline(__always)
  func overlap(
    _ ending: MemoryPart<Float>, _ beginning: MemoryPart<Float>, to output: MemoryPart<Float>
  ) {
    let (last, next) = unsafe (ending.vectors(count: half), beginning.vectors(count: half))
    let (out, upper, lower) = unsafe (output.vectors(count: 2 * half), upper.vectors, lower.vectors)
    let vectors = half / 4
    for index in 0..<vectors {
      let mirrored = vectors - 1 - index
      let (rising, falling) = unsafe (upper[index], lower[index])
      let (old, new) = unsafe (last[mirrored].reversed, next[index])
      unsafe out[vectors + index] = new * rising + old * falling
      unsafe out[mirrored] = (old * rising - new * falling).reversed
    }
  }
}
