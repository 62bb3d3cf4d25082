package import AudioConversion

/// Keeps peaks below a ceiling, between samples too, by turning the sound down around them.
///
/// It looks ahead, so that the gain that each frame needs is known in advance. From a low gain it recovers slowly, as
/// one that follows single waves would distort them; and gains are smoothed over the time that is looked ahead, so that
/// nothing clicks. Each of the gains that go into a frame's mean is as low as this frame needs: so no peak that
/// `PeakMeter` sees gets through. Nothing is delayed: as many frames come out as went in, in their places.
package struct TruePeakLimiter: Sendable {
  private let channels: Int
  private let gain: Float
  private let ceiling: Float
  /// Frames looked ahead: 5 ms.
  private let lookahead: Int
  /// How much of the way back to a gain of 1 remains after a frame; the whole way takes about a tenth of a second.
  private let recovery: Float
  /// Samples of the wave for each of the sound, as in `PeakMeter`.
  private let factor: Int
  private var oversampler: SampleRateConverter

  /// Frames that wait for their gain, interleaved.
  private var waiting: [Float] = []
  /// The largest absolute value of all channels: of each frame whose own gain is not known yet, and of each oversampled
  /// one from shortly before these on.
  private var peaks: [Float] = []
  private var points: [Float]
  private var recovered: Float = 1
  private var minimum: TrailingMinimum
  private var first: MovingMean
  private var second: MovingMean
  /// Gains that belong to frames before the sound.
  private var early: Int

  /// A limiter.
  ///
  /// - Parameters:
  ///   - gain: by what samples are multiplied first.
  ///   - ceiling: the highest peak that comes out, as a factor of full scale.
  ///   - sampleRate: frames a second.
  ///   - channels: samples of a frame; all get the same gain, so that nothing moves between loudspeakers.
  /// - Throws: `ConversionError`: `.sampleRate`, `.channels`.
  package init(gain: Float, ceiling: Float, sampleRate: Int, channels: Int) throws(ConversionError) {
    (self.gain, self.ceiling, self.channels) = (gain, ceiling, channels)
    lookahead = max(sampleRate / 200, 2)
    recovery = Float(1 - 1 / (0.1 * Double(max(sampleRate, 20))))
    factor = PeakMeter.factor(for: sampleRate)
    oversampler = try SampleRateConverter(
      from: sampleRate, to: factor * sampleRate, channels: channels, quality: .live)
    points = [Float](repeating: 0, count: factor - 1)
    minimum = TrailingMinimum(length: lookahead + 1)
    first = MovingMean(length: lookahead / 2 + 1)
    second = MovingMean(length: lookahead - lookahead / 2 + 1)
    early = lookahead
  }

  /// Limits the next interleaved samples.
  ///
  /// - Parameters:
  ///   - samples: whole frames, of which `LoudnessMeter.sensible(_:)` changes none: an infinite sample would silence
  ///     half a second.
  ///   - output: the array to which the frames whose gain is known by now are appended.
  package mutating func limit(_ samples: Span<Float>, to output: inout [Float]) {
    var amplified: [Float] = []
    amplified.reserveCapacity(samples.count)
    for index in samples.indices { amplified.append(samples[index] * gain) }
    waiting += amplified
    peaks += highest(amplified.span)
    var oversampled: [Float] = []
    // It throws only after its end.
    try? oversampler.convert(amplified.span, to: &oversampled)
    points += highest(oversampled.span)
    release(to: &output)
  }

  /// Appends the rest.
  package mutating func finish(to output: inout [Float]) {
    var oversampled: [Float] = []
    oversampler.finish(to: &oversampled)
    points += highest(oversampled.span)
    // The sound is followed by silence.
    points += repeatElement(0, count: factor)
    release(to: &output)
    var gains = [Float]()
    for _ in 0..<lookahead { gains.append(smoothed(1)) }
    apply(gains, to: &output)
  }

  /// The largest absolute value of each frame.
  private func highest(_ samples: Span<Float>) -> [Float] {
    var peaks: [Float] = []
    peaks.reserveCapacity(samples.count / channels)
    for frame in stride(from: 0, to: samples.count, by: channels) {
      var peak: Float = 0
      for index in frame..<(frame + channels) where abs(samples[index]) > peak { peak = abs(samples[index]) }
      peaks.append(peak)
    }
    return peaks
  }

  /// Finds the gains of the frames around which the wave is known, and appends the frames whose gain that settles.
  private mutating func release(to output: inout [Float]) {
    // Around frame n: from after the frame before it to before the next one.
    let known = min(peaks.count, max(points.count - factor + 1, 0) / factor)
    var gains: [Float] = []
    gains.reserveCapacity(known)
    for frame in 0..<known {
      var peak = peaks[frame]
      for point in (frame * factor)..<(frame * factor + 2 * factor - 1) { peak = max(peak, points[point]) }
      let needed = peak > ceiling ? ceiling / peak : 1
      recovered = min(needed, 1 - (1 - recovered) * recovery)
      gains.append(smoothed(recovered))
    }
    peaks.removeFirst(known)
    points.removeFirst(known * factor)
    apply(gains, to: &output)
  }

  /// Takes a frame's own gain and returns the final gain of the frame `lookahead` before it.
  private mutating func smoothed(_ gain: Float) -> Float {
    second.next(first.next(minimum.next(gain)))
  }

  private mutating func apply(_ gains: [Float], to output: inout [Float]) {
    let unheard = min(early, gains.count)
    early -= unheard
    var index = 0
    for gain in gains[unheard...] {
      for _ in 0..<channels {
        output.append(waiting[index] * gain)
        index += 1
      }
    }
    waiting.removeFirst(index)
  }
}

/// The smallest of the last so many numbers; those before the first are 1.
private struct TrailingMinimum: Sendable {
  let length: Int
  private var count = 0
  /// Numbers that are smaller than all after them, and where they stood.
  private var candidates: [(place: Int, value: Float)] = []
  private var start = 0

  init(length: Int) { self.length = length }

  mutating func next(_ value: Float) -> Float {
    while candidates.count > start, let last = candidates.last, last.value >= value { candidates.removeLast() }
    candidates.append((count, value))
    if candidates[start].place <= count - length { start += 1 }
    if start > 4096 {
      candidates.removeFirst(start)
      start = 0
    }
    count += 1
    return candidates[start].value
  }
}

/// The mean of the last so many numbers; those before the first are 1.
private struct MovingMean: Sendable {
  private var ring: [Double]
  private var place = 0
  private var sum: Double

  init(length: Int) {
    ring = [Double](repeating: 1, count: length)
    sum = Double(length)
  }

  mutating func next(_ value: Float) -> Float {
    sum += Double(value) - ring[place]
    ring[place] = Double(value)
    place = place + 1 == ring.count ? 0 : place + 1
    return Float(sum / Double(ring.count))
  }
}
