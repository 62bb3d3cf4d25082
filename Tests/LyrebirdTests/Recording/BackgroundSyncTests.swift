import Dispatch
import MediaCore
import TestSupport
import Testing

@testable import Lyrebird

/// Syncing on a thread of its own.
@Suite(.alone)
struct BackgroundSyncTests {
  /// A disk that does nothing until it is told to.
  private final class Disk: Sendable {
    let begun = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let syncs = Lock(0)

    func sync() {
      begun.signal()
      goOn.wait()
      syncs.withLock { $0 += 1 }
    }
  }

  @Test("a slow disk holds nobody up, and requests that come meanwhile are one")
  func slowDisk() throws {
    let disk = Disk()
    let sync = BackgroundSync { () throws(SinkError) in disk.sync() }
    try sync.request()
    disk.begun.wait()
    // It is under way: these return at once, or this would never get on.
    for _ in 0..<100 { try sync.request() }
    disk.goOn.signal()
    disk.begun.wait()
    disk.goOn.signal()
    try sync.wait()
    #expect(disk.syncs.withLock { $0 } == 2)
  }

  @Test("what a sync failed with is told with the next request, and at the end")
  func failure() throws {
    let error = SinkError(.writeFailed(5), name: "disk")
    let sync = BackgroundSync { () throws(SinkError) in throw error }
    try sync.request()
    #expect(throws: error) { try sync.wait() }
    #expect(throws: error) { try sync.request() }
    #expect(throws: error) { try sync.wait() }
  }
}
