import AudioIO
import MediaCore
import Synchronization
import TestSupport
import Testing

/// Devices whose owner goes away, and formats that no device has.
@Suite(.inTurn)
struct OwnerTests {
  private let format = AudioFormat(sampleRate: 8000, layout: .mono)

  @Test("a renderer that nobody holds any more calls back no more, and its device is closed")
  func droppedRenderer() throws {
    let clock = ManualClock()
    let calls = Calls()
    var renderer: AudioRenderer? = try unsafe AudioRenderer(
      device: DeviceName("null"), format: format, clock: clock
    ) {
      calls.count.add(1, ordering: .relaxed)
      return Rendered(frames: $0.count / 2)
    }
    try renderer?.start()
    clock.advance(by: .milliseconds(100))
    let before = calls.count.load(ordering: .relaxed)
    #expect(before == 4 && clock.runningTimers == 1)
    renderer = nil
    clock.advance(by: .seconds(10))
    #expect(calls.count.load(ordering: .relaxed) == before)
    #expect(clock.runningTimers == 0)
  }

  private final class Calls: Sendable { let count = Atomic<Int>(0) }

  @Test(
    "who waits to feed a renderer is let go when it is stopped, and when nobody holds it any more",
    arguments: [true, false])
  func droppedFeed(isStopped: Bool) async throws {
    let feed = RenderFeed(format: format, capacity: .milliseconds(100))
    var renderer: AudioRenderer? = try AudioRenderer(
      device: DeviceName("null"), feed: feed, clock: ManualClock())
    try renderer?.start()
    let writer = Task.detached { try feed.write(counting(0..<100_000)) }
    waitUntil { feed.queuedFrames >= 800 }
    if isStopped { renderer?.stop() } else { renderer = nil }
    #expect(try await writer.value == .closed)
    withExtendedLifetime(renderer) {}
  }

  @Test("a capture that nobody holds any more closes its device")
  func droppedCapture() throws {
    let clock = ManualClock()
    var capture: AudioCapture? = try AudioCapture(device: DeviceName("tone:440"), clock: clock)
    try capture?.start()
    #expect(clock.runningTimers == 1)
    capture = nil
    #expect(clock.runningTimers == 0)
  }

  @Test("a feed that was finished takes no more, and can be finished again")
  func finishedFeed() throws {
    let feed = RenderFeed(format: format)
    #expect(try feed.write(counting(0..<10)) == .written)
    feed.finish()
    feed.finish()
    #expect(audioError { _ = try feed.write(counting(0..<10)) }?.code == .wrongState)
    #expect(feed.queuedFrames == 10)
  }

  @Test(
    "a rate or a number of channels that no device has is refused, and takes no memory",
    arguments: [
      AudioFormat(sampleRate: 0), AudioFormat(sampleRate: -1), AudioFormat(sampleRate: .max),
      AudioFormat(sampleRate: .min),
      AudioFormat(sampleRate: Int(UInt32.max)), AudioFormat(sampleRate: 768_001),
      AudioFormat(sampleRate: 48_000, channels: .max),
      AudioFormat(sampleRate: .max, sampleFormat: .float32, channels: 65_535),
      AudioFormat(sampleRate: 8000, channels: 65),
    ])
  func absurdFormats(format: AudioFormat) throws {
    for device in ["null", "file:/nonexistent/out.wav", "default"] {
      let error = audioError {
        _ = try AudioRenderer(
          device: DeviceName(device), feed: RenderFeed(format: format, capacity: .seconds(60)))
      }
      #expect(error?.code == .formatOutOfRange(format))
    }
    let error = audioError { _ = try AudioCapture(device: DeviceName("tone:440"), format: format) }
    #expect(error?.code == .formatOutOfRange(format))
    #expect(error?.description.contains("\(format.sampleRate) Hz") == true)
  }

  @Test("the widest format that is taken works, in no more memory than its ring may have")
  func widestFormat() throws {
    let widest = AudioFormat(sampleRate: 768_000, sampleFormat: .float32, channels: 64)
    let clock = ManualClock()
    let capture = try AudioCapture(
      device: DeviceName("tone:440"), format: widest,
      options: AudioOptions(buffer: .milliseconds(2)), clock: clock)
    try capture.start()
    clock.advance(by: .milliseconds(2))
    #expect(
      try capture.collect(frames: 1536, within: .zero).map(\.payload.frameCount).reduce(0, +) == 1536
    )
    capture.stop()
    let feed = RenderFeed(format: widest, capacity: .seconds(60))
    #expect(feed.queuedFrames == 0)
  }

  @Test(
    "a feed for a format that no device has, and for ever, is made, and holds what is written to it",
    arguments: [Int.min, 0, .max], [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)])
  func boundedFeed(rate: Int, capacity: Duration) throws {
    let format = AudioFormat(sampleRate: rate, sampleFormat: .float32, channels: .max)
    let feed = RenderFeed(format: format, capacity: capacity)
    let frame = PCMBuffer([Float](repeating: 0, count: format.channels), sampleRate: rate, layout: format.layout)
    #expect(try feed.write(frame) == .written)
    #expect(feed.queuedFrames == 1)
  }
}
