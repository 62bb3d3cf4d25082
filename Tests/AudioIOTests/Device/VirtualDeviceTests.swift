import AudioIO
import Foundation
import MediaCore
import TestSupport
import Testing
import PCM
import Synchronization

/// Devices without hardware, on a clock that the test moves.
@Suite(.inTurn) struct VirtualDeviceTests {
  private let clock = ManualClock()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func file(_ buffer: PCMBuffer) throws -> String {
    let path = folder.path("in.wav")
    var writer = try WAVWriter(path: path, format: buffer.format)
    try writer.append(buffer)
    _ = try writer.finish()
    return path
  }

  @Test("a tone has its frequency, in both sample formats", arguments: [AudioFormat.SampleFormat.int16, .float32])
  func tone(sampleFormat: AudioFormat.SampleFormat) throws {
    let format = AudioFormat(sampleRate: 48_000, sampleFormat: sampleFormat, layout: .stereo)
    let capture = try AudioCapture(device: DeviceName("tone:440"), format: format, clock: clock)
    try capture.start()
    clock.advance(by: .seconds(1))
    capture.stop()
    let buffers = try capture.collect()
    #expect(buffers.allSatisfy { $0.payload.format == format })
    #expect(gaps(in: buffers).allSatisfy { $0 == 0 })
    let floats = buffers.flatMap(\.payload.floats)
    #expect(floats.count == 96_000)
    let left = stride(from: 0, to: floats.count, by: 2).map { floats[$0] }
    #expect(abs(frequency(of: left, rate: 48_000) - 440) < 0.01)
    #expect(left == stride(from: 1, to: floats.count, by: 2).map { floats[$0] })
    #expect((left.max() ?? 0) > 0.49 && (left.max() ?? 0) <= 0.5)
  }

  @Test("a file is captured whole, at the pace of the clock, and then ends")
  func fileCapture() throws {
    let sound = counting(0..<20_000, layout: .stereo)
    let capture = try AudioCapture(device: DeviceName("file:\(try file(sound))"), clock: clock)
    #expect(capture.format == sound.format)
    try capture.start()
    clock.advance(by: .seconds(1))
    let first = try capture.collect(within: .zero)
    #expect(first.map(\.payload.frameCount).reduce(0, +) == 8000)
    clock.advance(by: .seconds(2))
    let rest = try capture.collect(within: .zero)
    #expect((first + rest).flatMap(\.payload.int16s) == sound.int16s)
    guard case .ended = try capture.next(within: .zero) else {
      Issue.record("it has not ended")
      return
    }
  }

  @Test("times of samples count their frames, and host times follow the device's clock")
  func times() throws {
    let capture = try AudioCapture(device: DeviceName("tone:100"), format: AudioFormat(sampleRate: 8000), clock: clock)
    try capture.start()
    clock.advance(by: .seconds(1))
    var end: Int64 = 0
    while case .sample(let sample, let hostTime) = try capture.next(within: .zero) {
      #expect(sample.position == end && sample.timing.decodeTime == end && sample.timing.timescale == 8000)
      #expect(sample.timing.duration == Int64(sample.payload.frameCount))
      #expect(abs(hostTime - sample.position * 125_000) < 1000)
      end = sample.end
    }
    #expect(end == 8000)
    capture.stop()
  }

  @Test("what nobody fetches in time is lost and counted, and the next sample begins later by as much")
  func overrun() throws {
    let capture = try AudioCapture(device: DeviceName("tone:100"), format: AudioFormat(sampleRate: 8000), clock: clock)
    try capture.start()
    clock.advance(by: .seconds(20))
    let early = try capture.collect(within: .zero)
    #expect(gaps(in: early).allSatisfy { $0 == 0 } && capture.lostFrames == 0)
    clock.advance(by: .seconds(1))
    let late = try capture.collect(within: .zero)
    #expect(late.last?.end == 168_000)
    let lost = gaps(in: early + late)[early.count...]
    #expect(lost.first == Int64(capture.lostFrames) && lost.dropFirst().allSatisfy { $0 == 0 })
    #expect(capture.lostFrames > 10 * 8000)
    capture.stop()
  }

  @Test("what is lost at the very end is counted too, and a sample without frames says how far it goes")
  func lostAtTheEnd() throws {
    let format = AudioFormat(sampleRate: 8000, sampleFormat: .float32, layout: .mono)
    let capture = try AudioCapture(device: DeviceName("tone:100"), format: format, clock: clock)
    try capture.start()
    clock.advance(by: .seconds(20))
    capture.stop()
    let samples = try capture.collect(within: .zero)
    #expect(gaps(in: samples).dropLast().allSatisfy { $0 == 0 })
    let fetched = samples.map(\.payload.frameCount).reduce(0, +)
    #expect(fetched < 160_000)
    #expect(capture.lostFrames == 160_000 - fetched)
    #expect(samples.last?.position == 160_000 && samples.last?.payload.frameCount == 0)
    #expect(samples.last?.payload.format == format)
    guard case .ended = try capture.next(within: .zero) else { return #expect(Bool(false), "it has not ended") }
    #expect(capture.lostFrames == 160_000 - fetched)
  }

  @Test("a file is captured in any format that its own can be converted to, as long as its sound is")
  func converted() throws {
    let path = try file(counting(0..<8000))
    let asked = AudioFormat(sampleRate: 44_100, layout: .stereo)
    let capture = try AudioCapture(device: DeviceName("file:\(path)"), format: asked, clock: clock)
    #expect(capture.format == asked)
    try capture.start()
    clock.advance(by: .seconds(2))
    #expect(try capture.collect(within: .zero).last?.end == 44_100)
    capture.stop()
  }

  @Test("a file that cannot be mixed as asked, a missing one, and devices of the wrong direction are refused")
  func refused() throws {
    let path = try file(counting(0..<10))
    let asked = AudioFormat(sampleRate: 44_100, channels: 12)
    let error = audioError { _ = try AudioCapture(device: DeviceName("file:\(path)"), format: asked) }
    #expect(error?.code == .formatNotSupported(asked, device: AudioFormat(sampleRate: 8000, layout: .mono)))
    let missing = audioError { _ = try AudioCapture(device: DeviceName("file:/nothing.wav")) }
    #expect(missing?.description == "file:/nothing.wav: no such file")
    #expect(audioError { _ = try AudioCapture(device: DeviceName("null")) }?.code == .wrongDirection(.playback))
    #expect(
      audioError { _ = try AudioRenderer(device: DeviceName("tone:1"), feed: RenderFeed(format: asked)) }?.code
        == .wrongDirection(.capture))
  }

  @Test("what is fed is rendered, exactly, and it is over when the last frame was heard")
  func render() throws {
    let sound = counting(0..<12_000, layout: .stereo)
    let feed = RenderFeed(format: sound.format, capacity: .seconds(2))
    let path = folder.path("out.wav")
    let renderer = try AudioRenderer(device: DeviceName("file:\(path)"), feed: feed, clock: clock)
    #expect(try feed.write(sound) == .written)
    feed.finish()
    try renderer.start()
    clock.advance(by: .seconds(1))
    // A period of 25 ms is on its way.
    #expect(renderer.position == 8000 - 200)
    #expect(!renderer.isOver)
    clock.advance(by: .milliseconds(500))
    #expect(!renderer.isOver)
    clock.advance(by: .milliseconds(25))
    #expect(renderer.isOver)
    #expect(renderer.position == 12_000)
    #expect(renderer.underruns == 0)
    renderer.stop()
    renderer.stop()
    var wav = try PCMFileReader(path: path)
    #expect(try wav.next(frames: 20_000)?.payload == sound)
    #expect(try wav.next() == nil)
  }

  @Test("a feeder that stalls is heard as counted silence, and playing goes on at the right place")
  func underrun() throws {
    let format = AudioFormat(sampleRate: 8000, layout: .mono)
    let feed = RenderFeed(format: format, capacity: .seconds(2))
    let path = folder.path("out.wav")
    let renderer = try AudioRenderer(device: DeviceName("file:\(path)"), feed: feed, clock: clock)
    try renderer.start()
    // Before the first sound nothing is missed.
    clock.advance(by: .milliseconds(100))
    #expect(renderer.underruns == 0)
    #expect(try feed.write(counting(1..<1101)) == .written)
    clock.advance(by: .milliseconds(250))
    #expect(renderer.underruns == 1)
    #expect(renderer.silentFrames == 900)
    #expect(renderer.position == 1100)
    #expect(try feed.write(counting(1101..<2001)) == .written)
    feed.finish()
    clock.advance(by: .milliseconds(200))
    #expect(renderer.isOver)
    #expect(renderer.position == 2000)
    #expect(renderer.underruns == 1)
    renderer.stop()
    var wav = try PCMFileReader(path: path)
    let heard = try wav.next(frames: 20_000)?.payload.int16s ?? []
    let silence = { [Int16](repeating: 0, count: $0) }
    #expect(heard == silence(800) + counting(1..<1101).int16s + silence(900) + counting(1101..<2001).int16s)
  }

  @Test("while it is paused nothing is taken and the position stands still")
  func pause() throws {
    let feed = RenderFeed(format: AudioFormat(sampleRate: 8000, layout: .mono), capacity: .seconds(2))
    let renderer = try AudioRenderer(device: DeviceName("null"), feed: feed, clock: clock)
    #expect(try feed.write(counting(0..<8000)) == .written)
    try renderer.start()
    clock.advance(by: .milliseconds(500))
    renderer.setPaused(true)
    clock.advance(by: .seconds(5))
    #expect(renderer.position == 3800)
    #expect(feed.queuedFrames == 4000)
    renderer.setPaused(false)
    clock.advance(by: .milliseconds(25))
    #expect(renderer.position == 4000)
    renderer.stop()
  }

  @Test("a renderer that is stopped is over, and what was heard last stays known")
  func overWhenStopped() throws {
    let sound = counting(0..<8000)
    let feed = RenderFeed(format: sound.format, capacity: .seconds(1))
    let renderer = try AudioRenderer(device: DeviceName("null"), feed: feed, clock: clock)
    #expect(try feed.write(sound) == .written)
    try renderer.start()
    clock.advance(by: .milliseconds(500))
    #expect(!renderer.isOver && renderer.position == 3800)
    renderer.stop()
    #expect(renderer.isOver && renderer.position == 3800)
  }

  @Test("a pull callback is asked until it says that it is over, and never after that or a stop")
  func callback() throws {
    let format = AudioFormat(sampleRate: 8000, layout: .mono)
    let calls = Mutex(0)
    let renderer = try unsafe AudioRenderer(device: DeviceName("null"), format: format, clock: clock) { memory in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      return Rendered(frames: memory.count / 2, isLast: call == 2)
    }
    try renderer.start()
    clock.advance(by: .milliseconds(200))
    #expect(renderer.isOver)
    #expect(renderer.position == 400 && calls.withLock { $0 } == 2)
    renderer.stop()
    clock.advance(by: .milliseconds(200))
    #expect(calls.withLock { $0 } == 2)
    #expect(audioError { try renderer.start() }?.code == .wrongState)
  }

  @Test("a feed that is full makes its writer wait, and closing it lets the writer go")
  func backpressure() async throws {
    let format = AudioFormat(sampleRate: 8000, layout: .mono)
    let feed = RenderFeed(format: format, capacity: .milliseconds(100))
    let writer = Task.detached { try feed.write(counting(0..<100_000)) }
    waitUntil { feed.queuedFrames >= 800 }
    feed.close()
    #expect(try await writer.value == .closed)
  }
}
