import MediaCore
import Testing

@testable import Lyrebird

/// A player's life as a value.
struct PlayerMachineTests {
  private typealias Machine = PlayerMachine<String>

  @Test("a file is played from its start to its end")
  func usual() {
    var machine = Machine()
    #expect(machine.handle(.play) == .begin(0))
    #expect(machine.handle(.play) == .nothing)
    #expect(machine.handle(.segmentEnded) == .end)
    #expect(machine.state == .completed)
    #expect(machine.handle(.stop) == .nothing)
    #expect(machine.state == .completed)
  }

  @Test("a seek breaks off what is played, and the last of several counts")
  func seek() {
    var machine = Machine()
    _ = machine.handle(.play)
    #expect(machine.handle(.seek(10)) == .breakOff)
    #expect(machine.handle(.seek(20)) == .breakOff)
    #expect(machine.handle(.segmentEnded) == .begin(20))
    #expect(machine.state == .running)
    #expect(machine.handle(.segmentEnded) == .end)
  }

  @Test("a seek before playing says where playing begins")
  func seekFirst() {
    var machine = Machine()
    #expect(machine.handle(.seek(7)) == .nothing)
    #expect(machine.handle(.play) == .begin(7))
  }

  @Test("stopping breaks off, and nothing begins after it")
  func stop() {
    var machine = Machine()
    _ = machine.handle(.play)
    _ = machine.handle(.seek(10))
    #expect(machine.target == 10)
    #expect(machine.handle(.stop) == .breakOff)
    #expect(machine.target == nil)
    #expect(machine.handle(.segmentEnded) == .end)
    #expect(machine.state == .cancelled)
    #expect(machine.handle(.play) == .nothing)
  }

  @Test("a failure ends it, and is told")
  func failure() {
    var machine = Machine()
    _ = machine.handle(.play)
    #expect(machine.handle(.failed("the device is gone")) == .breakOff)
    #expect(machine.handle(.segmentEnded) == .end)
    #expect(machine.state == .failed)
    #expect(machine.failure == "the device is gone")
  }
}
