internal import MediaCore

/// Turns sound up and down on its way to a device.
///
/// A step in loudness is heard as a click, so a new volume is reached on a straight line that takes a hundredth of a
/// second from silence to full. At volume 1 the samples are left alone, bit for bit.
struct VolumeRamp {
  private let format: AudioFormat
  /// How much the volume changes from one frame to the next on its way to another.
  private let step: Float
  /// The volume of the last frame; `nil` before the first one, which begins at whatever volume is wanted then.
  private var volume: Float?

  init(format: AudioFormat) {
    self.format = format
    step = 1 / Float(max(format.sampleRate / 100, 1))
  }

  /// Scales interleaved frames. The device's side: no allocation, no lock, no waiting.
  ///
  /// - Parameters:
  ///   - target: the volume to reach, 0 to 1.
  ///   - memory: whole frames, aligned as their samples need.
  mutating func apply(_ target: Float, to memory: UnsafeMutableRawBufferPointer) {
    guard memory.count > 0 else { return }
    let start = volume ?? target
    volume = target
    if start == 1, target == 1 { return }
    switch format.sampleFormat {
    case .int16:
      unsafe scale(memory.assumingMemoryBound(to: Int16.self), from: start, to: target) {
        Int16(($0 * Float($1)).rounded(.toNearestOrEven))
      }
    case .int24, .int32, .float32:
      // A device has no others than floats.
      unsafe scale(memory.assumingMemoryBound(to: Float.self), from: start, to: target) { $0 * $1 }
    }
  }

  private mutating func scale<Sample>(
    _ samples: UnsafeMutableBufferPointer<Sample>, from start: Float, to target: Float,
    _ product: (Float, Sample) -> Sample
  ) {
    var current = start
    var place = 0
    while place < samples.count {
      let missing = target - current
      current = missing.magnitude <= step ? target : current + (missing < 0 ? -step : step)
      let end = min(place + format.channels, samples.count)
      // A place below the end is inside, and not checked again, as this is done for every sample.
      while place < end {
        unsafe samples[place] = product(current, samples[place])
        place += 1
      }
    }
    volume = current
  }
}
