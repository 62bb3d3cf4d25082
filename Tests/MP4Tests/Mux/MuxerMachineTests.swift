import MediaCore
import TestSupport
import Testing

@testable import MP4

/// The states of a muxer, without a muxer.
@Suite(.inTurn) struct MuxerMachineTests {
  /// The machine after some events, refusals ignored.
  private func machine(_ events: MuxerMachine.Event...) -> MuxerMachine {
    var machine = MuxerMachine()
    for event in events { _ = try? machine.handle(event) }
    return machine
  }

  private func answer(_ event: MuxerMachine.Event, _ machine: MuxerMachine) -> Result<
    MuxerMachine.Action, MuxerMachine.Refusal
  > {
    var machine = machine
    return Result { () throws(MuxerMachine.Refusal) in try machine.handle(event) }
  }

  @Test("the way of a movie: samples, then the end, which can be asked for again")
  func usualWay() {
    #expect(machine().state == .unknown)
    #expect(answer(.append, machine()) == .success(.write))
    #expect(machine(.append).state == .running)
    #expect(answer(.append, machine(.append)) == .success(.write))
    #expect(answer(.finish, machine(.append)) == .success(.complete))
    #expect(machine(.append, .finish).state == .running)
    let done = machine(.append, .finish, .completed)
    #expect(done.state == .completed)
    #expect(answer(.finish, done) == .success(.repeatSummary))
    #expect(answer(.append, done) == .failure(.finished))
    #expect(answer(.cancel, done) == .success(.nothing))
    #expect(machine(.append, .finish, .completed, .cancel, .failed).state == .completed)
  }

  @Test("finishing before any sample fails, and leaves nothing that could be added to")
  func emptyMovie() {
    #expect(answer(.finish, machine()) == .failure(.nothingAppended))
    #expect(machine(.finish).state == .failed)
    #expect(answer(.append, machine(.finish)) == .failure(.failed))
    #expect(answer(.finish, machine(.finish)) == .failure(.failed))
  }

  @Test("a failure gives the output up once, and is final but for cancelling")
  func failure() {
    #expect(answer(.failed, machine(.append)) == .success(.discard))
    let failed = machine(.append, .failed)
    #expect(failed.state == .failed)
    #expect(answer(.failed, failed) == .success(.nothing))
    #expect(answer(.append, failed) == .failure(.failed))
    #expect(answer(.finish, failed) == .failure(.failed))
    #expect(answer(.cancel, failed) == .success(.nothing))
    #expect(machine(.append, .failed, .cancel).state == .cancelled)
  }

  @Test("cancelling gives the output up, and everything is refused from then on")
  func cancelling() {
    for before in [machine(), machine(.append), machine(.append, .finish)] {
      #expect(answer(.cancel, before) == .success(.discard))
    }
    let cancelled = machine(.append, .cancel)
    #expect(cancelled.state == .cancelled)
    #expect(answer(.append, cancelled) == .failure(.cancelled))
    #expect(answer(.finish, cancelled) == .failure(.cancelled))
    #expect(answer(.cancel, cancelled) == .success(.nothing))
    #expect(answer(.completed, cancelled) == .success(.nothing))
  }

  @Test("whatever happens in whatever order, a final state stays what it is")
  func finalStates() {
    for first in MuxerMachine.Event.allCases {
      for second in MuxerMachine.Event.allCases {
        for third in MuxerMachine.Event.allCases {
          let completed = machine(.append, .completed, first, second, third)
          #expect(completed.state == .completed)
          let cancelled = machine(.append, .cancel, first, second, third)
          #expect(cancelled.state == .cancelled)
        }
      }
    }
  }
}
