import Foundation
import Synchronization
import Testing

@testable import TestSupport

/// How suites take turns.
@Suite(.inTurn) struct TurnTests {
  /// What was seen of suites that run.
  private final class Sight: Sendable {
    struct State {
      var running = 0
      var most = 0
      var order: [Int] = []
    }
    let state = Mutex(State())

    func begin(_ number: Int) {
      state.withLock {
        $0.running += 1
        $0.most = max($0.most, $0.running)
        $0.order.append(number)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
    var running: Int { state.withLock { $0.running } }
  }

  @Test("no more suites run side by side than are allowed to, and all of them run")
  func width() async {
    let queue = TurnQueue(width: 3)
    let sight = Sight()
    await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          await queue.enter(isAlone: false)
          sight.begin(number)
          for _ in 0..<5 { await Task.yield() }
          sight.end()
          queue.leave()
        }
      }
    }
    #expect(sight.state.withLock { Set($0.order).count } == 20)
    #expect((1...3).contains(sight.state.withLock { $0.most }))
  }

  @Test("who runs alone waits until all others have run, and nobody comes in meanwhile")
  func alone() async {
    let queue = TurnQueue(width: 2)
    let sight = Sight()
    await queue.enter(isAlone: false)
    sight.begin(0)
    await withTaskGroup { group in
      for number in 1...2 {
        group.addTask {
          await queue.enter(isAlone: true)
          #expect(sight.running == 0)
          sight.begin(number)
          for _ in 0..<5 { await Task.yield() }
          #expect(sight.running == 1)
          sight.end()
          queue.leave()
        }
      }
      for number in 3...6 {
        group.addTask {
          await queue.enter(isAlone: false)
          sight.begin(number)
          sight.end()
          queue.leave()
        }
      }
      // All six wait, or have run.
      while queue.waitingCount + sight.state.withLock({ $0.order.count }) < 7 { await Task.yield() }
      #expect(!sight.state.withLock { $0.order.contains(1) || $0.order.contains(2) })
      sight.end()
      queue.leave()
    }
    #expect(Set(sight.state.withLock { $0.order.suffix(2) }) == [1, 2])
  }

  @Test("every suite says whether it runs in turn or alone")
  func everySuite() throws {
    let tests = Shared.packageFolder.appendingPathComponent("Tests")
    let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
    var suites = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Types at the outermost level begin lines, and end with a line of one brace.
      for piece in text.components(separatedBy: "\n}\n") where piece.contains("\n  @Test") {
        guard !piece.contains("\nextension ") else { continue }
        suites += 1
        let isTold = piece.firstMatch(of: /@Suite\([^{]*\.(inTurn|alone)/) != nil
        #expect(isTold, "a suite in \(file.lastPathComponent) needs @Suite(.inTurn) or @Suite(.alone): see Turn.swift")
      }
    }
    #expect(suites > 80)
  }
}
