/// Smooths the measured times of buffers.
///
/// The measurement, the clock minus the latency, jumps by milliseconds on a busy computer. The number of frames between
/// two buffers is known exactly, but not quite how long a frame of this device lasts: its crystal may be 100 ppm off.
/// So each time is predicted from the previous one by counting frames, and a hundredth of the difference between
/// measurement and prediction is added: jitter is smoothed, drift is followed, and times never go back. Only a large
/// difference, as after the computer slept, is applied at once.
struct TimestampFilter {
  private let sampleRate: Int
  /// Where the next buffer should begin, in nanoseconds.
  private var predicted: Double?

  /// The share of a difference that is applied.
  private static let gain = 0.01
  /// Above this a forward difference, in nanoseconds, is applied in full.
  private static let jump = 250_000_000.0

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
  }

  /// The time of a buffer.
  ///
  /// - Parameters:
  ///   - measured: when its first frame seems to have been heard, in nanoseconds.
  ///   - frames: how many frames it has.
  mutating func time(measured: Int64, frames: Int) -> Int64 {
    let measured = Double(measured)
    let expected = predicted ?? measured
    let difference = measured - expected
    let time: Double
    if difference > TimestampFilter.jump {
      time = measured
    } else {
      // Goes back by at most half of the buffer's duration: the next time is still later.
      let period = Double(frames) * 1e9 / Double(sampleRate)
      time = expected + max(difference * TimestampFilter.gain, -period / 2)
    }
    predicted = time
    skip(frames: frames)
    return Int64(time)
  }

  /// Counts frames that the device lost after the last buffer.
  mutating func skip(frames: Int) {
    predicted = predicted.map { $0 + Double(frames) * 1e9 / Double(sampleRate) }
  }
}
