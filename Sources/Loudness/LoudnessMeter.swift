public import AudioConversion
public import MediaCore

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Measures how loud sound is, and how high its peaks are.
///
/// ```swift
/// var wav = try PCMFileReader(path: "song.wav")
/// var meter = try LoudnessMeter(sampleRate: wav.format.sampleRate, layout: wav.format.layout)
/// while let sound = try wav.next() { try meter.add(sound.payload) }
/// meter.finish()
/// print(meter.integrated ?? -.infinity, "LUFS")
/// ```
///
/// Loudness is in LUFS, differences of it in LU, peaks in dB of full scale. A value is `nil` while there is not enough
/// sound for it, or nothing but silence. Memory does not grow with the length of the sound. NaN counts as
/// silence.
///
/// Source: ITU-R BS.1770-5; EBU R 128, Tech 3341 and Tech 3342. Some programs weight the back channels of 7.1 like
/// those of 5.1, and so differ: the recommendation raises what comes from 60 to 120 degrees, which in 7.1 are the side
/// channels.
public struct LoudnessMeter: Sendable {
  /// The rates that can be measured, in Hz: below, there is not enough of the band that is weighted.
  public static let sampleRates = 8000...768_000

  /// Frames a second.
  public let sampleRate: Int
  /// Which loudspeaker each channel is for.
  public let layout: ChannelLayout

  /// The loudest 400 ms so far, in LUFS.
  public private(set) var momentaryMaximum: Double?
  /// The loudest 3 s so far, in LUFS.
  public private(set) var shortTermMaximum: Double?

  private let weights: [Double]
  /// A filter for each pair of channels; the last one's second channel is silent if they are odd.
  private var filters: [KWeighting]
  private var peaks: PeakMeter

  /// Weighted powers of the last 3 s, in slices of 10 ms, the next of which replaces the oldest.
  private var slices = [Slice](repeating: Slice(), count: LoudnessMeter.shortTermSlices)
  private var slicesDone = 0
  private var slice = Slice()
  /// Blocks of 400 ms for the integrated loudness, and of 3 s for the range; one of each begins every 100 ms.
  private var blocks = LoudnessHistogram()
  private var longBlocks = LoudnessHistogram()

  private struct Slice: Sendable {
    var power = 0.0
    var frames = 0
  }

  private static let momentarySlices = 40
  private static let shortTermSlices = 300
  /// Frames looked at together.
  private static let framesAtOnce = 4096

  /// A meter for a stream of sound.
  ///
  /// - Parameters:
  ///   - sampleRate: frames a second.
  ///   - layout: which loudspeaker each channel is for; low-frequency effects do not count. Up to 8 channels for none
  ///   in particular are taken as usual, more of them as in front.
  ///   - measuresTruePeak: whether to look for peaks between samples, which takes most of the time.
  /// - Throws: `ConversionError`: `.sampleRate`, `.channels`.
  public init(sampleRate: Int, layout: ChannelLayout, measuresTruePeak: Bool = true) throws(ConversionError) {
    let rates = LoudnessMeter.sampleRates
    guard rates.contains(sampleRate) else { throw ConversionError(.sampleRate(sampleRate, rates)) }
    let counts = SampleRateConverter.channelCounts
    guard counts.contains(layout.channels) else { throw ConversionError(.channels(layout.channels, counts)) }
    (self.sampleRate, self.layout) = (sampleRate, layout)
    weights = LoudnessMeter.weights(layout)
    filters = [KWeighting](repeating: KWeighting(sampleRate: sampleRate), count: (layout.channels + 1) / 2)
    peaks = try PeakMeter(sampleRate: sampleRate, channels: layout.channels, measuresTruePeak: measuresTruePeak)
  }

  /// The factor of each channel's power. Source: ITU-R BS.1770-5, annex 1, tables 3 and 4.
  private static func weights(_ layout: ChannelLayout) -> [Double] {
    let mask = layout.mask == 0 ? ChannelLayout(channels: layout.channels).mask : layout.mask
    guard mask != 0 else { return [Double](repeating: 1, count: layout.channels) }
    let (effects, back, side): (UInt32, UInt32, UInt32) = (0x8, 0x30, 0x600)
    // The back channels of 5.1 stand at 110 degrees, those of 7.1, which has side channels, further behind.
    let raised = mask & side == 0 ? back : side
    return (0..<32).map { UInt32(1) << $0 }.filter { mask & $0 != 0 }.map { speaker in
      speaker == effects ? 0 : speaker & raised != 0 ? 1.41 : 1
    }
  }

  // MARK: Sound

  /// Measures the next frames.
  ///
  /// - Throws: `ConversionError` `.formatChanged` for a buffer of another rate or number of channels, which changes
  ///   nothing.
  public mutating func add(_ buffer: PCMBuffer) throws(ConversionError) {
    guard buffer.format.sampleRate == sampleRate, buffer.format.channels == layout.channels else {
      let format = AudioFormat(sampleRate: sampleRate, sampleFormat: buffer.format.sampleFormat, layout: layout)
      throw ConversionError(.formatChanged(format, to: buffer.format))
    }
    add(buffer.floats.span)
  }

  /// Measures the next interleaved samples, full scale at -1 and 1; those of a last, incomplete frame are left out.
  public mutating func add(_ samples: Span<Float>) {
    let frames = samples.count / layout.channels
    var frame = 0
    while frame < frames {
      // Slices end where their time does: at frame `n * rate / 100`, whatever the rate is.
      let end = (slicesDone % 100 + 1) * sampleRate / 100 - slicesDone % 100 * sampleRate / 100
      let count = min(frames - frame, end - slice.frames, LoudnessMeter.framesAtOnce)
      let part = samples.extracting((frame * layout.channels)..<((frame + count) * layout.channels))
      peaks.add(part)
      slice.power += weightedPower(part, frames: count)
      slice.frames += count
      frame += count
      if slice.frames == end { endSlice() }
    }
  }

  /// Looks at the last peaks. What is added afterwards is not looked at for true peaks.
  public mutating func finish() { peaks.finish() }

  /// The sum of the squares of all channels, weighted.
  private mutating func weightedPower(_ samples: Span<Float>, frames: Int) -> Double {
    let channels = layout.channels
    var power = 0.0
    for pair in filters.indices {
      let (left, right) = (2 * pair, 2 * pair + 1)
      var (filter, sum, index) = (filters[pair], SIMD2<Double>.zero, left)
      for _ in 0..<frames {
        let one = Double(LoudnessMeter.sensible(samples[index]))
        let other = right < channels ? Double(LoudnessMeter.sensible(samples[index + 1])) : 0
        let weighted = filter.filter(SIMD2(one, other))
        sum += weighted * weighted
        index += channels
      }
      filters[pair] = filter
      power += sum.x * weights[left] + (right < channels ? sum.y * weights[right] : 0)
    }
    return power
  }

  /// NaN, and what is beyond every sensible number, is silence.
  @inline(__always)
  package static func sensible(_ sample: Float) -> Float { abs(sample) < 1e15 ? sample : 0 }

  private mutating func endSlice() {
    slices[slicesDone % slices.count] = slice
    slice = Slice()
    slicesDone += 1
    for pair in filters.indices { filters[pair].settle() }
    let isBlock = slicesDone % 10 == 0
    if let power = power(ofLast: LoudnessMeter.momentarySlices) {
      momentaryMaximum = LoudnessMeter.louder(momentaryMaximum, power)
      if isBlock { blocks.add(power: power) }
    }
    if let power = power(ofLast: LoudnessMeter.shortTermSlices) {
      shortTermMaximum = LoudnessMeter.louder(shortTermMaximum, power)
      if isBlock { longBlocks.add(power: power) }
    }
  }

  private static func louder(_ loudness: Double?, _ power: Double) -> Double? {
    guard power > 0 else { return loudness }
    return max(loudness ?? -.infinity, LoudnessHistogram.loudness(of: power))
  }

  /// The mean power of so many slices; `nil` before there are as many.
  private func power(ofLast count: Int) -> Double? {
    guard slicesDone >= count else { return nil }
    var (power, frames) = (0.0, 0)
    for number in (slicesDone - count)..<slicesDone {
      power += slices[number % slices.count].power
      frames += slices[number % slices.count].frames
    }
    return power / Double(frames)
  }

  // MARK: Results

  /// The loudness of the last 400 ms, in LUFS.
  public var momentary: Double? {
    power(ofLast: LoudnessMeter.momentarySlices).flatMap { LoudnessMeter.louder(nil, $0) }
  }

  /// The loudness of the last 3 s, in LUFS.
  public var shortTerm: Double? {
    power(ofLast: LoudnessMeter.shortTermSlices).flatMap { LoudnessMeter.louder(nil, $0) }
  }

  /// The loudness of all sound so far, in LUFS: of blocks of 400 ms above -70 LUFS and less than 10 LU softer than
  /// the mean of those.
  public var integrated: Double? { blocks.gatedLoudness(relativeGate: -10) }

  /// How far loud and soft parts lie apart, in LU: the 10th and the 95th percentile of blocks of 3 s above -70 LUFS and
  /// less than 20 LU softer than the mean of those.
  public var range: Double? { longBlocks.range(relativeGate: -20) }

  /// The highest sample of each channel, in dB of full scale; `nil` for one that is silent.
  public var samplePeaks: [Double?] { peaks.samplePeaks.map(LoudnessMeter.decibels) }

  /// The highest peak of each channel, between samples too, in dBTP; `nil` for one that is silent. After `finish()`
  /// the end of the sound is taken into account. Without `measuresTruePeak` the same as `samplePeaks`.
  public var truePeaks: [Double?] { peaks.truePeaks.map(LoudnessMeter.decibels) }

  private static func decibels(_ value: Float) -> Double? { value > 0 ? 20 * log10(Double(value)) : nil }
}
