internal import AudioConversion
internal import Loudness
internal import MediaCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Sound that waits in a temporary file until all of it is there, so that its loudness is known and can be changed.
struct LoudnessSpool {
  private let target: LoudnessTarget
  private let format: AudioFormat
  private let file: ScratchFile
  private let reader: SourceReader
  private var meter: LoudnessMeter
  private var frames = 0

  /// Frames read at once.
  private static let framesAtOnce = 16_384
  /// How often sound whose peaks are limited is measured again: limiting makes it softer, which a higher gain can make
  /// good.
  private static let measurements = 3

  /// - Parameter format: what `finish` hands out, with noise before integers of 16 bits if the sound was changed.
  ///   `append` takes this rate and these channels, as floats if it was converted.
  init(_ format: AudioFormat, _ target: LoudnessTarget) throws {
    (self.format, self.target) = (format, target)
    file = try ScratchFile()
    reader = SourceReader(file, attempts: 0)
    meter = try LoudnessMeter(sampleRate: format.sampleRate, layout: format.layout)
  }

  mutating func append(_ buffer: PCMBuffer) throws {
    let samples = buffer.floats.map { LoudnessMeter.sensible($0) }
    meter.add(samples.span)
    // Floats have no padding, so all of their bytes are initialised.
    try unsafe samples.withUnsafeBytes { try unsafe file.write($0) }
    frames += buffer.frameCount
  }

  /// Hands out the sound, as loud as it is to be.
  ///
  /// - Parameters:
  ///   - output: takes it.
  ///   - progress: called now and then with the part of the work that is done.
  func finish(
    into output: (PCMBuffer) throws -> Void, progress: (_ part: Double) throws -> Void
  ) throws -> LoudnessChange {
    var meter = meter
    meter.finish()
    guard let before = meter.integrated, let peak = meter.truePeaks.compactMap({ $0 }).max() else {
      try hand(nil, to: { try output($0.converted(to: format.sampleFormat)) }, progress: progress)
      return LoudnessChange(before: nil, after: nil, gain: 0, isLimited: false)
    }
    let needed = target.integrated - before
    var gain = needed
    var after = target.integrated
    let isLimited = peak + gain > target.truePeak
    let rounds = isLimited ? LoudnessSpool.measurements : 0
    for round in 0..<rounds {
      var limited = try LoudnessMeter(
        sampleRate: format.sampleRate, layout: format.layout, measuresTruePeak: false)
      try hand(try limiter(gain), to: { limited.add($0.floats.span) }) {
        try progress((Double(round) + $0) / Double(rounds + 1))
      }
      after = limited.integrated ?? after
      // The last measurement is not followed by a correction, so that `after` is the loudness at the gain that is used.
      guard round < rounds - 1 else { break }
      gain += max(min(target.integrated - after, needed + LoudnessSpool.mostCorrection - gain), 0)
    }
    let limiter = isLimited ? try limiter(gain) : nil
    let factor = Float(pow(10, gain / 20))
    var rounding = try AudioConverter(from: .float32(format.sampleRate, format.layout), to: format)
    try hand(limiter, gain: factor, to: { try output(try rounding.convert($0)) }) {
      try progress((Double(rounds) + $0) / Double(rounds + 1))
    }
    return LoudnessChange(before: before, after: after, gain: gain, isLimited: isLimited)
  }

  /// More than this would only squeeze the sound further, in dB.
  private static let mostCorrection = 6.0

  private func limiter(_ gain: Double) throws -> TruePeakLimiter {
    try TruePeakLimiter(
      gain: Float(pow(10, gain / 20)), ceiling: Float(pow(10, target.truePeak / 20)), sampleRate: format.sampleRate,
      channels: format.channels)
  }

  /// Reads the file once.
  ///
  /// - Parameters:
  ///   - limiter: what the sound goes through, if that is needed.
  ///   - gain: what samples are multiplied by otherwise.
  ///   - output: takes the sound.
  ///   - progress: called with the part that was read.
  private func hand(
    _ limiter: TruePeakLimiter?, gain: Float = 1, to output: (PCMBuffer) throws -> Void,
    progress: (Double) throws -> Void
  ) throws {
    var limiter = limiter
    var (done, block) = (0, [Float]())
    while done < frames {
      let count = min(LoudnessSpool.framesAtOnce, frames - done)
      block.removeAll(keepingCapacity: true)
      let samples = try read(done..<(done + count))
      if limiter != nil { limiter?.limit(samples.span, to: &block) } else { block = samples.map { $0 * gain } }
      done += count
      if done == frames { limiter?.finish(to: &block) }
      try output(PCMBuffer(block, sampleRate: format.sampleRate, layout: format.layout))
      try progress(Double(done) / Double(frames))
    }
  }

  private func read(_ frames: Range<Int>) throws -> [Float] {
    var samples = [Float](repeating: 0, count: frames.count * format.channels)
    // Any bytes make floats; the array is as long as what was written there, and a file that lost some fails.
    _ = try unsafe samples.withUnsafeMutableBytes { bytes in
      try unsafe reader.read(at: UInt64(frames.lowerBound * format.channels * 4), into: bytes)
    }
    return samples
  }
}
