import MediaCore
import TestSupport
import Testing

@testable import Lyrebird

/// A player's life as a value.
@Suite(.inTurn) struct PlayerMachineTests {
  private typealias Machine = PlayerMachine<String>

  /// A machine to which all this happened.
  private func machine(_ events: Machine.Event...) -> Machine {
    var machine = Machine()
    for event in events { _ = machine.handle(event) }
    return machine
  }

  @Test("a file is played from its start to its end")
  func usual() {
    var machine = Machine()
    #expect(machine.publicState == .unknown)
    #expect(machine.handle(.play) == .begin(0))
    #expect(machine.publicState == .running)
    #expect(machine.handle(.segmentEnded) == .close)
    #expect(machine.publicState == .running)
    #expect(machine.handle(.closed) == .end)
    #expect(machine.publicState == .completed)
  }

  @Test("a seek breaks off what is played, and the last of several counts")
  func seek() {
    var machine = machine(.play)
    #expect(machine.handle(.seek(10)) == .breakOff)
    #expect(machine.handle(.seek(20)) == .breakOff)
    #expect(machine.target == 20)
    #expect(machine.handle(.segmentEnded) == .begin(20))
    #expect(machine.state == .playing && machine.target == nil)
    #expect(machine.handle(.segmentEnded) == .close)
  }

  @Test("while the device is closed it is too late to seek or to stop")
  func closing() {
    var machine = machine(.play, .segmentEnded)
    #expect(machine.handle(.seek(10)) == .nothing)
    #expect(machine.handle(.stop) == .nothing)
    #expect(machine.handle(.closed) == .end)
    #expect(machine.publicState == .completed)
  }

  @Test("a seek before playing says where playing begins")
  func seekFirst() {
    var machine = Machine()
    #expect(machine.handle(.seek(7)) == .nothing)
    #expect(machine.target == 7)
    #expect(machine.handle(.play) == .begin(7))
  }

  @Test(
    "stopping breaks off, in a seek too, and nothing begins after it; it is cancelled only when the segment is over"
  )
  func stop() {
    var machine = machine(.play, .seek(10))
    #expect(machine.handle(.stop) == .breakOff)
    #expect(machine.publicState == .running && machine.target == nil)
    #expect(machine.handle(.seek(20)) == .nothing)
    #expect(machine.handle(.play) == .nothing)
    #expect(machine.handle(.segmentEnded) == .close)
    #expect(machine.publicState == .running)
    #expect(machine.handle(.closed) == .end)
    #expect(machine.publicState == .cancelled)
  }

  @Test("stopping before playing is the end of it")
  func stopFirst() {
    var machine = Machine()
    #expect(machine.handle(.stop) == .end)
    #expect(machine.publicState == .cancelled)
    #expect(machine.handle(.play) == .nothing)
  }

  @Test(
    "a failure ends it, and the first one is told, also where it comes while the device is closed")
  func failure() {
    for before in [[Machine.Event.play], [.play, .seek(1)], [.play, .stop], [.play, .segmentEnded]] {
      var machine = Machine()
      for event in before { _ = machine.handle(event) }
      #expect(machine.handle(.failed("the device is gone")) == .breakOff)
      #expect(machine.handle(.failed("so is its file")) == .nothing)
      #expect(machine.handle(.seek(3)) == .nothing)
      #expect(machine.publicState == .running)
      _ = machine.handle(.segmentEnded)
      #expect(machine.handle(.closed) == .end)
      #expect(machine.publicState == .failed)
      #expect(machine.failure == "the device is gone")
    }
  }

  @Test("nothing happens any more after the end")
  func over() {
    for ended in [
      machine(.play, .segmentEnded, .closed), machine(.stop),
      machine(.play, .failed("it broke"), .segmentEnded, .closed),
    ] {
      for event in [Machine.Event.play, .seek(1), .segmentEnded, .closed, .stop, .failed("again")] {
        var machine = ended
        #expect(machine.handle(event) == .nothing)
        #expect(machine.state == ended.state && machine.failure == ended.failure)
      }
    }
  }
}
