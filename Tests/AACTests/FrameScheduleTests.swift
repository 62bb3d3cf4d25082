import TestSupport
import Testing

@testable import AAC

/// What each of several threads does next, without threads.
@Suite(.inTurn)
struct FrameScheduleTests {
  private typealias Frame = FrameSchedule.Frame
  private typealias Job = FrameSchedule.Job
  /// The places of the first of two threads: those that it takes first, and those that it takes later.
  private let first = (0..<FrameSchedule.places / 4).map { FrameSchedule.places - 2 - 2 * $0 }
  private let later = (0..<FrameSchedule.places / 4).map { FrameSchedule.places / 2 - 2 - 2 * $0 }
  /// How many frames one of two threads analyses in a run.
  private let run = FrameSchedule.places / 4

  private func schedule(blocks: Int = 0, threads: Int = 2) -> FrameSchedule {
    var schedule = FrameSchedule(prices: (0..<32).map(Float.init), threads: threads)
    for _ in 0..<blocks { schedule.add() }
    return schedule
  }

  private func analyse(_ frame: Frame, _ schedule: inout FrameSchedule) {
    schedule.begin(.analyse(place: frame.place))
    schedule.endAnalysis(into: frame.place, frame: frame.number)
  }

  private func measure(_ frame: Frame, _ schedule: inout FrameSchedule) {
    schedule.begin(.measure(frame, price: 0))
    schedule.endMeasuring(frame)
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
    let place = first[0]
    #expect(schedule.job(for: 0) == .analyse(place: place))
    schedule.begin(.analyse(place: place))
    #expect(schedule.job(for: 1) == nil, "one thread at a time analyses")
    schedule.endAnalysis(into: place, frame: 0)
    let frame = Frame(number: 0, place: place)
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
    #expect(schedule.job(for: 0) == .analyse(place: place))
  }

  @Test("a block that completes no frame gives its place back")
  func noFrame() {
    var schedule = schedule(blocks: 1)
    schedule.begin(.analyse(place: first[0]))
    schedule.endAnalysis(into: first[0], frame: nil)
    #expect(schedule.isIdle)
    schedule.add()
    #expect(schedule.job(for: 0) == .analyse(place: first[0]))
  }

  /// Two threads, of which the first has analysed a run of frames, and the second the next.
  private func bothAnalysed() -> (FrameSchedule, firsts: [Frame], seconds: [Frame]) {
    var schedule = schedule(blocks: FrameSchedule.blocks)
    let frames = (0..<2).map { thread in
      first.enumerated().map { Frame(number: run * thread + $0, place: $1 + thread) }
    }
    for (thread, frames) in frames.enumerated() {
      for frame in frames {
        #expect(schedule.job(for: thread) == .analyse(place: frame.place))
        analyse(frame, &schedule)
      }
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
    for frame in seconds { measure(frame, &schedule) }
    let rest = later.enumerated().map { Frame(number: 2 * run + $0, place: $1 + 1) }
    for frame in rest {
      #expect(schedule.job(for: 1) == .analyse(place: frame.place))
      analyse(frame, &schedule)
    }
    for frame in rest { measure(frame, &schedule) }
    #expect(schedule.job(for: 1) == .measure(firsts[0], price: 0), "all places of its own are full")
    measure(firsts[0], &schedule)
    #expect(schedule.job(for: 1) == .code(firsts[0]))
  }

  @Test("each frame of a run can be measured by others as soon as it is analysed")
  func runOfAnother() {
    var schedule = schedule(blocks: FrameSchedule.blocks)
    analyse(Frame(number: 0, place: first[0]), &schedule)
    #expect(schedule.job(for: 0) == .analyse(place: first[1]), "the run goes on")
    schedule.begin(.analyse(place: first[1]))
    #expect(schedule.job(for: 1) == .measure(Frame(number: 0, place: first[0]), price: 0))
  }

  @Test("who has nothing to do takes over the run of one that codes")
  func runTakenOver() {
    var schedule = schedule(blocks: FrameSchedule.blocks)
    let frame = Frame(number: 0, place: first[0])
    analyse(frame, &schedule)
    measure(frame, &schedule)
    #expect(schedule.job(for: 0) == .code(frame), "which makes room")
    schedule.begin(.code(frame))
    #expect(schedule.job(for: 1) == .analyse(place: first[0] + 1))
    analyse(Frame(number: 1, place: first[0] + 1), &schedule)
    schedule.endCoding(frame, packet: [], price: 0)
    #expect(schedule.job(for: 1) == .analyse(place: first[1] + 1), "the run is its own now")
    #expect(schedule.job(for: 0) == .analyse(place: first[0]), "one with nothing to do may take it back")
  }

  @Test("of three threads whoever is free codes")
  func three() {
    var schedule = schedule(blocks: 1, threads: 3)
    guard case .analyse(let place) = schedule.job(for: 2) else {
      Issue.record("not \(String(describing: schedule.job(for: 2)))")
      return
    }
    let frame = Frame(number: 0, place: place)
    analyse(frame, &schedule)
    measure(frame, &schedule)
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
      case .analyse(let place):
        schedule.endAnalysis(into: place, frame: analysed)
        analysed += 1
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
