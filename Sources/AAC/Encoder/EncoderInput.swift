internal import MediaCore

/// Where the samples of one channel go, at the scale of 16-bit ones.
protocol EncoderInput: AnyObject {
  /// Room for more samples.
  var room: Int { get }

  /// Where the next samples go.
  var end: MemoryPart<Float> { get }

  /// Notes that this many samples were added at the end.
  func advance(_ count: Int)
}

extension EncoderInput {
  /// Adds frames of one of a buffer's channels, for which there is room.
  ///
  /// - Returns: how many samples cannot be encoded as they are: see `AACEncoder.alteredSamples`.
  func append(_ frames: Range<Int>, ofChannel channel: Int, of buffer: PCMBuffer) -> Int64 {
    let (count, stride) = (frames.count, buffer.format.channels)
    var (frame, index, altered) = (0, frames.lowerBound * stride + channel, Int64(0))
    // Indexes are those of `count` frames, which both sides have.
    let target = unsafe end.pointer(count: count)
    switch buffer.samples {
    case .int16(let samples):
      unsafe samples.withUnsafeBufferPointer { samples in
        // Stereo apart: with a stride that it knows, the compiler makes vectors of this.
        while stride == 2, frame < count {
          unsafe target[frame] = Float(samples[index])
          frame &+= 1
          index &+= 2
        }
        while frame < count {
          unsafe target[frame] = Float(samples[index])
          frame &+= 1
          index &+= stride
        }
      }
    case .int32(let samples):
      unsafe samples.withUnsafeBufferPointer { samples in
        while frame < count {
          unsafe target[frame] = Float(samples[index]) * (1 / 65536)
          frame &+= 1
          index &+= stride
        }
      }
    case .float32(let samples):
      unsafe samples.withUnsafeBufferPointer { samples in
        while frame < count {
          let sample = unsafe samples[index] * 32768
          // False for NaN, too.
          let isUsable = abs(sample) <= highestSample
          unsafe target[frame] = isUsable ? sample : bounded(sample)
          if !isUsable { altered &+= 1 }
          frame &+= 1
          index &+= stride
        }
      }
    }
    advance(count)
    return altered
  }
}

/// 12 dB above full scale, at the scale of 16-bit samples.
private let highestSample: Float = 4 * 32768

/// A sample at that scale which cannot be encoded as it is.
private func bounded(_ sample: Float) -> Float {
  sample.isNaN ? 0 : sample.clamped(to: -highestSample...highestSample)
}
