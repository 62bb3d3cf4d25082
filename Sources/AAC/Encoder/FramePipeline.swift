internal import Dispatch
internal import MediaCore

/// Takes frames through the three stages of the encoder, on one thread or several.
///
/// - `FrameAnalysis` transforms the sound and finds out what is heard. Each frame builds on those before.
/// - `EncodedFrame.measure` finds out what coding costs. That is most of the work, and frames do not depend on each other.
/// - `FrameCoder` decides at the price of the moment, which the bits of the frame before have changed.
///
/// On several threads, the stages work at the same time on successive batches of frames: one thread analyses, another
/// codes, and all others, and these two once they are done, measure. Meanwhile the caller reads and converts the sound of
/// the batch that follows. The price that a frame is measured at was known two batches before, whether there are batches or
/// not, so the number of threads makes no difference to the bytes.
final class FramePipeline {
  /// Frames that go through a stage together.
  static let batch = RateControl.delay / 2

  private let analysis: FrameAnalysis
  private let coder: FrameCoder
  /// One set for each thread.
  private let tools: [CodingTools]
  /// Where sound waits for a batch to be complete; empty if frames are coded as they come.
  private var gathered: [GatheredInput]
  /// Frames with their stages behind them: none, the first, the first two.
  private var empty: [EncodedFrame]
  private var analysed: [EncodedFrame] = []
  private var measured: [EncodedFrame] = []
  /// The step that threads work on, and what comes out of it: frames that are analysed, and packets.
  private var running: PipelineStep?
  private var found: [EncodedFrame] = []
  private var packets: [[UInt8]] = []
  /// Inputs of all channels, and which channel of the sound each takes.
  private(set) var inputs: [(input: any EncoderInput, channel: Int)]

  /// - Parameters:
  ///   - frameLength: frames of sound in a packet.
  ///   - threads: how many threads work at once, at least 1.
  init(_ analysis: FrameAnalysis, _ coder: FrameCoder, frameLength: Int, threads: Int) {
    (self.analysis, self.coder) = (analysis, coder)
    tools = (0..<threads).map { _ in analysis.makeTools() }
    gathered = threads == 1 ? [] : analysis.inputs.map { _ in GatheredInput(frameLength * FramePipeline.batch) }
    empty = [analysis.makeFrame()]
    inputs = gathered.isEmpty ? analysis.inputs : Array(zip(gathered, analysis.inputs.map(\.channel)))
  }

  /// Room for more frames of sound.
  var room: Int { inputs.first?.input.room ?? 0 }

  /// Takes what the inputs are full of to work on.
  ///
  /// - Returns: the packets that are complete.
  func advance() -> [[UInt8]] {
    if !gathered.isEmpty {
      let packets = finishStep()
      beginStep()
      return packets
    }
    guard let frame = empty.first, analysis.analyse(into: frame) else { return [] }
    frame.measure(price: coder.price(measuring: frame), tools[0])
    return [coder.code(frame, tools[0])]
  }

  /// Codes all frames whose sound is complete. From then on they are coded as they come, on one thread.
  ///
  /// - Returns: their packets.
  func drain() -> [[UInt8]] {
    guard !gathered.isEmpty else { return [] }
    var packets = finishStep()
    for _ in 0..<3 {
      beginStep()
      packets += finishStep()
    }
    (gathered, inputs) = ([], analysis.inputs)
    return packets
  }

  /// Notes that the sound is over: so many packets follow, and so much of it, counted in packets.
  func end(packets: Int, frames: Double) { coder.end(packets: packets, frames: frames) }

  /// Begins to take every batch a stage further, all at the same time. Until it is finished, nothing but the inputs may be
  /// touched.
  private func beginStep() {
    for input in gathered { input.handOver() }
    var jobs: [(CodingTools) -> Void] = [
      { [self] _ in found = analyseBatch() },
      { [self] tools in packets = measured.map { coder.code($0, tools) } },
    ]
    // Their prices are read before the coder goes on.
    jobs += analysed.map { frame in
      let price = coder.price(measuring: frame)
      return { tools in frame.measure(price: price, tools) }
    }
    running = PipelineStep(jobs, tools)
    running?.begin()
  }

  /// Waits for the step that was begun, if there is one.
  ///
  /// - Returns: the packets that are complete.
  private func finishStep() -> [[UInt8]] {
    guard let step = running else { return [] }
    step.wait()
    running = nil
    (empty, measured, analysed) = (empty + measured, analysed, found)
    return packets
  }

  /// Analyses the sound that is gathered; what is not a whole frame stays in the inputs of the analysis.
  private func analyseBatch() -> [EncodedFrame] {
    var frames: [EncodedFrame] = []
    while true {
      for (source, target) in zip(gathered, analysis.inputs) { source.move(to: target.input) }
      guard analysis.inputs.allSatisfy({ $0.input.room == 0 }) else { break }
      let frame = empty.popLast() ?? analysis.makeFrame()
      if analysis.analyse(into: frame) { frames.append(frame) } else { empty.append(frame) }
    }
    return frames
  }
}

/// Jobs that are done at the same time.
///
/// `@unchecked Sendable`: no two jobs use the same frame, nor the same of analysis and coder; each thread has tools of its
/// own; and who begins a step touches nothing of it before it is done.
private final class PipelineStep: @unchecked Sendable {
  private var jobs: [(CodingTools) -> Void]
  private let tools: [CodingTools]
  private let next: Lock<Int>
  private let isDone = DispatchSemaphore(value: 0)

  init(_ jobs: [(CodingTools) -> Void], _ tools: [CodingTools]) {
    (self.jobs, self.tools) = (jobs, tools)
    next = Lock(tools.count)
  }

  /// Lets as many threads as there are sets of tools do the jobs. Each begins with the job of its number, so that in most
  /// steps the same thread analyses, with what it needs in its processor's cache, and another codes.
  func begin() {
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      DispatchQueue.concurrentPerform(iterations: min(tools.count, jobs.count)) { thread in
        var job = thread
        while job < jobs.count {
          jobs[job](tools[thread])
          job = next.withLock { next in
            defer { next += 1 }
            return next
          }
        }
      }
      // They hold the pipeline, which holds this step: a pipeline that is dropped in the middle would never be freed.
      jobs = []
      isDone.signal()
    }
  }

  /// Waits until all jobs are done.
  func wait() { isDone.wait() }
}

/// Sound of one channel that waits for a batch to be complete, and that of the batch that is worked on.
private final class GatheredInput: EncoderInput {
  private var gathering: AlignedMemory<Float>
  private var complete: AlignedMemory<Float>
  private var filled = 0
  private var left = 0..<0

  init(_ count: Int) {
    (gathering, complete) = (AlignedMemory(count), AlignedMemory(count))
  }

  var room: Int { gathering.count - filled }
  var end: MemoryPart<Float> { gathering.from(filled) }
  func advance(_ count: Int) { filled += count }

  /// Makes what was gathered the batch to work on, all of whose predecessor was moved.
  func handOver() {
    (gathering, complete) = (complete, gathering)
    (left, filled) = (0..<filled, 0)
  }

  /// Moves as many samples as there are and fit to the input of the analysis.
  func move(to input: any EncoderInput) {
    let count = min(left.count, input.room)
    input.end.update(from: complete.from(left.lowerBound), count: count)
    input.advance(count)
    left = left.lowerBound + count..<left.upperBound
  }
}
