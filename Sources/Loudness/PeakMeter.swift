internal import AudioConversion

/// The highest points of each channel's wave, which may lie between its samples.
///
/// Between samples the wave is known, too: at four times the rate, samples lie so close that peaks are within a few
/// hundredths of a dB in the range where music has them. The filter passes what is below 0.85 of Nyquist: of white noise
/// clipped at full scale, peaks are read 1 to 2 dB too low, which is still more than the filter of the recommendation
/// reads.
///
/// Source: ITU-R BS.1770-5, annex 2.
struct PeakMeter: Sendable {
  /// The largest absolute value among the samples of each channel.
  private(set) var samplePeaks: [Float]
  /// The same at the higher rate; after `finish()`, at least the above.
  private(set) var truePeaks: [Float]

  /// `nil` where samples lie close enough, or true peaks are not wanted.
  private var converter: SampleRateConverter?
  private var oversampled: [Float] = []

  /// A meter for interleaved samples.
  init(sampleRate: Int, channels: Int, measuresTruePeak: Bool) throws(ConversionError) {
    samplePeaks = [Float](repeating: 0, count: channels)
    truePeaks = samplePeaks
    let factor = PeakMeter.factor(for: sampleRate)
    if measuresTruePeak, factor > 1 {
      converter = try SampleRateConverter(
        from: sampleRate, to: factor * sampleRate, channels: channels, quality: .live)
    }
  }

  /// The oversampling factor: 4, which takes 48 kHz to the recommendation's 192 kHz; less from 96 kHz on.
  static func factor(for sampleRate: Int) -> Int { sampleRate < 96_000 ? 4 : sampleRate < 192_000 ? 2 : 1 }

  /// Looks at the next frames.
  mutating func add(_ samples: Span<Float>) {
    PeakMeter.find(samples, &samplePeaks)
    guard converter != nil else { return PeakMeter.find(samples, &truePeaks) }
    oversampled.removeAll(keepingCapacity: true)
    var output: [Float] = []
    swap(&output, &oversampled)
    // `convert` throws only once finished, and `finish()` drops the converter.
    try? converter?.convert(samples, to: &output)
    PeakMeter.find(output.span, &truePeaks)
    swap(&output, &oversampled)
  }

  /// Looks at what the end of the sound brings.
  mutating func finish() {
    var output: [Float] = []
    converter?.finish(to: &output)
    converter = nil
    PeakMeter.find(output.span, &truePeaks)
    for channel in truePeaks.indices { truePeaks[channel] = max(truePeaks[channel], samplePeaks[channel]) }
  }

  private static func find(_ samples: Span<Float>, _ peaks: inout [Float]) {
    let channels = peaks.count
    for channel in 0..<channels {
      var (index, peak) = (channel, peaks[channel])
      while index < samples.count {
        let value = abs(samples[index])
        // False for NaN.
        if value > peak, value.isFinite { peak = value }
        index += channels
      }
      peaks[channel] = peak
    }
  }
}
