public import MediaCore

/// Converts PCM to another sampling rate, other channels and another sample format.
///
/// ```swift
/// var wav = try PCMFileReader(path: "in.wav")
/// let speech = AudioFormat(sampleRate: 16_000, layout: .mono)
/// var converter = try AudioConverter(from: wav.format, to: speech)
/// var output = try WAVWriter(path: "speech.wav", format: speech)
/// while let sound = try wav.next() { try output.append(converter.convert(sound.payload)) }
/// try output.append(converter.finish())
/// try output.finish()
/// ```
///
/// The output is exactly `outputFrames(for:)` frames long and not delayed, and the same to the last bit however the
/// input is cut into buffers; `SampleRateConverter` says how good it is. What need not change does not: equal formats
/// give the same samples.
public struct AudioConverter: Sendable {
  /// What to do before samples are rounded to 16 bits.
  public enum Dither: Sendable, Hashable {
    /// Noise of triangular distribution, two steps of 16 bits wide, unless all samples are those of a source of 16
    /// bits; the same noise each time.
    case automatic
    /// No noise: samples are rounded to the nearest.
    case never
  }

  /// The format of the input.
  public let inputFormat: AudioFormat
  /// The format of the output.
  public let outputFormat: AudioFormat
  /// How channels are mixed.
  public let matrix: ChannelMatrix
  /// How many frames of input after the position of an output frame are needed to compute it.
  public var lookahead: Int { resampler.lookahead }

  private var resampler: SampleRateConverter
  /// `nil` where there is no noise.
  private var noise: TriangularNoise?
  private var isFinished = false
  /// Sound between the steps; kept, so that its memory is allocated once.
  private var mixed: [Float] = []
  private var resampled: [Float] = []
  private var floats: [Float] = []

  /// A converter for a stream of sound.
  ///
  /// - Parameters:
  ///   - inputFormat: the format of the input.
  ///   - outputFormat: the format of the output.
  ///   - quality: how good filters are, if the rate changes.
  ///   - matrix: how channels are mixed; by default as ITU-R BS.775 says, without clipping and without LFE, see
  ///   `ChannelMatrix.init(from:to:includesLFE:preventsClipping:)`.
  ///   - dither: what to do before samples are rounded to 16 bits.
  /// - Throws: `ConversionError`: `.sampleRate`, `.channels`; `.noMatrix` if there is no rule for the two layouts;
  ///   `.matrixSize` if the matrix is not for them.
  public init(
    from inputFormat: AudioFormat, to outputFormat: AudioFormat, quality: ConversionQuality = .best,
    matrix: ChannelMatrix? = nil, dither: Dither = .automatic
  ) throws(ConversionError) {
    let matrix = if let matrix { matrix } else { try ChannelMatrix(from: inputFormat.layout, to: outputFormat.layout) }
    guard matrix.inputs == inputFormat.channels, matrix.outputs == outputFormat.channels else {
      throw ConversionError(.matrixSize(inputs: matrix.inputs, outputs: matrix.outputs))
    }
    (self.inputFormat, self.outputFormat, self.matrix) = (inputFormat, outputFormat, matrix)
    // The side with fewer channels has less to filter.
    resampler = try SampleRateConverter(
      from: inputFormat.sampleRate, to: outputFormat.sampleRate, channels: min(matrix.inputs, matrix.outputs),
      quality: quality)
    let isRounded = outputFormat.sampleFormat == .int16
    let isExact =
      inputFormat.sampleFormat == .int16 && inputFormat.sampleRate == outputFormat.sampleRate && matrix.isSelection
    noise = isRounded && !isExact && dither == .automatic ? TriangularNoise() : nil
  }

  /// How many frames the output of a stream has; see `SampleRateConverter.outputFrames(for:)`.
  public func outputFrames(for frames: Int) -> Int { resampler.outputFrames(for: frames) }

  /// Where to begin so that an output frame comes out as it would without a seek.
  ///
  /// - Returns: the number of the first input frame to convert after `reset()`, and how many frames of the output to
  ///   leave out then.
  package func start(for frame: Int) -> (input: Int, skipped: Int) { resampler.start(for: frame) }

  /// Makes it ready for another stream.
  public mutating func reset() {
    resampler.reset()
    if noise != nil { noise = TriangularNoise() }
    isFinished = false
  }

  // MARK: Buffers

  /// Converts a buffer, which follows those before.
  ///
  /// - Returns: the frames that can be computed by now, in the output's format; perhaps none.
  /// - Throws: `ConversionError`: `.formatChanged` if rate or channels differ from those of the input's format, which
  ///   changes nothing; `.finished` after `finish()`.
  public mutating func convert(_ buffer: PCMBuffer) throws(ConversionError) -> PCMBuffer {
    guard buffer.format.sampleRate == inputFormat.sampleRate, buffer.format.channels == inputFormat.channels else {
      throw ConversionError(.formatChanged(inputFormat, to: buffer.format))
    }
    if isFinished { throw ConversionError(.finished) }
    // Floats hold 24 of 32 bits.
    if buffer.format == outputFormat, outputFormat.sampleFormat == .int32, matrix.isIdentity { return buffer }
    var samples: [Float] = []
    try convert(buffer.floats.span, to: &samples)
    return output(samples)
  }

  /// The rest of the output; empty on further calls.
  public mutating func finish() -> PCMBuffer {
    var samples: [Float] = []
    finish(to: &samples)
    return output(samples)
  }

  private mutating func output(_ samples: [Float]) -> PCMBuffer {
    let (rate, layout) = (outputFormat.sampleRate, outputFormat.layout)
    guard outputFormat.sampleFormat == .int16 else {
      return PCMBuffer(samples, sampleRate: rate, layout: layout).converted(to: outputFormat.sampleFormat)
    }
    var rounded: [Int16] = []
    rounded.reserveCapacity(samples.count)
    round(samples.span, to: &rounded)
    return PCMBuffer(rounded, sampleRate: rate, layout: layout)
  }

  /// Appends samples, rounded to 16 bits.
  private mutating func round(_ samples: Span<Float>, to output: inout [Int16]) {
    for index in samples.indices {
      let sample = samples[index]
      output.append(Int16(pcm: noise?.added(to: sample) ?? sample))
    }
  }

  // MARK: Samples

  /// Converts interleaved samples, which follow those before; those of a last, incomplete frame are left out.
  ///
  /// - Parameters:
  ///   - input: samples of any number of frames, full scale at -1 and 1, whatever the input's sample format is.
  ///   - output: the array to which the frames that can be computed by now are appended, as floats, which are neither
  ///   clipped nor rounded. If it has the room, nothing is allocated once the converter has seen the largest input.
  /// - Throws: `ConversionError` `.finished` after `finish`.
  public mutating func convert(_ input: Span<Float>, to output: inout [Float]) throws(ConversionError) {
    if isFinished { throw ConversionError(.finished) }
    let whole = input.extracting(0..<(input.count - input.count % matrix.inputs))
    if matrix.isIdentity {
      try resampler.convert(whole, to: &output)
    } else if matrix.outputs <= matrix.inputs {
      var mixed = AudioConverter.emptied(&self.mixed)
      defer { swap(&mixed, &self.mixed) }
      matrix.mix(whole, to: &mixed)
      try resampler.convert(mixed.span, to: &output)
    } else {
      resampled.removeAll(keepingCapacity: true)
      try resampler.convert(whole, to: &resampled)
      matrix.mix(resampled.span, to: &output)
    }
  }

  /// An emptied array with the memory that it has, for the time of a call.
  private static func emptied(_ array: inout [Float]) -> [Float] {
    var taken: [Float] = []
    swap(&taken, &array)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  /// Converts interleaved samples, which follow those before, and rounds the output to 16 bits, with or without noise,
  /// as the converter was made. Samples of a last, incomplete frame are left out.
  ///
  /// - Parameters:
  ///   - input: samples of any number of frames, full scale at -1 and 1, whatever the input's sample format is.
  ///   - output: the array to which the frames that can be computed by now are appended.
  /// - Throws: `ConversionError` `.finished` after `finish`.
  public mutating func convert(_ input: Span<Float>, to output: inout [Int16]) throws(ConversionError) {
    var samples = AudioConverter.emptied(&floats)
    defer { swap(&samples, &floats) }
    try convert(input, to: &samples)
    round(samples.span, to: &output)
  }

  /// Appends the rest of the output. A second call appends nothing.
  public mutating func finish(to output: inout [Float]) {
    if isFinished { return }
    isFinished = true
    guard matrix.outputs > matrix.inputs else { return resampler.finish(to: &output) }
    resampled.removeAll(keepingCapacity: true)
    resampler.finish(to: &resampled)
    matrix.mix(resampled.span, to: &output)
  }

  /// Appends the rest of the output, rounded to 16 bits. A second call appends nothing.
  public mutating func finish(to output: inout [Int16]) {
    var samples: [Float] = []
    finish(to: &samples)
    round(samples.span, to: &output)
  }
}
