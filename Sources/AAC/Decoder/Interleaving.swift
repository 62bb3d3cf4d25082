/// From separate channel buffers to frames with interleaved channels.
///
/// Callers have checked that each channel holds all the frames, and that they fit in the target.
enum Interleaving {
  static func floats(
    _ channels: [UnsafePointer<Float>], _ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer
  ) {
    guard let base = target.baseAddress else { return }
    for (channel, source) in channels.enumerated() {
      var output = base + 4 * channel
      for frame in frames {
        output.storeBytes(of: source[frame], as: Float.self)
        output += 4 * channels.count
      }
    }
  }

  static func int16s(
    _ channels: [UnsafePointer<Float>], _ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer
  ) {
    guard let base = target.baseAddress else { return }
    if channels.count == 2 { return pairs(channels[0], channels[1], frames, to: base) }
    for (channel, source) in channels.enumerated() {
      var output = base + 2 * channel
      for frame in frames {
        output.storeBytes(of: Int16(truncatingIfNeeded: bits(SIMD2(repeating: source[frame])).x), as: Int16.self)
        output += 2 * channels.count
      }
    }
  }

  /// The 16-bit sample in the lower half of each number.
  ///
  /// A float of 1.5 * 2^23 has units of 1: adding it rounds to whole numbers, ties to even, and leaves them in the
  /// lowest bits. NaN has zeros there.
  @inline(__always)
  private static func bits(_ samples: SIMD2<Float>) -> SIMD2<UInt32> {
    unsafeBitCast(clipped(samples), to: SIMD2<UInt32>.self)
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
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ frames: Range<Int>,
    to target: UnsafeMutableRawPointer
  ) {
    var (output, frame) = (target, frames.lowerBound)
    while frame + 4 <= frames.upperBound {
      let low = vector(left + frame) & SIMD4(repeating: 0xFFFF)
      let high = vector(right + frame) &<< SIMD4(repeating: 16)
      output.storeBytes(of: low | high, as: SIMD4<UInt32>.self)
      output += 16
      frame += 4
    }
    while frame < frames.upperBound {
      let both = bits(SIMD2(left[frame], right[frame]))
      output.storeBytes(of: both.x & 0xFFFF | both.y << 16, as: UInt32.self)
      output += 4
      frame += 1
    }
  }

  @inline(__always)
  private static func vector(_ samples: UnsafePointer<Float>) -> SIMD4<UInt32> {
    let loaded = UnsafeRawPointer(samples).loadUnaligned(as: SIMD4<Float>.self)
    return unsafeBitCast(clipped(loaded), to: SIMD4<UInt32>.self)
  }
}
