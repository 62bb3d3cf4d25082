public import MediaCore

/// Makes a waveform of sound that comes piece by piece.
///
/// ```swift
/// var wav = try PCMFileReader(path: "song.wav")
/// var builder = WaveformBuilder(sampleRate: wav.format.sampleRate, channels: wav.format.channels)
/// while let sound = try wav.next() { builder.append(sound.payload) }
/// let waveform = builder.finish()
/// ```
///
/// Samples are taken as 16-bit integers. Channels are mixed as audiowaveform does it: by their sum, divided by their
/// number, rounded towards zero.
public struct WaveformBuilder: Sendable {
  /// Frames a second.
  public let sampleRate: Int
  /// Channels of the sound.
  public let channels: Int
  /// Frames that each pixel stands for.
  public let samplesPerPixel: Int
  /// Whether each channel has a waveform of its own.
  public let splitsChannels: Bool

  private var values: [Int16] = []
  /// The extremes so far of the pixel at work, for each channel of the waveform.
  private var lows: [Int16]
  private var highs: [Int16]
  /// Frames of that pixel so far.
  private var filled = 0

  /// The most pixels for which room is made in advance: those of a day at 256 frames a pixel.
  private static let mostReserved: Int64 = 1 << 24
  /// Floats that are converted at once.
  private static let converted = 4096

  /// A builder.
  ///
  /// - Parameters:
  ///   - sampleRate: frames a second; at least 1.
  ///   - channels: of the sound; 1 to 65 535.
  ///   - samplesPerPixel: frames that each pixel stands for; at least 1.
  ///   - splitChannels: whether each channel gets a waveform of its own, rather than all of them one.
  ///   - expectedFrames: how much sound there will be, if that is known: it saves memory.
  public init(
    sampleRate: Int, channels: Int, samplesPerPixel: Int = 256, splitChannels: Bool = false,
    expectedFrames: Int64? = nil
  ) {
    self.sampleRate = max(sampleRate, 1)
    self.channels = min(max(channels, 1), Int(UInt16.max))
    self.samplesPerPixel = min(max(samplesPerPixel, 1), Int(Int32.max))
    splitsChannels = splitChannels
    let count = splitChannels ? self.channels : 1
    lows = [Int16](repeating: .max, count: count)
    highs = [Int16](repeating: .min, count: count)
    let pixels = max(expectedFrames ?? 0, 0) / Int64(self.samplesPerPixel)
    values.reserveCapacity(Int(min(pixels, WaveformBuilder.mostReserved / Int64(count)) + 1) * 2 * count)
  }

  /// Appends a buffer, which has the channels of the builder.
  public mutating func append(_ buffer: PCMBuffer) {
    switch buffer.samples {
    case .int16(let samples): append(samples.span)
    case .int32(let samples):
      let converted = samples.map { Int16(pcm: $0) }
      append(converted.span)
    case .float32(let samples): append(samples.span)
    }
  }

  /// Appends interleaved samples; those of a last, incomplete frame are left out.
  public mutating func append(_ samples: Span<Int16>) {
    let frames = samples.count / channels
    var done = 0
    while done < frames {
      let count = min(frames - done, samplesPerPixel - filled)
      gather(samples.extracting((done * channels)..<((done + count) * channels)))
      filled += count
      done += count
      if filled == samplesPerPixel { endPixel() }
    }
  }

  /// Appends interleaved floats, full scale at -1 and 1: rounded to the nearest, and clipped.
  public mutating func append(_ samples: Span<Float>) {
    let most = max(WaveformBuilder.converted / channels, 1) * channels
    var start = 0
    while start < samples.count {
      let part = samples.extracting(start..<min(start + most, samples.count))
      var converted = [Int16](repeating: 0, count: part.count)
      for index in part.indices { converted[index] = Int16(pcm: part[index]) }
      append(converted.span)
      start += most
    }
  }

  /// Ends a last pixel that has fewer frames.
  ///
  /// - Returns: the waveform of all that was appended.
  public mutating func finish() -> Waveform {
    if filled > 0 { endPixel() }
    return Waveform(
      sampleRate: sampleRate, samplesPerPixel: samplesPerPixel, channels: lows.count, values: values)
  }

  private mutating func endPixel() {
    for channel in lows.indices {
      values.append(lows[channel])
      values.append(highs[channel])
      (lows[channel], highs[channel]) = (.max, .min)
    }
    filled = 0
  }

  /// Frames of one pixel.
  private mutating func gather(_ samples: Span<Int16>) {
    switch (channels, splitsChannels) {
    case (1, _): note(extremes(samples, from: 0, by: 1), 0)
    case (_, true): for channel in 0..<channels { note(extremes(samples, from: channel, by: channels), channel) }
    case (2, false): note(extremesOfPairs(samples), 0)
    default: note(extremesOfMeans(samples), 0)
    }
  }

  private mutating func note(_ extremes: (low: Int16, high: Int16), _ channel: Int) {
    lows[channel] = min(lows[channel], extremes.low)
    highs[channel] = max(highs[channel], extremes.high)
  }

  private func extremes(_ samples: Span<Int16>, from first: Int, by step: Int) -> (low: Int16, high: Int16) {
    var (low, high, place) = (Int16.max, Int16.min, first)
    while place < samples.count {
      low = min(low, samples[place])
      high = max(high, samples[place])
      place += step
    }
    return (low, high)
  }

  private func extremesOfPairs(_ samples: Span<Int16>) -> (low: Int16, high: Int16) {
    var (low, high, place) = (Int32.max, Int32.min, 0)
    while place + 1 < samples.count {
      let mean = (Int32(samples[place]) + Int32(samples[place + 1])) / 2
      low = min(low, mean)
      high = max(high, mean)
      place += 2
    }
    return (Int16(clamping: low), Int16(clamping: high))
  }

  private func extremesOfMeans(_ samples: Span<Int16>) -> (low: Int16, high: Int16) {
    var (low, high, place) = (Int.max, Int.min, 0)
    while place < samples.count {
      var sum = 0
      for channel in 0..<channels { sum += Int(samples[place + channel]) }
      low = min(low, sum / channels)
      high = max(high, sum / channels)
      place += channels
    }
    return (Int16(clamping: low), Int16(clamping: high))
  }
}
