import AudioIO
import Foundation
import MediaCore
import Synchronization

/// Frames whose samples count up, so that each tells its own number.
func counting(_ range: Range<Int>, rate: Int = 8000, layout: ChannelLayout = .mono) -> PCMBuffer {
  let samples = range.flatMap { frame in (0..<layout.channels).map { _ in Int16(truncatingIfNeeded: frame) } }
  return PCMBuffer(samples, sampleRate: rate, layout: layout)
}

/// What a closure throws, if it is one of ours.
func audioError(_ body: () throws -> Void) -> AudioIOError? {
  do {
    try body()
    return nil
  } catch {
    return error as? AudioIOError
  }
}

extension AudioCapture {
  /// All that waits in the queue or is to come, up to the end or to so many frames.
  func collect(frames: Int = .max, within limit: Duration = .seconds(2)) throws -> [PCMSample] {
    var (samples, count): ([PCMSample], Int) = ([], 0)
    while count < frames, case .sample(let sample, _) = try next(within: limit) {
      samples.append(sample)
      count += sample.payload.frameCount
    }
    return samples
  }
}

extension PCMSample {
  /// The number of its first frame.
  var position: Int64 { timing.presentationTime }
  /// The frame after its last one.
  var end: Int64 { position + Int64(payload.frameCount) }
}

/// How many frames are missing between samples, and ahead of the first.
func gaps(in samples: [PCMSample]) -> [Int64] {
  zip(samples, [0] + samples.map(\.end)).map { $0.position - $1 }
}

/// The loudest frequency of a stretch of sound, in Hz: the middle of rising zero crossings, counted over the whole.
func frequency(of samples: [Float], rate: Int) -> Double {
  var crossings: [Double] = []
  for index in samples.indices.dropFirst() where samples[index - 1] < 0 && samples[index] >= 0 {
    let step = Double(samples[index] - samples[index - 1])
    crossings.append(Double(index) - Double(samples[index]) / step)
  }
  guard crossings.count > 2, let first = crossings.first, let last = crossings.last else { return 0 }
  return Double(crossings.count - 1) / (last - first) * Double(rate)
}
