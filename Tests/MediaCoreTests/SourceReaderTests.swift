import MediaCore
import TestSupport
import Testing

/// All reading goes through `SourceReader`: short reads, failures and reopening are its business alone.
@Suite(.inTurn) struct SourceReaderTests {
  private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private func source(_ faults: FaultySource.Faults) -> FaultySource {
    FaultySource(MemorySource(bytes, name: "tune.mp4"), faults)
  }

  @Test("reads that deliver a byte at a time add up to the whole", arguments: [1, 2, 3, 7, 999, 1000])
  func gathersShortReads(longest: Int) throws {
    var faults = FaultySource.Faults()
    faults.longestRead = longest
    let source = source(faults)
    #expect(try SourceReader(source).bytes(at: 0, count: 1000) == bytes)
    #expect(source.reads == (1000 + longest - 1) / longest)
  }

  @Test("a range is clipped to the source, and nothing is read or allocated after its end")
  func clipsToSource() throws {
    let source = source(.init())
    let reader = SourceReader(source)
    #expect(try reader.bytes(at: 990, count: .max) == Array(bytes[990...]))
    #expect(source.reads == 1)
    #expect(try reader.bytes(at: 1000, count: 1).isEmpty)
    #expect(try reader.bytes(at: .max, count: .max).isEmpty)
    #expect(try reader.bytes(at: 0, count: 0).isEmpty)
    #expect(try reader.bytes(at: 0, count: -1).isEmpty)
    #expect(source.reads == 1)
  }

  @Test("after a failure the source is reopened, and the same bytes are asked for again")
  func reopensAndGoesOn() throws {
    for failing in 0..<10 {
      var faults = FaultySource.Faults.failing(failing)
      faults.longestRead = 100
      let source = source(faults)
      #expect(try SourceReader(source).bytes(at: 0, count: 1000) == bytes)
      #expect(source.reopens == 1)
      #expect(source.reads == 11)
    }
  }

  @Test("failures far apart are all survived, however many: only those in a row count")
  func countsFailuresInARow() throws {
    var faults = FaultySource.Faults()
    faults.longestRead = 10
    faults.failingReads = Set(stride(from: 0, to: 200, by: 2))
    let source = source(faults)
    #expect(try SourceReader(source, attempts: 1).bytes(at: 0, count: 1000) == bytes)
    #expect(source.reopens == 100)
  }

  @Test("after as many failures in a row as attempts the error is passed on, with its place", arguments: 0...4)
  func givesUp(attempts: Int) throws {
    var faults = FaultySource.Faults()
    faults.longestRead = 400
    faults.failingReads = Set(1...attempts + 1)
    let source = source(faults)
    let reader = SourceReader(source, attempts: attempts)
    let error = #expect(throws: SourceError.self) { try reader.bytes(at: 100, count: 800) }
    #expect(error == SourceError(FaultySource.failure, name: "tune.mp4", offset: 500))
    #expect(source.reads == attempts + 2)
    #expect(source.reopens == attempts)
    // One failure fewer is survived.
    faults.failingReads = Set(1..<attempts + 1)
    #expect(try SourceReader(self.source(faults), attempts: attempts).bytes(at: 100, count: 800).count == 800)
  }

  @Test("a reopening that fails counts as a failure, and one that works later is enough")
  func retriesReopening() throws {
    var faults = FaultySource.Faults.failing(0)
    faults.failingReopens = 2
    let patient = source(faults)
    #expect(try SourceReader(patient, attempts: 3).bytes(at: 0, count: 1000) == bytes)
    #expect(patient.reopens == 3)
    let hasty = source(faults)
    #expect(throws: SourceError.self) { try SourceReader(hasty, attempts: 2).bytes(at: 0, count: 1000) }
    #expect(hasty.reopens == 2)
  }

  @Test("a source that is another one after reopening is given up at once")
  func doesNotMixSources() throws {
    var faults = FaultySource.Faults.failing(0)
    faults.isChanged = true
    let source = source(faults)
    let error = #expect(throws: SourceError.self) { try SourceReader(source, attempts: 9).bytes(at: 0, count: 10) }
    #expect(error?.code == .changed)
    #expect(source.reopens == 1)
    #expect(error?.description == "tune.mp4: changed while it was read; open it again")
  }

  @Test("a source shorter than it said ends early, at the byte where it did")
  func endsEarly() throws {
    var faults = FaultySource.Faults()
    faults.end = 600
    let reader = SourceReader(source(faults), attempts: 2)
    #expect(try reader.bytes(at: 500, count: 100) == Array(bytes[500..<600]))
    let error = #expect(throws: SourceError.self) { try reader.bytes(at: 500, count: 101) }
    #expect(error == SourceError(.endedEarly, name: "tune.mp4", offset: 600))
  }

  @Test("a reader's copies are one reader, two readers over one source are not")
  func knowsItself() {
    let memory = MemorySource([])
    let reader = SourceReader(memory)
    let copy = reader
    #expect(reader.isSame(as: copy))
    #expect(!reader.isSame(as: SourceReader(memory)))
  }

  @Test("a payload that is a range is read when asked for, whole or not at all")
  func loadsRanges() throws {
    let reader = SourceReader(source(.init()))
    #expect(try Array(MediaData.range(reader, offset: 3, count: 5).load()) == Array(bytes[3..<8]))
    #expect(try MediaData.range(reader, offset: 1000, count: 0).load().isEmpty)
    #expect(MediaData.range(reader, offset: 3, count: 5).count == 5)
    #expect(MediaData.bytes(bytes[2..<4]).count == 2)
    let error = #expect(throws: SourceError.self) { try MediaData.range(reader, offset: 990, count: 20).load() }
    #expect(error == SourceError(.endedEarly, name: "tune.mp4", offset: 1000))
  }

  @Test("the state machine gives up after so many failures in a row, and starts anew after progress")
  func countsAsAMachine() {
    var machine = ReadRecovery(attempts: 2)
    #expect(machine.handle(.failed) == .reopen)
    #expect(machine.handle(.failed) == .reopen)
    #expect(machine.handle(.progressed) == .proceed)
    #expect(machine == ReadRecovery(attempts: 2))
    #expect(machine.handle(.failed) == .reopen)
    #expect(machine.handle(.failed) == .reopen)
    #expect(machine.handle(.failed) == .giveUp)
    #expect(machine.handle(.failed) == .giveUp)
    var none = ReadRecovery(attempts: 0)
    #expect(none.handle(.failed) == .giveUp)
  }
}
