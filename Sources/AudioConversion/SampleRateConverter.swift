internal import MediaCore

/// Converts the sampling rate of sound, from any whole number of Hz to any other.
///
/// ```swift
/// let input = [Float](repeating: 0.5, count: 2 * 44_100)
/// var converter = try SampleRateConverter(from: 44_100, to: 48_000, channels: 2)
/// var output: [Float] = []
/// try converter.convert(input.span, to: &output)
/// converter.finish(to: &output)
/// ```
///
/// Nothing is delayed: frame n of the output is the sound at frame `n * from / to` of the input, and there are
/// `outputFrames(for:)` of them, however the input is cut into blocks; these do not change a single bit of the output.
/// Before the first frame and after the last there is silence. Equal rates pass sound through bit for bit; otherwise
/// NaN, and what is infinite or beyond 2^100 counts as silence.
///
/// Filters are linear in phase. The best grade, measured over the rates in use: images and aliases at -120 dB or lower,
/// flat within 0.01 dB up to 0.92 of half the lower rate, a tone at 997 Hz 130 dB and more above everything else.
/// See `ConversionQuality` for what the grades promise, and `docs/converting.md` for how it works.
///
/// A converter takes up to some MiB of memory, depending on the rates, not on the length of the sound. It allocates
/// nothing while it converts, if the array to which it appends has the room. It is a value: a copy goes on by itself.
public struct SampleRateConverter: Sendable {
  /// Rates that can be converted, in Hz.
  public static let sampleRates = 1...768_000
  /// Numbers of channels that can be converted.
  public static let channelCounts = 1...64

  /// Frames a second of the input.
  public let inputRate: Int
  /// Frames a second of the output.
  public let outputRate: Int
  /// Samples of a frame.
  public let channels: Int

  /// How many frames of input after the position of an output frame are needed to compute it.
  public let lookahead: Int

  /// Frames after which all stages are where they were at the beginning.
  private let period: (input: Int, output: Int)
  private var stages: [ResamplingStage] = []
  /// The samples that a stage has just computed.
  private var block: PlanarBlock
  private var framesIn = 0
  private var framesOut = 0
  private var isFinished = false

  /// A converter for a stream of sound.
  ///
  /// - Parameters:
  ///   - inputRate: frames a second of the input.
  ///   - outputRate: frames a second of the output.
  ///   - channels: samples of a frame.
  ///   - quality: how good the filters are.
  /// - Throws: `ConversionError`: `.sampleRate`, `.channels`.
  public init(
    from inputRate: Int, to outputRate: Int, channels: Int, quality: ConversionQuality = .best
  ) throws(ConversionError) {
    let rates = SampleRateConverter.sampleRates
    for rate in [inputRate, outputRate] where !rates.contains(rate) {
      throw ConversionError(.sampleRate(rate, rates))
    }
    let counts = SampleRateConverter.channelCounts
    guard counts.contains(channels) else { throw ConversionError(.channels(channels, counts)) }
    (self.inputRate, self.outputRate, self.channels) = (inputRate, outputRate, channels)
    block = PlanarBlock(channels: channels)
    var (delay, divisor) = (0.0, inputRate)
    for plan in StagePlan.stages(from: inputRate, to: outputRate, quality: quality) {
      let stage = ResamplingStage(plan, quality: quality, channels: channels)
      delay += Double(stage.lookahead) / Double(plan.from)
      divisor = greatestCommonDivisor(divisor, plan.to)
      stages.append(stage)
    }
    lookahead = Int((delay * Double(inputRate)).rounded(.up))
    // Stages compute four frames at a time.
    period = (4 * (inputRate / divisor), 4 * (outputRate / divisor))
    begin()
  }

  /// Primes each stage far enough before the sound for the next one's filter, which reaches back, but not so early that
  /// there is only silence.
  private mutating func begin() {
    var needed = [0]
    for stage in stages.reversed() { needed.append(stage.firstInput(of: needed[needed.count - 1])) }
    var sound = 0
    for index in stages.indices {
      let first = max(needed[stages.count - 1 - index], stages[index].firstOutput(hearing: sound))
      stages[index].begin(with: first, sound: sound)
      sound = first
    }
  }

  /// Makes it ready for another stream.
  public mutating func reset() {
    (framesIn, framesOut, isFinished) = (0, 0, false)
    begin()
  }

  /// Where to begin so that an output frame comes out as it would without a seek: early enough for the filters, which
  /// reach back as far as they look ahead, and at a multiple of the period.
  ///
  /// - Returns: the number of the first input frame to convert after `reset()`, and how many frames of the output to
  ///   leave out then.
  func start(for frame: Int) -> (input: Int, skipped: Int) {
    guard !stages.isEmpty, frame > 0 else { return (max(frame, 0), 0) }
    let number = max(frame / period.output - lookahead / period.input - 2, 0)
    let (input, overflow) = number.multipliedReportingOverflow(by: period.input)
    return (overflow ? .max : input, frame - number * period.output)
  }

  /// How many frames the output of a stream has: `frames * outputRate / inputRate`, rounded to the nearest whole
  /// number, halves up. A number below 0 counts as 0; the largest number stands for larger ones.
  public func outputFrames(for frames: Int) -> Int {
    Int(clamping: (Int128(max(frames, 0)) * Int128(outputRate) + Int128(inputRate / 2)) / Int128(inputRate))
  }

  /// Converts interleaved samples, which follow those before; those of a last, incomplete frame are left out.
  ///
  /// - Parameters:
  ///   - input: samples of any number of frames.
  ///   - output: the array to which the frames that can be computed by now are appended.
  /// - Throws: `ConversionError` `.finished` after `finish(to:)`.
  public mutating func convert(_ input: Span<Float>, to output: inout [Float]) throws(ConversionError) {
    if isFinished { throw ConversionError(.finished) }
    let frames = input.count / channels
    framesIn += frames
    guard !stages.isEmpty else {
      framesOut += frames
      let first = output.count
      output.append(contentsOf: repeatElement(0, count: frames * channels))
      var target = output.mutableSpan
      for index in 0..<(frames * channels) { target[first + index] = input[index] }
      return
    }
    var done = 0
    while done < frames {
      let count = min(frames - done, stages[0].room)
      stages[0].take(done..<(done + count), of: input)
      done += count
      run(to: &output, until: .max)
    }
  }

  /// Appends the rest of the output. A second call appends nothing.
  public mutating func finish(to output: inout [Float]) {
    if isFinished { return }
    isFinished = true
    let total = outputFrames(for: framesIn)
    // Silence drives the sound out of one stage after the other: after that, the next one gets silence anyhow.
    for index in stages.indices {
      let isLast = index == stages.count - 1
      var rest = isLast ? Int.max : stages[index].window
      while rest > 0, framesOut < total {
        let count = min(rest, stages[index].room, PlanarBlock.capacity)
        stages[index].takeSilence(count)
        rest -= count
        run(to: &output, until: total)
      }
    }
  }

  /// Has every stage compute what it can, and appends frames up to a number of them in all.
  private mutating func run(to output: inout [Float], until total: Int) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for index in stages.indices.reversed() {
        let next = index + 1
        // A stage that has no room for a block can compute something: it does so before this one is asked again.
        if next < stages.count, stages[next].room < PlanarBlock.capacity { continue }
        stages[index].produce(into: &block)
        if block.count == 0 { continue }
        isMoving = true
        if next < stages.count {
          stages[next].take(block)
        } else {
          let count = min(block.count, total - framesOut)
          block.append(count, to: &output)
          framesOut += count
          // The rest is only the silence fed in to flush the filters.
          if framesOut == total { return }
        }
      }
    }
  }
}
