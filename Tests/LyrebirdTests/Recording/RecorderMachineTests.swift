import MediaCore
import TestSupport
import Testing

@testable import Lyrebird

/// A recorder's life as a value.
@Suite(.inTurn) struct RecorderMachineTests {
  private typealias Machine = RecorderMachine<String>

  /// The machine after some events, refusals ignored.
  private func machine(_ events: Machine.Event...) -> Machine {
    var machine = Machine()
    for event in events { _ = try? machine.handle(event) }
    return machine
  }

  private func answer(_ event: Machine.Event, _ machine: Machine) -> Result<Machine.Action, Machine.Refusal> {
    var machine = machine
    return Result { () throws(Machine.Refusal) in try machine.handle(event) }
  }

  @Test("a recording begins, ends and is finished, in this order, and is completed only when the file is there")
  func usual() throws {
    var machine = Machine()
    #expect(machine.publicState == .unknown)
    #expect(try machine.handle(.start) == .open)
    #expect(machine.publicState == .running)
    #expect(try machine.handle(.opened) == .record)
    #expect(try machine.handle(.stop) == .stopCapture)
    #expect(machine.state == .draining)
    #expect(machine.publicState == .running)
    #expect(try machine.handle(.drained) == .finishFile)
    #expect(machine.state == .finishing)
    #expect(machine.publicState == .running)
    #expect(try machine.handle(.finished) == .announce)
    #expect(machine.publicState == .completed)
  }

  @Test("stopping before the start is refused, and starting twice is")
  func refused() {
    #expect(answer(.stop, machine()) == .failure(.notStarted))
    #expect(answer(.start, machine(.start)) == .failure(.startedBefore))
    #expect(answer(.start, machine(.start, .opened, .stop, .drained, .finished)) == .failure(.startedBefore))
    #expect(answer(.start, machine(.start, .failed("no device"))) == .failure(.startedBefore))
  }

  @Test("stopping again does nothing, and neither does cancelling what is being finished or is over")
  func repeated() {
    for over in [
      machine(.start, .opened, .stop), machine(.start, .opened, .stop, .drained),
      machine(.start, .opened, .stop, .drained, .finished),
    ] {
      #expect(answer(.stop, over) == .success(.nothing))
    }
    let finishing = machine(.start, .opened, .stop, .drained)
    #expect(answer(.cancel, finishing) == .success(.nothing))
    #expect(machine(.start, .opened, .stop, .drained, .cancel, .finished).publicState == .completed)
    #expect(machine(.start, .opened, .stop, .drained, .finished, .cancel).publicState == .completed)
  }

  @Test("a device that ends by itself has the file finished")
  func endsByItself() {
    #expect(answer(.drained, machine(.start, .opened)) == .success(.finishFile))
  }

  @Test("a stop that comes while it is being opened is done as soon as it is open")
  func stoppedWhileStarting() {
    #expect(answer(.stop, machine(.start)) == .success(.nothing))
    #expect(answer(.opened, machine(.start, .stop)) == .success(.recordRest))
    #expect(machine(.start, .stop, .opened, .drained, .finished).publicState == .completed)
  }

  @Test("a failed start is a failure, not a cancellation, and leaves no file")
  func failedStart() {
    #expect(answer(.failed("no device"), machine(.start)) == .success(.discard))
    let failed = machine(.start, .failed("no device"))
    #expect(failed.publicState == .failed)
    #expect(failed.failure == "no device")
    #expect(machine(.start, .failed("no device"), .cancel).publicState == .failed)
  }

  @Test("a failure stops the capture, finishes the file, and the first one is what is told")
  func failure() throws {
    var machine = machine(.start, .opened)
    #expect(try machine.handle(.failed("the server is gone")) == .stopCapture)
    #expect(try machine.handle(.failed("and the disk is full")) == .nothing)
    #expect(try machine.handle(.drained) == .finishFile)
    #expect(machine.publicState == .running)
    #expect(try machine.handle(.finished) == .announce)
    #expect(machine.publicState == .failed)
    #expect(machine.failure == "the server is gone")
  }

  @Test("a file that cannot be finished makes a failure of a success, and its error tells where the sound is")
  func failureAtTheEnd() {
    let failed = machine(.start, .opened, .stop, .drained, .failed("the disk is full"), .finished)
    #expect(failed.publicState == .failed)
    let twice = machine(.start, .opened, .failed("the server is gone"), .drained, .failed("kept in x"), .finished)
    #expect(twice.failure == "kept in x")
  }

  @Test("what is cancelled leaves nothing, and stopping or starting it then is refused")
  func cancelled() {
    for before in [machine(.start, .opened), machine(.start, .opened, .stop)] {
      #expect(answer(.cancel, before) == .success(.discard))
    }
    let cancelled = machine(.start, .opened, .cancel)
    #expect(cancelled.publicState == .cancelled)
    #expect(answer(.drained, cancelled) == .success(.nothing))
    #expect(answer(.stop, cancelled) == .failure(.cancelled))
    #expect(answer(.start, machine(.cancel)) == .failure(.cancelled))
  }

  @Test("what is cancelled while it is being opened is removed as soon as it is open")
  func cancelledWhileStarting() {
    #expect(answer(.cancel, machine(.start)) == .success(.nothing))
    #expect(answer(.opened, machine(.start, .cancel)) == .success(.discard))
    #expect(answer(.failed("no device"), machine(.start, .cancel)) == .success(.discard))
    #expect(machine(.start, .cancel, .opened).publicState == .cancelled)
  }

  @Test("whatever happens in whatever order, a final state stays what it is")
  func finalStates() {
    let events: [Machine.Event] = [.start, .opened, .stop, .failed("late"), .drained, .finished, .cancel]
    for first in events {
      for second in events {
        for third in events {
          let completed = machine(.start, .opened, .drained, .finished, first, second, third)
          #expect(completed.publicState == .completed)
          #expect(completed.failure == nil)
          #expect(machine(.start, .failed("early"), first, second, third).publicState == .failed)
          #expect(machine(.start, .opened, .cancel, first, second, third).publicState == .cancelled)
        }
      }
    }
  }
}
