import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioIO

/// The queue between two threads.
@Suite(.inTurn) struct RingBufferTests {
  private func write(_ ring: RingBuffer<Int>, _ elements: [Int]) -> Int {
    ring.write(elements.span)
  }

  private func read(_ ring: RingBuffer<Int>, _ count: Int) -> [Int] {
    var elements = [Int](repeating: -1, count: count)
    var span = elements.mutableSpan
    let taken = ring.read(into: &span)
    return Array(elements.prefix(taken))
  }

  @Test("what is written is read in order, no more is taken than fits, and no more given than is there")
  func order() {
    let ring = RingBuffer<Int>(atLeast: 5)
    #expect(ring.capacity == 8)
    #expect(write(ring, Array(0..<6)) == 6)
    #expect(read(ring, 4) == [0, 1, 2, 3])
    #expect(write(ring, Array(6..<20)) == 6)
    #expect(ring.writableCount == 0)
    #expect(write(ring, [99]) == 0)
    #expect(read(ring, 20) == Array(4..<12))
    #expect(read(ring, 1) == [])
    #expect(ring.readableCount == 0)
  }

  @Test("between two threads nothing is lost, repeated or torn, whatever the sizes")
  func threads() async {
    let ring = RingBuffer<Int>(atLeast: 64)
    let total = 200_000
    let writer = Thread {
      var noise = Noise(seed: 1)
      var next = 0
      while next < total {
        let count = min(Int.random(in: 1...90, using: &noise), total - next)
        let written = write(ring, Array(next..<(next + count)))
        next += written
        if written == 0 { sched_yield() }
      }
    }
    writer.start()
    var noise = Noise(seed: 2)
    var expected = 0
    var isInOrder = true
    while expected < total {
      let elements = read(ring, Int.random(in: 1...90, using: &noise))
      for element in elements {
        isInOrder = isInOrder && element == expected
        expected += 1
      }
      if elements.isEmpty { sched_yield() }
    }
    #expect(isInOrder)
    #expect(ring.readableCount == 0)
  }
}
