import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// How players begin and end, on a virtual device whose clock the test moves.
@Suite(.alone)
struct PlayerLifeTests {
  private let folder: TemporaryFolder
  private let input: String
  private let clock = ManualClock()

  init() throws {
    folder = try TemporaryFolder()
    input = folder.path("in.wav")
    var writer = try WAVWriter(path: input, format: AudioFormat())
    try writer.append(
      PCMBuffer(
        (0..<88_200).map { Int16(truncatingIfNeeded: $0 | 1) }, sampleRate: 44_100, layout: .stereo)
    )
    try writer.finish()
  }

  private func player(device: String = "null") throws -> Player {
    try Player(path: input, device: DeviceName(device), clock: clock)
  }

  /// Lets half a buffer go by as soon as there is so much to be heard.
  private func step(_ player: Player) async throws {
    while player.status.state == .running, !player.holds(frames: 2205) {
      try await Task.sleep(for: .milliseconds(1))
    }
    clock.advance(by: .milliseconds(50))
  }

  private func code(_ body: () async throws -> Void) async -> AudioIOError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? AudioIOError)?.code
    }
  }

  @Test(
    "a player that nobody holds any more stops: its device is closed, its file is there, its thread lets go of it"
  )
  func dropped() async throws {
    let output = folder.path("heard.wav")
    var player: Player? = try player(device: "file:" + output)
    weak let core = player?.core
    try player?.play()
    for _ in 0..<3 { try await step(#require(player)) }
    #expect(clock.runningTimers == 1)
    player = nil
    while core != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(clock.runningTimers == 0)
    var heard = try PCMFileReader(path: output)
    #expect(try heard.next(frames: 1 << 20)?.payload.frameCount == 3 * 2205)
  }

  @Test("a player that never played is gone when nobody holds it any more")
  func droppedEarly() throws {
    var player: Player? = try player()
    weak let core = player?.core
    #expect(core != nil)
    player = nil
    #expect(core == nil)
  }

  @Test(
    "playing twice, after a stop and after the end is an error, and so is waiting before playing")
  func wrongOrder() async throws {
    let player = try player()
    #expect(await code { try await player.finished() } == .notStarted)
    try player.play()
    #expect(await code { try player.play() } == .wrongState)
    while player.status.state == .running { try await step(player) }
    #expect(player.status.state == .completed)
    #expect(await code { try player.play() } == .wrongState)
    player.seek(to: 0)
    player.stop()
    #expect(try await player.finished().state == .completed)
    #expect(clock.runningTimers == 0)
  }

  @Test("a player that is stopped before it plays is cancelled, and cannot be played any more")
  func stoppedEarly() async throws {
    let player = try player()
    player.stop()
    #expect(try await player.finished().state == .cancelled)
    #expect(await code { try player.play() } == .wrongState)
    #expect(clock.runningTimers == 0)
  }

  @Test("it is completed only when the last frame was heard, and the file of its device is there")
  func completedLate() async throws {
    let output = folder.path("heard.wav")
    let player = try player(device: "file:" + output)
    try player.play()
    // 44 100 frames are 20 periods; the last one is heard when another one has gone by.
    for _ in 0..<20 { try await step(player) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(player.status.state == .running && player.status.position == 44_100 - 2205)
    #expect(!FileManager.default.fileExists(atPath: output))
    clock.advance(by: .milliseconds(50))
    let status = try await player.finished()
    #expect(
      status
        == Player.Status(state: .completed, position: 44_100, underruns: 0, concealedPackets: 0))
    #expect(FileManager.default.fileExists(atPath: output))
  }

  @Test("a player that is stopped while it seeks is cancelled, and nothing is played any more")
  func stoppedInSeek() async throws {
    let player = try player()
    try player.play()
    try await step(player)
    player.seek(to: 30_000)
    player.stop()
    #expect(try await player.finished().state == .cancelled)
    // Whether it got there or not, nothing was heard from there on.
    #expect([0, 2205, 30_000].contains(player.status.position))
    #expect(clock.runningTimers == 0)
  }

  @Test("a device whose file cannot be finished fails the player")
  func unfinishedFile() async throws {
    let sub = folder.path("sub")
    try FileManager.default.createDirectory(atPath: sub, withIntermediateDirectories: false)
    let player = try player(device: "file:" + sub + "/heard.wav")
    try player.play()
    try await step(player)
    try FileManager.default.removeItem(atPath: sub)
    while player.status.state == .running { try await step(player) }
    guard case .file = await code({ try await player.finished() }) else {
      return #expect(Bool(false), "it failed")
    }
    #expect(player.status.state == .failed)
  }

  @Test("a cancelled task waits no longer, and the player goes on")
  func cancelledWaiting() async throws {
    let player = try player()
    try player.play()
    let waiting = Task { try await player.finished() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(player.status.state == .running)
    while player.status.state == .running { try await step(player) }
    #expect(try await player.finished().state == .completed)
  }

  @Test("updates without a pause come once a millisecond at most")
  func hastyUpdates() async throws {
    let player = try player()
    try player.play()
    let start = ContinuousClock.now
    var count = 0
    for await _ in player.updates(every: .zero) {
      count += 1
      if count == 101 { break }
    }
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    player.stop()
  }

  @Test("updates tell the position now and then, last of all how it ended, and keep nobody going")
  func updates() async throws {
    var player: Player? = try player()
    let updates = try #require(player).updates(every: .milliseconds(1))
    try player?.play()
    var statuses: [Player.Status] = []
    for await status in updates {
      statuses.append(status)
      if status.position < 10_000, let player { try await step(player) } else { player = nil }
    }
    #expect(statuses.count > 4)
    #expect(statuses.map(\.position) == statuses.map(\.position).sorted())
    #expect(statuses.dropLast().allSatisfy { $0.state == .running })
    #expect(statuses.last?.state == .cancelled)
  }
}
