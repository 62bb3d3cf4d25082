/// A stretch of PCM without a time: the payload of a `PCMSample`.
///
/// Samples are interleaved: a frame is a sample of each channel, in the order of WAVE files (see `ChannelLayout`), and
/// one frame follows another.
public struct PCMBuffer: Sendable, Hashable {
  /// The format of the samples.
  public let format: AudioFormat
  /// The samples: `frameCount * format.channels` of them.
  public private(set) var samples: Samples

  /// Interleaved samples, of the type that the format states.
  public enum Samples: Sendable, Hashable {
    /// Signed 16-bit samples.
    case int16([Int16])
    /// Samples as floats, full scale at -1 and 1; louder ones are not clipped.
    case float32([Float])
  }

  /// A buffer of 16-bit samples; those of a last, incomplete frame are dropped.
  public init(_ samples: [Int16], sampleRate: Int, layout: ChannelLayout) {
    format = AudioFormat(sampleRate: sampleRate, sampleFormat: .int16, layout: layout)
    let excess = samples.count % layout.channels
    self.samples = .int16(excess == 0 ? samples : samples.dropLast(excess))
  }

  /// A buffer of float samples; those of a last, incomplete frame are dropped.
  public init(_ samples: [Float], sampleRate: Int, layout: ChannelLayout) {
    format = AudioFormat(sampleRate: sampleRate, sampleFormat: .float32, layout: layout)
    let excess = samples.count % layout.channels
    self.samples = .float32(excess == 0 ? samples : samples.dropLast(excess))
  }

  /// The number of frames.
  public var frameCount: Int {
    switch samples {
    case .int16(let samples): samples.count / format.channels
    case .float32(let samples): samples.count / format.channels
    }
  }

  /// The first `frames` frames, or all of them if there are fewer.
  public func prefix(_ frames: Int) -> PCMBuffer {
    guard frames < frameCount else { return self }
    let count = max(frames, 0) * format.channels
    return switch samples {
    case .int16(let samples):
      PCMBuffer(Array(samples.prefix(count)), sampleRate: format.sampleRate, layout: format.layout)
    case .float32(let samples):
      PCMBuffer(Array(samples.prefix(count)), sampleRate: format.sampleRate, layout: format.layout)
    }
  }

  /// The samples as floats: 16-bit ones are divided by 32 768, which loses nothing.
  public var floats: [Float] {
    switch samples {
    case .int16(let samples): samples.map { Float($0) * (1 / 32768) }
    case .float32(let samples): samples
    }
  }

  /// The samples as 16-bit integers: floats are rounded to the nearest, ties to even, and clipped; NaN becomes silence.
  public var int16s: [Int16] {
    switch samples {
    case .int16(let samples): samples
    case .float32(let samples): samples.map(Int16.init(pcm:))
    }
  }
}

extension Int16 {
  /// The nearest 16-bit sample to a float one; clips, and takes NaN as silence.
  @inlinable
  public init(pcm sample: Float) {
    let scaled = sample * 32768
    guard scaled < 32767 else { self = scaled.isNaN ? 0 : .max; return }
    self = scaled <= -32768 ? .min : Int16(scaled.rounded(.toNearestOrEven))
  }
}
