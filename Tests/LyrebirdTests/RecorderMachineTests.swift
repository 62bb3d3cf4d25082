import MediaCore
import Testing

@testable import Lyrebird

/// A recorder's life as a value.
struct RecorderMachineTests {
  private typealias Machine = RecorderMachine<String>

  @Test("a recording begins, ends and is finished, in this order")
  func usual() {
    var machine = Machine()
    #expect(machine.state == .unknown)
    #expect(machine.handle(.start) == .startCapture)
    #expect(machine.state == .running)
    #expect(machine.handle(.stop) == .stopCapture)
    #expect(machine.state == .running)
    #expect(machine.handle(.drained) == .finishFile)
    #expect(machine.state == .completed)
  }

  @Test("stopping twice, starting twice and stopping at the end do nothing")
  func repeated() {
    var machine = Machine()
    #expect(machine.handle(.stop) == .nothing)
    _ = machine.handle(.start)
    #expect(machine.handle(.start) == .nothing)
    _ = machine.handle(.stop)
    #expect(machine.handle(.stop) == .nothing)
    _ = machine.handle(.drained)
    #expect(machine.handle(.stop) == .nothing)
    #expect(machine.handle(.cancel) == .nothing)
    #expect(machine.state == .completed)
  }

  @Test("a failure stops the capture, finishes the file, and the first one is what is told")
  func failure() {
    var machine = Machine()
    _ = machine.handle(.start)
    #expect(machine.handle(.failed("the server is gone")) == .stopCapture)
    #expect(machine.handle(.failed("and the disk is full")) == .nothing)
    #expect(machine.handle(.drained) == .finishFile)
    #expect(machine.state == .failed)
    #expect(machine.failure == "the server is gone")
  }

  @Test("a file that cannot be finished makes a failure of a success")
  func failureAtTheEnd() {
    var machine = Machine()
    _ = machine.handle(.start)
    _ = machine.handle(.stop)
    _ = machine.handle(.drained)
    _ = machine.handle(.failed("the disk is full"))
    #expect(machine.state == .failed)
  }

  @Test("what is cancelled leaves nothing, whatever comes later")
  func cancelled() {
    var machine = Machine()
    _ = machine.handle(.start)
    #expect(machine.handle(.cancel) == .discard)
    #expect(machine.handle(.drained) == .nothing)
    #expect(machine.handle(.stop) == .nothing)
    #expect(machine.state == .cancelled)
  }
}
