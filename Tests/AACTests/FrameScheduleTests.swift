import TestSupport
import Testing

@testable import AAC

/// What each of several threads does next, without threads.
@Suite(.inTurn)
struct FrameScheduleTests {
  private typealias Frame = FrameSchedule.Frame
  private typealias Job = FrameSchedule.Job
  /// The places of the first of two threads, those that it takes first, and those that it takes later.
  private let first = Array(stride(from: 0, to: FrameSchedule.places, by: 2))[(FrameSchedule.places / 4)...]
  private let later = Array(stride(from: 0, to: FrameSchedule.places, by: 2))[..<(FrameSchedule.places / 4)]
  /// How many frames one of two threads analyses in a run.
  private let run = FrameSchedule.places / 4

  private func schedule(blocks: Int = 0, threads: Int = 2) -> FrameSchedule {
    var schedule = FrameSchedule(prices: (0..<32).map(Float.init), threads: threads)
    for _ in 0..<blocks { schedule.add() }
    return schedule
  }

  @Test("there is nothing to do without sound, and no room beyond the blocks")
  func bounds() {
    var schedule = schedule()
    #expect(schedule.job(for: 0) == nil && schedule.job(for: 1) == nil && schedule.isIdle && schedule.hasRoom)
    for _ in 0..<FrameSchedule.blocks { schedule.add() }
    #expect(!schedule.hasRoom && !schedule.isIdle)
  }

  @Test("a frame goes through its stages, and its place is free again")
  func oneFrame() {
    var schedule = schedule(blocks: 1)
    let places = first.suffix(1)
    #expect(schedule.job(for: 0) == .analyse(places: places))
    schedule.begin(.analyse(places: places))
    #expect(schedule.job(for: 1) == nil, "one thread at a time analyses")
    schedule.endAnalysis(into: places, frames: [0])
    let frame = Frame(number: 0, place: places.last ?? 0)
    #expect(schedule.job(for: 0) == .measure(frame, price: 0))
    schedule.begin(.measure(frame, price: 0))
    #expect(schedule.job(for: 0) == nil && schedule.job(for: 1) == nil)
    schedule.endMeasuring(frame)
    #expect(schedule.job(for: 0) == .code(frame))
    schedule.begin(.code(frame))
    #expect(!schedule.isIdle)
    schedule.endCoding(frame, packet: [7], price: 100)
    #expect(schedule.isIdle)
    #expect(schedule.takePackets() == [[7]])
    #expect(schedule.takePackets().isEmpty)
    schedule.add()
    #expect(schedule.job(for: 0) == .analyse(places: places))
  }

  @Test("a block that completes no frame gives its place back")
  func noFrame() {
    var schedule = schedule(blocks: 1)
    schedule.begin(.analyse(places: first.suffix(1)))
    schedule.endAnalysis(into: first.suffix(1), frames: [nil])
    #expect(schedule.isIdle)
    schedule.add()
    #expect(schedule.job(for: 0) == .analyse(places: first.suffix(1)))
  }

  /// Two threads, of which the first has analysed a run of frames, and the second the next.
  private func bothAnalysed() -> (FrameSchedule, firsts: [Frame], seconds: [Frame]) {
    var schedule = schedule(blocks: FrameSchedule.blocks)
    let places = [first, ArraySlice(first.map { $0 + 1 })]
    for thread in 0..<2 {
      #expect(schedule.job(for: thread) == .analyse(places: places[thread]))
      schedule.begin(.analyse(places: places[thread]))
      schedule.endAnalysis(into: places[thread], frames: (0..<run).map { run * thread + $0 })
    }
    let frames = places.enumerated().map { thread, places in
      zip(places, run * thread..<run * thread + run).map { Frame(number: $1, place: $0) }
    }
    return (schedule, frames[0], frames[1])
  }

  @Test("of two threads each takes the frames that it analysed through all stages, and then analyses the next")
  func ownFrames() {
    var (schedule, firsts, seconds) = bothAnalysed()
    for (mine, other) in zip(firsts, seconds) {
      #expect(schedule.job(for: 0) == .measure(mine, price: Float(mine.number)))
      schedule.begin(.measure(mine, price: 0))
      #expect(schedule.job(for: 1) == .measure(other, price: Float(other.number)))
      schedule.begin(.measure(other, price: 0))
      schedule.endMeasuring(other)
      schedule.endMeasuring(mine)
      #expect(schedule.job(for: 0) == .code(mine))
      schedule.begin(.code(mine))
      schedule.endCoding(mine, packet: [], price: 0)
    }
    #expect(schedule.job(for: 1) == .code(seconds[0]))
    guard case .analyse = schedule.job(for: 0) else {
      Issue.record("not \(String(describing: schedule.job(for: 0)))")
      return
    }
  }

  @Test("who has nothing to do measures and codes the frames of others")
  func framesOfOthers() {
    var (schedule, firsts, seconds) = bothAnalysed()
    let rest = ArraySlice(later.map { $0 + 1 })
    for frame in seconds {
      schedule.begin(.measure(frame, price: 0))
      schedule.endMeasuring(frame)
    }
    #expect(schedule.job(for: 1) == .analyse(places: rest))
    schedule.begin(.analyse(places: rest))
    schedule.endAnalysis(into: rest, frames: rest.indices.map { 2 * run + $0 - rest.startIndex })
    for (place, number) in zip(rest, (2 * run)...) {
      schedule.begin(.measure(Frame(number: number, place: place), price: 0))
      schedule.endMeasuring(Frame(number: number, place: place))
    }
    #expect(schedule.job(for: 1) == .measure(firsts[0], price: 0), "all places of its own are full")
    schedule.begin(.measure(firsts[0], price: 0))
    schedule.endMeasuring(firsts[0])
    #expect(schedule.job(for: 1) == .code(firsts[0]))
  }

  @Test("of three threads whoever is free codes")
  func three() {
    var schedule = schedule(blocks: 1, threads: 3)
    guard case .analyse(let places) = schedule.job(for: 2), let place = places.first else {
      Issue.record("not \(String(describing: schedule.job(for: 2)))")
      return
    }
    schedule.begin(.analyse(places: places))
    schedule.endAnalysis(into: places, frames: [0])
    let frame = Frame(number: 0, place: place)
    schedule.begin(.measure(frame, price: 0))
    schedule.endMeasuring(frame)
    schedule.add()
    #expect((0..<3).allSatisfy { schedule.job(for: $0) == .code(frame) })
  }

  /// Threads that take and end jobs in an arbitrary order.
  @Test("whoever is quick or slow: frames are coded in order, each at its price, and all of them", arguments: 0..<200)
  func anyOrder(seed: UInt64) throws {
    var noise = Noise(state: seed)
    let threads = Int.random(in: 1...FrameSchedule.places, using: &noise)
    var schedule = schedule(threads: threads)
    var idle = Set(0..<threads)
    var (running, blocks, analysed, coded): ([(thread: Int, job: Job)], Int, Int, [Int]) = ([], 0, 0, [])
    while coded.count < 100 {
      if blocks < 100, schedule.hasRoom, Int.random(in: 0..<3, using: &noise) == 0 {
        schedule.add()
        blocks += 1
      }
      let ready = idle.sorted().filter { schedule.job(for: $0) != nil }
      if let thread = ready.randomElement(using: &noise), let job = schedule.job(for: thread) {
        schedule.begin(job)
        idle.remove(thread)
        running.append((thread, job))
        if case .measure(let frame, let price) = job { #expect(price == Float(frame.number)) }
      } else if running.isEmpty {
        try #require(blocks < 100, "there is sound left, and nothing to do")
        continue
      }
      guard Bool.random(using: &noise) else { continue }
      let (thread, job) = running.remove(at: Int.random(in: running.indices, using: &noise))
      idle.insert(thread)
      switch job {
      case .analyse(let places):
        schedule.endAnalysis(into: places, frames: places.indices.map { analysed + $0 - places.startIndex })
        analysed += places.count
      case .measure(let frame, _): schedule.endMeasuring(frame)
      case .code(let frame):
        coded.append(frame.number)
        schedule.endCoding(frame, packet: [UInt8(frame.number)], price: Float(frame.number + 32))
      }
    }
    #expect(coded == Array(0..<100))
    #expect(schedule.takePackets() == (0..<100).map { [UInt8($0)] })
    #expect(schedule.isIdle)
  }
}
