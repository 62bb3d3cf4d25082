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
    /// Signed samples of 24 or 32 bits, as the format says, full scale at the ends of `Int32`: in those of 24 bits the
    /// lowest eight are 0. So code that wants numbers need not know which they are.
    case int32([Int32])
    /// Samples as floats, full scale at -1 and 1; louder ones are not clipped.
    case float32([Float])
  }

  /// A buffer of 16-bit samples; those of a last, incomplete frame are dropped.
  public init(_ samples: [Int16], sampleRate: Int, layout: ChannelLayout) {
    format = AudioFormat(sampleRate: sampleRate, sampleFormat: .int16, layout: layout)
    let excess = samples.count % layout.channels
    self.samples = .int16(excess == 0 ? samples : samples.dropLast(excess))
  }

  /// A buffer of 24-bit or 32-bit samples; those of a last, incomplete frame are dropped.
  ///
  /// - Parameters:
  ///   - samples: full scale at the ends of `Int32`, whatever the depth.
  ///   - sampleFormat: `.int24`; anything else is taken as `.int32`.
  ///   - sampleRate: frames a second.
  ///   - layout: the channels.
  public init(
    _ samples: [Int32], sampleFormat: AudioFormat.SampleFormat = .int32, sampleRate: Int, layout: ChannelLayout
  ) {
    let depth: AudioFormat.SampleFormat = sampleFormat == .int24 ? .int24 : .int32
    format = AudioFormat(sampleRate: sampleRate, sampleFormat: depth, layout: layout)
    let excess = samples.count % layout.channels
    self.samples = .int32(excess == 0 ? samples : samples.dropLast(excess))
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
    case .int32(let samples): samples.count / format.channels
    case .float32(let samples): samples.count / format.channels
    }
  }

  /// The first `frames` frames, or all of them if there are fewer.
  public func prefix(_ frames: Int) -> PCMBuffer {
    slice(0..<max(frames, 0))
  }

  /// Some of the frames: as many of these as there are.
  package func slice(_ frames: Range<Int>) -> PCMBuffer {
    let frames = frames.clamped(to: 0..<frameCount)
    if frames == 0..<frameCount { return self }
    let part = (frames.lowerBound * format.channels)..<(frames.upperBound * format.channels)
    let (rate, layout) = (format.sampleRate, format.layout)
    return switch samples {
    case .int16(let samples): PCMBuffer(Array(samples[part]), sampleRate: rate, layout: layout)
    case .int32(let samples):
      PCMBuffer(Array(samples[part]), sampleFormat: format.sampleFormat, sampleRate: rate, layout: layout)
    case .float32(let samples): PCMBuffer(Array(samples[part]), sampleRate: rate, layout: layout)
    }
  }

  /// The same with samples of another format, rounded to the nearest, ties to even, and clipped.
  package func converted(to sampleFormat: AudioFormat.SampleFormat) -> PCMBuffer {
    if sampleFormat == format.sampleFormat { return self }
    let (rate, layout) = (format.sampleRate, format.layout)
    return switch sampleFormat {
    case .int16: PCMBuffer(int16s, sampleRate: rate, layout: layout)
    case .int24:
      PCMBuffer(int32s.map { $0.rounded(toBits: 24) }, sampleFormat: .int24, sampleRate: rate, layout: layout)
    case .int32: PCMBuffer(int32s, sampleRate: rate, layout: layout)
    case .float32: PCMBuffer(floats, sampleRate: rate, layout: layout)
    }
  }

  /// The samples as floats: integers are divided by their full scale, which loses nothing up to 24 bits.
  public var floats: [Float] {
    switch samples {
    case .int16(let samples): samples.map { Float($0) * (1 / 32768) }
    case .int32(let samples): samples.map(Float.init(pcm:))
    case .float32(let samples): samples
    }
  }

  /// The samples as 16-bit integers: others are rounded to the nearest, ties to even, and clipped; NaN becomes silence.
  public var int16s: [Int16] {
    switch samples {
    case .int16(let samples): samples
    case .int32(let samples): samples.map(Int16.init(pcm:))
    case .float32(let samples): samples.map(Int16.init(pcm:))
    }
  }

  /// The samples as 32-bit integers: floats are rounded to the nearest, ties to even, and clipped; NaN becomes silence.
  public var int32s: [Int32] {
    switch samples {
    case .int16(let samples): samples.map { Int32($0) << 16 }
    case .int32(let samples): samples
    case .float32(let samples): samples.map(Int32.init(pcm:))
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

  /// The nearest 16-bit sample to one of 32 bits, ties to even; clips what would round up beyond full scale.
  @inlinable
  public init(pcm sample: Int32) {
    // Half a step, less one unless the result would be odd.
    let (sum, overflow) = sample.addingReportingOverflow(0x7FFF + (sample >> 16 & 1))
    self = overflow ? .max : Int16(truncatingIfNeeded: sum >> 16)
  }
}

extension Int32 {
  /// The nearest 32-bit sample to a float one; clips, and takes NaN as silence.
  @inlinable
  public init(pcm sample: Float) {
    let scaled = sample * 2_147_483_648
    guard scaled < 2_147_483_648 else { self = scaled.isNaN ? 0 : .max; return }
    self = scaled <= -2_147_483_648 ? .min : Int32(scaled.rounded(.toNearestOrEven))
  }
}

extension Int32 {
  /// The nearest sample of which only the upper bits are used, 16 to 32 of them, ties to even; clips what would round
  /// up beyond full scale.
  @inlinable
  package func rounded(toBits bits: Int) -> Int32 {
    guard bits < 32 else { return self }
    // Half a step, less one unless the result would be odd.
    let step = 1 as Int32 &<< Int32(32 &- bits)
    let (sum, overflow) = addingReportingOverflow(step &>> 1 &- 1 &+ (self &>> Int32(32 &- bits) & 1))
    return (overflow ? .max : sum) & ~(step &- 1)
  }
}

extension Float {
  /// A 32-bit sample as a float, full scale at -1 and 1: exact up to 24 bits, else rounded to them.
  @inlinable
  public init(pcm sample: Int32) {
    self = Float(sample) * (1 / 2_147_483_648)
  }
}
