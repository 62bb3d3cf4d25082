/// From separate channel buffers to frames with interleaved channels.
///
/// The target may be any memory. That the frames fit is checked before each loop; after that every store lies within
/// one frame.
enum Interleaving {
  static func floats(
    _ channels: [AlignedMemory<Float>], _ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer
  ) {
    guard let base = unsafe start(target, bytes: 4 * channels.count * frames.count) else { return }
    for (channel, memory) in channels.enumerated() {
      let source = unsafe memory.pointer(at: frames.lowerBound, count: frames.count)
      var output = unsafe base + 4 * channel
      for frame in 0..<frames.count {
        unsafe output.storeBytes(of: source[frame], as: Float.self)
        unsafe output += 4 * channels.count
      }
    }
  }

  static func int16s(
    _ channels: [AlignedMemory<Float>], _ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer
  ) {
    guard let base = unsafe start(target, bytes: 2 * channels.count * frames.count) else { return }
    if channels.count == 2 { return unsafe pairs(channels[0], channels[1], frames, to: base) }
    for (channel, memory) in channels.enumerated() {
      let source = unsafe memory.pointer(at: frames.lowerBound, count: frames.count)
      var output = unsafe base + 2 * channel
      for frame in 0..<frames.count {
        let sample = unsafe bits(SIMD2(repeating: source[frame])).x
        unsafe output.storeBytes(of: Int16(truncatingIfNeeded: sample), as: Int16.self)
        unsafe output += 2 * channels.count
      }
    }
  }

  /// The start of the target, which is checked to have room for this many bytes.
  private static func start(_ target: UnsafeMutableRawBufferPointer, bytes: Int) -> UnsafeMutableRawPointer? {
    precondition(bytes <= target.count)
    return target.baseAddress
  }

  /// The 16-bit sample in the lower half of each number.
  ///
  /// A float of 1.5 * 2^23 has units of 1: adding it rounds to whole numbers, ties to even, and leaves them in the
  /// lowest bits. NaN has zeros there.
  @inline(__always)
  private static func bits(_ samples: SIMD2<Float>) -> SIMD2<UInt32> {
    clipped(samples).words
  }

  @inline(__always)
  private static func clipped<Vector: SIMD>(_ samples: Vector) -> Vector where Vector.Scalar == Float {
    var scaled = samples * Vector(repeating: 32768)
    scaled.replace(with: Vector(repeating: 32767), where: scaled .> Vector(repeating: 32767))
    scaled.replace(with: Vector(repeating: -32768), where: scaled .< Vector(repeating: -32768))
    return scaled + Vector(repeating: 12_582_912)
  }

  /// Stereo, four frames at a time.
  private static func pairs(
    _ left: AlignedMemory<Float>, _ right: AlignedMemory<Float>, _ frames: Range<Int>,
    to target: UnsafeMutableRawPointer
  ) {
    let (first, count) = (frames.lowerBound, frames.count)
    let (left, right) = unsafe (left.pointer(at: first, count: count), right.pointer(at: first, count: count))
    var (output, frame) = unsafe (target, 0)
    while frame + 4 <= count {
      let low = unsafe vector(left + frame) & SIMD4(repeating: 0xFFFF)
      let high = unsafe vector(right + frame) &<< SIMD4(repeating: 16)
      unsafe output.storeBytes(of: low | high, as: SIMD4<UInt32>.self)
      unsafe output += 16
      frame += 4
    }
    while frame < count {
      let both = unsafe bits(SIMD2(left[frame], right[frame]))
      unsafe output.storeBytes(of: both.x & 0xFFFF | both.y << 16, as: UInt32.self)
      unsafe output += 4
      frame += 1
    }
  }

  @inline(__always)
  private static func vector(_ samples: UnsafePointer<Float>) -> SIMD4<UInt32> {
    unsafe clipped(UnsafeRawPointer(samples).loadUnaligned(as: SIMD4<Float>.self)).words
  }
}
