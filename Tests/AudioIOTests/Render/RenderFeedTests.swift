import AudioIO
import MediaCore
import TestSupport
import Testing

extension Need {
  /// The library that speaks to sound servers.
  fileprivate static let soundLibrary = Need("libpulse0", "libpulse.so.0 cannot be loaded") {
    let options = AudioOptions(server: "unix:/nonexistent")
    let error = audioError { _ = try AudioRenderer(feed: RenderFeed(format: AudioFormat()), options: options) }
    return Shared.isEverythingRequired || error?.code != .noLibrary
  }
}

@Suite("A feed of a renderer", .inTurn)
struct RenderFeedTests {
  private let tenth = PCMBuffer([Float](repeating: 0, count: 4800), sampleRate: 48_000, layout: .mono)

  @Test("a writer that waits for room stops once its task is cancelled", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let feed = RenderFeed(format: tenth.format, capacity: .milliseconds(100))
    let buffer = tenth
    let task = Task.detached {
      while try feed.write(buffer) == .written {}
    }
    while feed.queuedFrames < 4800 { await Task.yield() }
    task.cancel()
    let error = await #expect(throws: AudioIOError.self) { try await task.value }
    #expect(error?.code == .cancelled && error?.kind == .cancelled)
  }

  @Test("a renderer that cannot start closes its feed", .needs(.soundLibrary), .timeLimit(.minutes(1)))
  func notStarted() throws {
    let feed = RenderFeed(format: tenth.format, capacity: .milliseconds(100))
    let renderer = try AudioRenderer(feed: feed, options: AudioOptions(server: "unix:/nonexistent"))
    #expect(throws: AudioIOError.self) { try renderer.start() }
    #expect(feed.isClosed)
    #expect(try feed.write(tenth) == .closed)
    withExtendedLifetime(renderer) {}
  }
}
