import TestSupport
import Testing

@testable import AAC

/// What each of several threads does next, without threads.
@Suite(.inTurn)
struct FrameScheduleTests {
  private typealias Frame = FrameSchedule.Frame
  private typealias Job = FrameSchedule.Job
  /// The place that is taken first.
  private let last = FrameSchedule.places - 1

  private func schedule(blocks: Int = 0, threads: Int = 2) -> FrameSchedule {
    var schedule = FrameSchedule(prices: (0..<32).map(Float.init), threads: threads)
    for _ in 0..<blocks { schedule.add() }
    return schedule
  }

  @Test("there is nothing to do without sound, and no room beyond the blocks")
  func bounds() {
    var schedule = schedule()
    #expect(schedule.job == nil && schedule.isIdle && schedule.hasRoom)
    for _ in 0..<FrameSchedule.blocks { schedule.add() }
    #expect(!schedule.hasRoom && !schedule.isIdle)
  }

  @Test("a frame goes through its stages, and its place is free again")
  func oneFrame() {
    var schedule = schedule(blocks: 1)
    #expect(schedule.job == .analyse(place: last))
    schedule.begin(.analyse(place: last))
    #expect(schedule.job == nil, "one thread at a time analyses")
    schedule.endAnalysis(into: last, frame: 0)
    let frame = Frame(number: 0, place: last)
    #expect(schedule.job == .measure(frame, price: 0))
    schedule.begin(.measure(frame, price: 0))
    #expect(schedule.job == nil)
    schedule.endMeasuring(frame)
    #expect(schedule.job == .code(frame))
    schedule.begin(.code(frame))
    #expect(!schedule.isIdle)
    schedule.endCoding(frame, packet: [7], price: 100)
    #expect(schedule.isIdle)
    #expect(schedule.takePackets() == [[7]])
    #expect(schedule.takePackets().isEmpty)
    schedule.add()
    #expect(schedule.job == .analyse(place: last))
  }

  @Test("a block that completes no frame gives its place back")
  func noFrame() {
    var schedule = schedule(blocks: 1)
    schedule.begin(.analyse(place: last))
    schedule.endAnalysis(into: last, frame: nil)
    #expect(schedule.isIdle)
    schedule.add()
    #expect(schedule.job == .analyse(place: last))
  }

  /// Threads that take and end jobs in an arbitrary order.
  @Test("whoever is quick or slow: frames are coded in order, each at its price, and all of them", arguments: 0..<200)
  func anyOrder(seed: UInt64) throws {
    var noise = Noise(state: seed)
    let threads = Int.random(in: 1...8, using: &noise)
    var schedule = schedule(threads: threads)
    var (running, blocks, analysed, coded): ([Job], Int, Int, [Int]) = ([], 0, 0, [])
    while coded.count < 100 {
      if blocks < 100, schedule.hasRoom, Int.random(in: 0..<3, using: &noise) == 0 {
        schedule.add()
        blocks += 1
      }
      if running.count < threads, let job = schedule.job {
        schedule.begin(job)
        running.append(job)
        if case .measure(let frame, let price) = job { #expect(price == Float(frame.number)) }
      } else if running.isEmpty {
        try #require(blocks < 100, "there is sound left, and nothing to do")
        continue
      }
      guard Bool.random(using: &noise) else { continue }
      switch running.remove(at: Int.random(in: running.indices, using: &noise)) {
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
