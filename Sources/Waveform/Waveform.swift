public import MediaCore

/// What sound looks like: for each stretch of it, a pixel, the lowest and the highest sample.
///
/// This is the data of version 2 of BBC's audiowaveform, which players on the web draw from (peaks.js, wavesurfer.js),
/// in 16 bits: 4 bytes a pixel and channel, so 15 MB for six hours of 44.1 kHz at 256 samples a pixel.
public struct Waveform: Sendable, Hashable {
  /// Frames a second of the sound.
  public let sampleRate: Int
  /// Frames that each pixel stands for; the last one may have fewer.
  public let samplesPerPixel: Int
  /// Channels of the waveform: one, the mean of all, unless they were kept apart.
  public let channels: Int
  /// The lowest and the highest sample of the first channel, of the second and so on, pixel after pixel.
  public let values: [Int16]

  /// The number of pixels.
  public var length: Int { values.count / (2 * channels) }

  init(sampleRate: Int, samplesPerPixel: Int, channels: Int, values: [Int16]) {
    self.sampleRate = sampleRate
    self.samplesPerPixel = samplesPerPixel
    self.channels = channels
    self.values = values
  }

  /// The lowest and the highest sample of a channel among some pixels; `nil` if there are none of these.
  func extremes(of pixels: Range<Int>, channel: Int) -> (low: Int16, high: Int16)? {
    let pixels = pixels.clamped(to: 0..<length)
    guard !pixels.isEmpty, (0..<channels).contains(channel) else { return nil }
    var (low, high) = (Int16.max, Int16.min)
    for pixel in pixels {
      let place = 2 * (pixel * channels + channel)
      low = min(low, values[place])
      high = max(high, values[place + 1])
    }
    return (low, high)
  }
}

/// The forms in which a waveform is written.
public enum WaveformFormat: Sendable, Hashable {
  /// The depth of a value: 8 bits are the upper ones of 16, rounded towards zero.
  public enum Depth: Int, Sendable, Hashable {
    /// -128 to 127.
    case eight = 8
    /// -32 768 to 32 767.
    case sixteen = 16
  }

  /// audiowaveform's JSON, an object on one line.
  case json(Depth)
  /// audiowaveform's binary form, `.dat`.
  case binary(Depth)
  /// A vector graphic.
  case svg(WaveformPicture)
  /// A picture of pixels.
  case png(WaveformPicture)
}

extension Waveform {
  /// Writes it to a sink, which is not finished. Memory does not grow with the length.
  ///
  /// - Throws: `SinkError`.
  public func write(_ format: WaveformFormat, to sink: any ByteSink) throws(SinkError) {
    var output = PieceWriter(sink)
    switch format {
    case .json(let depth): try writeJSON(depth, to: &output)
    case .binary(let depth): try writeBinary(depth, to: &output)
    case .svg(let picture): try SVGDrawing(self, picture).write(to: &output)
    case .png(let picture): try PNGDrawing(self, picture).write(to: &output)
    }
    try output.flush()
  }
}
