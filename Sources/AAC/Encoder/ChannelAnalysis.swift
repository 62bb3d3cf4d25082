/// The sound of one channel that the encoder analyses at one time, and what is known of its masking.
///
/// Samples are held from the start of the current frame's window on: 2048 for the window, and 1024 more, so that the
/// next frame's masking and attacks are known when this one is coded. For a low delay these are left out. Then only
/// attacks in the last quarter of the window are known in time for short windows in the next frame.
final class ChannelAnalysis: EncoderInput {
  /// The samples, at the scale of 16-bit ones.
  let samples: AlignedMemory<Float>
  /// The lines of the current frame's windows: 1024, or eight times 128.
  let lines = AlignedMemory<Float>(1024)
  /// Lines of the next frame, taken as one long window.
  private(set) var nextLines = AlignedMemory<Float>(1024)
  private var longLines = AlignedMemory<Float>(1024)
  /// Lines of the frame that is looked at next.
  private var comingLines = AlignedMemory<Float>(1024)
  /// Weights of noise in the partitions of the frame before, this one and the next.
  private var previousWeights: AlignedMemory<Float>
  private(set) var currentWeights: AlignedMemory<Float>
  private(set) var nextWeights: AlignedMemory<Float>
  /// Weights of the frame that is looked at next.
  private var comingWeights: AlignedMemory<Float>
  /// The weights used for the current frame.
  let weights: AlignedMemory<Float>
  /// The same for each of eight short windows.
  let shortWeights: AlignedMemory<Float>
  /// Number of samples held.
  private(set) var filled: Int
  /// Energy of high frequencies in blocks of 128 samples: the 16 that were scanned last.
  private let scannedEnergies = AlignedMemory<Float>(16)
  private var detector: AttackDetector
  private let looksAhead: Bool
  private let tools: AnalysisTools

  init(tools: AnalysisTools, looksAhead: Bool) {
    (self.tools, self.looksAhead) = (tools, looksAhead)
    samples = AlignedMemory(looksAhead ? 3072 : 2048)
    detector = AttackDetector(sampleRate: tools.sampleRate)
    let partitions = tools.longMasking.partitionCount
    previousWeights = AlignedMemory(partitions)
    currentWeights = AlignedMemory(partitions)
    nextWeights = AlignedMemory(partitions)
    comingWeights = AlignedMemory(partitions)
    weights = AlignedMemory(partitions)
    shortWeights = AlignedMemory(8 * tools.shortMasking.partitionCount)
    // The first frame's window begins a frame before the sound.
    filled = 1024
    tools.longMasking.weights(of: nextLines.all, to: nextWeights.all)
    currentWeights.all.update(from: nextWeights.all, count: partitions)
  }

  /// Room for more samples.
  var room: Int { samples.count - filled }

  /// Where the next samples go.
  var end: MemoryPart<Float> { samples.from(filled) }

  /// Notes that this many samples were added at the end.
  func advance(_ count: Int) { filled += count }

  /// Energy of high frequencies in eighths of the middle of the current window.
  var blockEnergies: MemoryPart<Float> { scannedEnergies.from(looksAhead ? 0 : 4) }

  /// Takes the lines of the next frame, as one long window that begins at an offset in the samples.
  func transformNext(at offset: Int, _ slopes: FrameSlopes) {
    tools.longTransform.run(
      samples.from(offset), rise: slopes.rise.long.rise, fall: slopes.fall.long.fall, to: comingLines.all)
    tools.longMasking.weights(of: comingLines.all, to: comingWeights.all)
  }

  /// Takes lines for the next frame and the weights of noise in it.
  func takeNext(_ lines: AlignedMemory<Float>, _ weights: AlignedMemory<Float>) {
    comingLines.all.update(from: lines.all, count: 1024)
    comingWeights.all.update(from: weights.all, count: comingWeights.count)
  }

  /// Goes on to the next frame, whose lines have been taken.
  ///
  /// - Parameter offset: where the window of the frame begins that was taken last.
  /// - Returns: whether there is an attack in the part that its short windows cover; for a low delay, in what is there
  ///   of that part of the frame after it.
  func advanceAndFindAttack(at offset: Int) -> Bool {
    swap(&previousWeights, &currentWeights)
    scannedEnergies.all.update(from: scannedEnergies.from(8), count: 8)
    if looksAhead {
      swap(&currentWeights, &nextWeights)
      swap(&nextWeights, &comingWeights)
      swap(&longLines, &nextLines)
      swap(&nextLines, &comingLines)
      return detector.scan(samples.from(offset + 512), energies: scannedEnergies.from(8), from: 0)
    }
    swap(&currentWeights, &comingWeights)
    swap(&longLines, &comingLines)
    // What comes next is taken to be like this.
    nextWeights.all.update(from: currentWeights.all, count: nextWeights.count)
    return detector.scan(samples.from(1024), energies: scannedEnergies.from(8), from: 4)
  }

  /// Takes what is before the first frame to be like it. It is silence, but players cut it off, and its noise with it.
  func begin() { previousWeights.all.update(from: currentWeights.all, count: weights.count) }

  /// Transforms the current frame and weighs its noise.
  func transform(_ sequence: WindowSequence, _ slopes: FrameSlopes) {
    let (rise, fall) = (slopes.rise, slopes.fall)
    switch sequence {
    case .onlyLong:
      lines.all.update(from: longLines.all, count: 1024)
    case .longStart:
      tools.longTransform.run(samples.all, rise: rise.long.rise, fall: fall.start.fall, to: lines.all)
    case .longStop:
      tools.longTransform.run(samples.all, rise: rise.stop.rise, fall: fall.long.fall, to: lines.all)
    case .eightShort:
      for window in 0..<8 {
        tools.shortTransform.run(
          samples.from(448 + 128 * window), rise: (window == 0 ? rise : fall).short.rise, fall: fall.short.fall,
          to: lines.from(128 * window))
      }
    }
    weigh()
    if sequence == .eightShort { weighShort() }
  }

  /// The noise of a frame is heard in the neighbours' halves of its window too.
  private func weigh() {
    let beside = AnalysisTools.neighbourShare
    for p in 0..<weights.count {
      weights[p] = (1 - 2 * beside) * currentWeights[p] + beside * (previousWeights[p] + nextWeights[p])
    }
    MaskingModel.favourLoud(weights.all, count: weights.count)
  }

  private func weighShort() {
    let count = tools.shortMasking.partitionCount
    for window in 0..<8 {
      let weights = shortWeights.from(count * window)
      tools.shortMasking.weights(of: lines.from(128 * window), to: weights)
      MaskingModel.favourLoud(weights, count: count)
    }
  }

  /// Discards the current frame.
  func shift() {
    samples.all.update(from: samples.from(1024), count: samples.count - 1024)
    filled -= 1024
  }
}

/// The shared analysis tools of all channels of an encoder, which use the buffers one after another.
final class AnalysisTools {
  /// How much of the weight of a frame's noise comes from each of its neighbours.
  static let neighbourShare: Float = 0.1

  /// In Hz.
  let sampleRate: Int
  let longTransform = ForwardMDCT(lineCount: 1024)
  let shortTransform = ForwardMDCT(lineCount: 128)
  let longMasking: MaskingModel
  let shortMasking: MaskingModel
  private let sine = WindowSlopes(.sine)
  private lazy var kaiserBessel = WindowSlopes(.kaiserBessel)

  /// The slopes of a shape.
  func slopes(_ shape: WindowShape) -> WindowSlopes { shape == .sine ? sine : kaiserBessel }

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    longMasking = MaskingModel(sampleRate: sampleRate, lineCount: 1024)
    shortMasking = MaskingModel(sampleRate: sampleRate, lineCount: 128)
  }
}

/// The slopes of a frame, whose two ends may have different shapes.
struct FrameSlopes {
  let rise: WindowSlopes
  let fall: WindowSlopes
}

/// The halves of all windows, ready to multiply with.
final class WindowSlopes {
  /// A rising half and the falling half of a window.
  typealias Halves = (rise: AlignedMemory<Float>, fall: AlignedMemory<Float>)

  private let longSlope: AlignedMemory<Float>
  private let longFall: AlignedMemory<Float>
  private let shortSlope: AlignedMemory<Float>
  private let shortFall: AlignedMemory<Float>
  private let stopRise: AlignedMemory<Float>
  private let startFall: AlignedMemory<Float>

  init(_ shape: WindowShape) {
    let long = shape.slope(1024).map { Float($0) }
    let short = shape.slope(128).map { Float($0) }
    // A short slope in the middle of a long half. Source: ISO/IEC 14496-3, 4.6.11.3.2.
    let stop = [Float](repeating: 0, count: 448) + short + [Float](repeating: 1, count: 448)
    longSlope = AlignedMemory(long)
    longFall = AlignedMemory(long.reversed())
    shortSlope = AlignedMemory(short)
    shortFall = AlignedMemory(short.reversed())
    stopRise = AlignedMemory(stop)
    startFall = AlignedMemory(stop.reversed())
  }

  var long: Halves { (longSlope, longFall) }
  var short: Halves { (shortSlope, shortFall) }
  var start: Halves { (longSlope, startFall) }
  var stop: Halves { (stopRise, longFall) }
}
