/// Makes times of buffers that a device can be believed out of ones that a busy computer measured.
///
/// What is measured, the clock less the latency, jumps about by milliseconds. How many frames lie between two buffers
/// is known exactly, but not quite how long a frame of this device takes: its crystal may be 100 ppm off. So each time
/// is predicted from the one before by the frame count, and a hundredth of what the measurement says otherwise is
/// added: jitter is smoothed, drift is followed, and times never go back. Only a large difference, a computer that
/// slept, is believed at once.
struct TimestampFilter {
  private let sampleRate: Int
  /// Where the next buffer should begin, in nanoseconds.
  private var predicted: Double?

  /// How much of a difference is believed.
  private static let gain = 0.01
  /// The difference that is believed whole, in nanoseconds, if it goes forward.
  private static let jump = 250_000_000.0

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  /// The time of a buffer.
  ///
  /// - Parameters:
  ///   - measured: when its first frame seems to have been heard, in nanoseconds.
  ///   - frames: how many frames it has, and are lost after it.
  mutating func time(measured: Int64, frames: Int) -> Int64 {
    let measured = Double(measured)
    let expected = predicted ?? measured
    let difference = measured - expected
    let time: Double
    if difference > TimestampFilter.jump {
      time = measured
    } else {
      // Backwards it may lose half of what it gained at most: the next one is still later.
      let period = Double(frames) * 1e9 / Double(sampleRate)
      time = expected + max(difference * TimestampFilter.gain, -period / 2)
    }
    predicted = time + Double(frames) * 1e9 / Double(sampleRate)
    return Int64(time)
  }
}
