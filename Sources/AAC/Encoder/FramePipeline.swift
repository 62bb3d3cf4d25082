internal import Dispatch
internal import MediaCore

/// Takes frames through the three stages of the encoder, on one thread or several.
///
/// - `FrameAnalysis` transforms the sound and finds out what is heard. Each frame builds on those before.
/// - `EncodedFrame.measure` finds out what coding costs. That is most of the work, and frames do not depend on each
///   other.
/// - `FrameCoder` decides at the price of the moment, which the bits of the frame before have changed.
///
/// With several threads, one at a time analyses, one codes, and all others measure. A thread that is done takes what
/// `FrameSchedule` says comes next, without waiting for the others. The caller is one of the threads: while there is no
/// room for more sound, it works too. The price that a frame is measured at was known `RateControl.delay` frames
/// before, on one thread or several, so their number makes no difference to the bytes.
///
/// `@unchecked Sendable`: threads share the schedule, which a lock protects, and each does the job that it was given,
/// alone: one at a time analyses, one codes, and no two touch the same frame or the same tools. The blocks of sound
/// have one writer, the caller, and one reader, who analyses.
final class FramePipeline: @unchecked Sendable {
  private let analysis: FrameAnalysis
  private let coder: FrameCoder
  /// One set for each thread; the caller's is the first.
  private let tools: [CodingTools]
  private let frames: [EncodedFrame]
  /// Where sound waits to be analysed; empty if frames are coded as they come.
  private var waiting: [WaitingSound]
  private let shared: Lock<Shared>
  private let callerMayGoOn = DispatchSemaphore(value: 0)
  /// Inputs of all channels, and which channel of the sound each takes.
  private(set) var inputs: [(input: any EncoderInput, channel: Int)]
  /// Whether the sound is over, and only silence follows.
  var isOver = false

  /// The state that the threads share.
  private struct Shared: Sendable {
    var schedule: FrameSchedule
    /// Threads that have nothing to do.
    var idle: [Int]
    var isCallerWaiting = false

    /// Takes the next job of a thread. If there is more to do, another thread may help.
    mutating func nextJob(for thread: Int) -> Answer {
      guard let job = schedule.job(for: thread) else { return .nothing }
      schedule.begin(job)
      return .job(job, helper: takeHelper())
    }

    /// Another thread, if there is something to do for it.
    mutating func takeHelper() -> Int? {
      idle.firstIndex { schedule.job(for: $0) != nil }.map { idle.remove(at: $0) }
    }
  }

  /// The answer to a thread that asks for work.
  private enum Answer: Sendable {
    case job(FrameSchedule.Job, helper: Int?)
    case nothing
    case packets([[UInt8]])
  }

  /// - Parameters:
  ///   - frameLength: frames of sound in a packet.
  ///   - threads: how many threads work at once, at least 1.
  init(_ analysis: FrameAnalysis, _ coder: FrameCoder, frameLength: Int, threads: Int) {
    (self.analysis, self.coder) = (analysis, coder)
    frames = (0..<(threads == 1 ? 1 : FrameSchedule.places)).map { _ in analysis.makeFrame() }
    tools = (0..<threads).map { _ in analysis.makeTools() }
    let prices = (0..<RateControl.delay).map(coder.price)
    shared = Lock(
      Shared(schedule: FrameSchedule(prices: prices, threads: threads), idle: Array(1..<max(threads, 1))))
    waiting = threads == 1 ? [] : analysis.inputs.map { _ in WaitingSound(frameLength, blocks: FrameSchedule.blocks) }
    inputs = waiting.isEmpty ? analysis.inputs : Array(zip(waiting, analysis.inputs.map(\.channel)))
  }

  /// Room for more frames of sound.
  var room: Int { inputs.first?.input.room ?? 0 }

  /// Takes what the inputs are full of to work on, and makes room for more.
  ///
  /// - Returns: the packets that are complete.
  func advance() -> [[UInt8]] {
    if !waiting.isEmpty {
      addBlock()
      return work { $0.hasRoom }
    }
    guard analysis.analyse(into: frames[0]) else { return [] }
    frames[0].isLast = isOver
    frames[0].measure(price: coder.price(measuring: frames[0].number), tools[0])
    return [coder.code(frames[0], tools[0])]
  }

  /// Codes all frames whose sound is complete. From then on they are coded as they come, on one thread.
  ///
  /// - Returns: their packets.
  func drain() -> [[UInt8]] {
    guard !waiting.isEmpty else { return [] }
    addBlock()
    let packets = work { $0.isIdle }
    (waiting, inputs) = ([], analysis.inputs)
    return packets
  }

  /// Notes how many packets are left, and how much of the sound, counted in packets.
  func expect(packets: Int, frames: Double) { coder.expect(packets: packets, frames: frames) }

  /// Lets the sound in the inputs be analysed.
  private func addBlock() {
    for input in waiting { input.endBlock() }
    let helper = shared.withLock { shared in
      shared.schedule.add()
      return shared.takeHelper()
    }
    if let helper { recruit(helper) }
  }

  /// Works as one of the threads until the schedule is as wanted.
  ///
  /// - Returns: the packets that are complete.
  private func work(until isDone: @Sendable (FrameSchedule) -> Bool) -> [[UInt8]] {
    while true {
      let answer = shared.withLock { shared in
        if isDone(shared.schedule) { return Answer.packets(shared.schedule.takePackets()) }
        let answer = shared.nextJob(for: 0)
        if case .nothing = answer { shared.isCallerWaiting = true }
        return answer
      }
      switch answer {
      case .packets(let packets): return packets
      case .nothing: callerMayGoOn.wait()
      case .job(let job, let helper):
        if let helper { recruit(helper) }
        perform(job, tools[0])
      }
    }
  }

  /// Lets another thread help until it finds nothing to do.
  private func recruit(_ helper: Int) {
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      while true {
        let answer = shared.withLock { shared in
          let answer = shared.nextJob(for: helper)
          if case .nothing = answer { shared.idle.append(helper) }
          return answer
        }
        guard case .job(let job, let another) = answer else { return }
        if let another { recruit(another) }
        perform(job, tools[helper])
      }
    }
  }

  /// Does a job, and notes that it is done.
  private func perform(_ job: FrameSchedule.Job, _ tools: CodingTools) {
    switch job {
    case .analyse(let place):
      let number = analyse(into: frames[place]) ? frames[place].number : nil
      end { $0.endAnalysis(into: place, frame: number) }
    case .measure(let frame, let price):
      frames[frame.place].measure(price: price, tools)
      end { $0.endMeasuring(frame) }
    case .code(let frame):
      let packet = coder.code(frames[frame.place], tools)
      let price = coder.price(measuring: frame.number + RateControl.delay)
      end { $0.endCoding(frame, packet: packet, price: price) }
    }
  }

  /// Notes in the schedule what was done, and wakes the caller if it waits.
  private func end(_ change: @Sendable (inout FrameSchedule) -> Void) {
    let wakes = shared.withLock { shared in
      change(&shared.schedule)
      defer { shared.isCallerWaiting = false }
      return shared.isCallerWaiting
    }
    if wakes { callerMayGoOn.signal() }
  }

  /// Analyses the block of sound that has waited longest; what is not a whole frame stays in the inputs of the
  /// analysis.
  ///
  /// - Returns: whether a frame is complete.
  private func analyse(into frame: EncodedFrame) -> Bool {
    var isComplete = false
    while waiting.allSatisfy({ $0.left > 0 }) {
      for (source, target) in zip(waiting, analysis.inputs) { source.move(to: target.input) }
      guard analysis.inputs.allSatisfy({ $0.input.room == 0 }) else { break }
      isComplete = analysis.analyse(into: frame) || isComplete
    }
    for sound in waiting { sound.releaseBlock() }
    return isComplete
  }
}
