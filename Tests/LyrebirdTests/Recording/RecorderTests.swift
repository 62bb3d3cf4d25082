import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Recorders on virtual devices.
@Suite(.inTurn) struct RecorderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func options(seconds: Double? = nil) -> Recorder.Options {
    var options = Recorder.Options()
    options.format = AudioFormat()
    options.duration = seconds.map { .seconds($0) }
    return options
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test("a recording with a limit ends by itself, after just as many frames", arguments: ["wav", "m4a", "aac"])
  func limit(ending: String) async throws {
    let path = folder.path("voice." + ending)
    let clock = ManualClock()
    let recorder = try Recorder(from: DeviceName("tone:440"), to: path, options: options(seconds: 1.5), clock: clock)
    #expect(recorder.status.state == .unknown)
    try await recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(100)) }
    let summary = try await recorder.finished()
    #expect(summary.frames == 66_150)
    #expect(recorder.status.state == .completed)
    #expect(try await recorder.stop() == summary)
    if ending == "wav" { #expect(try PCMFileReader(path: path).frameCount == 66_150) }
    if ending == "m4a" {
      #expect(try MP4Demuxer(path: path).duration == MediaTime(value: 66_150, timescale: 44_100))
    }
  }

  @Test("what a file plays in real time is recorded bit for bit, and when it ends so does the recording")
  func fileToFile() async throws {
    let samples = (0..<100_000).map { Int16(truncatingIfNeeded: $0 &* 7919) }
    let input = folder.path("in.wav")
    var writer = try WAVWriter(path: input, format: AudioFormat())
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
    _ = try writer.finish()
    let output = folder.path("out.wav")
    let clock = ManualClock()
    var options = options()
    options.format = nil
    let recorder = try Recorder(from: DeviceName("file:" + input), to: output, options: options, clock: clock)
    try await recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(50)) }
    let summary = try await recorder.finished()
    #expect(summary.frames == 50_000)
    #expect(summary.gaps == 0)
    var reader = try PCMFileReader(path: output)
    #expect(try reader.next(frames: 60_000)?.payload.int16s == samples)
  }

  /// A clock that lets a minute go by at once, before anyone can fetch what a device delivers in it.
  private struct HastyClock: DeviceClock {
    private struct Timer: DeviceTimer { func stop() {} }
    let now: Int64 = 0

    func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer {
      for time in stride(from: period, to: 60_000_000_000, by: Int64.Stride(period)) { tick(time) }
      return Timer()
    }
  }

  @Test("what is lost at the end of a recording is silence in it, too, and counted")
  func lostAtTheEnd() async throws {
    let input = folder.path("in.wav")
    var writer = try WAVWriter(path: input, format: AudioFormat(sampleRate: 8000, layout: .mono))
    try writer.append(PCMBuffer([Int16](repeating: 1, count: 400_000), sampleRate: 8000, layout: .mono))
    _ = try writer.finish()
    let recorder = try Recorder(from: DeviceName("file:" + input), to: folder.path("out.wav"), clock: HastyClock())
    try await recorder.start()
    let summary = try await recorder.finished()
    #expect(summary.frames == 400_000 && summary.gaps == 1)
    var reader = try PCMFileReader(path: folder.path("out.wav"))
    let heard = try #require(try reader.next(frames: 500_000)).payload.int16s
    #expect(heard.count == 400_000)
    #expect(heard.reduce(0) { $0 + Int($1) } == 400_000 - Int(summary.silentFrames))
  }

  @Test("the level of a tone is the level of a tone")
  func level() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(
      from: DeviceName("tone:440"), to: folder.path("a.wav"), options: options(seconds: 1), clock: clock)
    try await recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(100)) }
    _ = try await recorder.finished()
    let level = recorder.status.level
    #expect(level.channels.count == 2)
    // A sine's mean is its peak over the root of two.
    #expect(abs(Double(level.peak / level.rms) - 2.0.squareRoot()) < 0.05)
    #expect(abs(level.peak - 0.5) < 0.01)
  }

  @Test("a cancelled recording leaves no file, and stopping or starting it then is an error")
  func cancelled() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(from: "tone:440", to: folder.path("a.m4a"), options: options(), clock: clock)
    try await recorder.start()
    clock.advance(by: .seconds(1))
    recorder.cancel()
    #expect(recorder.status.state == .cancelled)
    await #expect(throws: RecordingError(.cancelled, file: folder.path("a.m4a"))) { try await recorder.stop() }
    await #expect(throws: RecordingError(.cancelled, file: folder.path("a.m4a"))) { try await recorder.finished() }
    await #expect(throws: RecordingError(.cancelled, file: folder.path("a.m4a"))) { try await recorder.start() }
    #expect(try names() == [])
  }

  @Test("stopping, or waiting for, what was never started is an error, and leaves no file")
  func notStarted() async throws {
    let path = folder.path("a.m4a")
    let recorder = try Recorder(from: "tone:440", to: path, options: options(), clock: ManualClock())
    await #expect(throws: RecordingError(.notStarted, file: path)) { try await recorder.stop() }
    await #expect(throws: RecordingError(.notStarted, file: path)) { try await recorder.finished() }
    #expect(try names() == [])
  }

  @Test("a start that fails is a failure, not a cancellation, and a second start an error")
  func failedStart() async throws {
    let path = folder.path("missing/a.m4a")
    let recorder = try Recorder(from: "tone:440", to: path, options: options(), clock: ManualClock())
    await #expect(throws: SinkError.self) { try await recorder.start() }
    #expect(recorder.status.state == .failed)
    await #expect(throws: SinkError.self) { try await recorder.stop() }
    await #expect(throws: RecordingError(.startedBefore, file: path)) { try await recorder.start() }
  }

  @Test("when a recorder says that it has completed, the file has its name", arguments: ["wav", "m4a", "aac"])
  func completedMeansThere(ending: String) async throws {
    let path = folder.path("a." + ending)
    let clock = ManualClock()
    let recorder = try Recorder(from: "tone:440", to: path, options: options(seconds: 1), clock: clock)
    try await recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(100)) }
    #expect(recorder.status.state == .completed)
    #expect(try names() == ["a." + ending])
  }

  @Test("a recorder that its owner lets go of closes the device and finishes the file")
  func dropped() async throws {
    let path = folder.path("a.wav")
    let clock = ManualClock()
    var recorder: Recorder? = try Recorder(from: "tone:440", to: path, options: options(), clock: clock)
    try await recorder?.start()
    clock.advance(by: .seconds(1))
    // What was heard until then is to be in the file.
    let updates = recorder?.updates()
    recorder = nil
    var last: Recorder.Status?
    for await status in try #require(updates) { last = status }
    #expect(last?.state == .completed)
    #expect(last?.summary.frames == 44_100)
    #expect(try PCMFileReader(path: path).frameCount == 44_100)
    // Nothing ticks any more: a clock that goes on meets no device.
    clock.advance(by: .seconds(10))
    #expect(try PCMFileReader(path: path).frameCount == 44_100)
  }

  @Test("what is heard in a pause is not in the file, is not counted, and is no gap")
  func paused() async throws {
    // Samples that count: what is in the file tells when it was heard.
    let samples = (0..<12_000).map { Int16($0) }
    let input = folder.path("in.wav")
    var writer = try WAVWriter(path: input, format: AudioFormat(sampleRate: 8000, channels: 1))
    try writer.append(PCMBuffer(samples, sampleRate: 8000, layout: .mono))
    _ = try writer.finish()
    let clock = ManualClock()
    let recorder = try Recorder(from: DeviceName("file:" + input), to: folder.path("out.wav"), clock: clock)
    try await recorder.start()
    clock.advance(by: .milliseconds(530))
    recorder.setPaused(true)
    #expect(recorder.status.isPaused)
    clock.advance(by: .milliseconds(255))
    recorder.setPaused(false)
    while recorder.status.state == .running { clock.advance(by: .milliseconds(50)) }
    let summary = try await recorder.finished()
    #expect(summary.frames == 12_000 - 2040)
    #expect(summary.gaps == 0)
    var reader = try PCMFileReader(path: folder.path("out.wav"))
    let heard = try #require(try reader.next(frames: 30_000)).payload.int16s
    // 0.530 s and 0.785 s at 8000 frames a second.
    #expect(heard == Array(samples[..<4240] + samples[6280...]))
  }

  @Test("a limit counts what is recorded, not what a pause leaves out")
  func pausedWithLimit() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(from: "tone:440", to: folder.path("a.wav"), options: options(seconds: 1), clock: clock)
    recorder.setPaused(true)
    try await recorder.start()
    clock.advance(by: .seconds(1))
    #expect(recorder.status.state == .running)
    recorder.setPaused(false)
    while recorder.status.state == .running { clock.advance(by: .milliseconds(50)) }
    #expect(try await recorder.finished().frames == 44_100)
  }

  @Test("a duration of more frames than can be counted is no limit")
  func endlessDuration() {
    // So many seconds at 44 100 Hz that the frames of their fraction are too many.
    let seconds = Int64.max / 44_100
    #expect((Duration.seconds(seconds) + .milliseconds(999)).frames(at: 44_100) == .max)
    #expect(Duration.seconds(Int64.max).frames(at: 44_100) == .max)
    #expect(Duration.seconds(Int64.min).frames(at: 44_100) == .min)
    #expect(Duration.milliseconds(1500).frames(at: 44_100) == 66_150)
    for milliseconds in 1...999 {
      #expect(Duration.milliseconds(milliseconds).frames(at: 44_100) == Int64(milliseconds * 44_100 / 1000))
      #expect(Duration.milliseconds(milliseconds).frames(at: 48_000) == Int64(milliseconds * 48))
    }
  }

  @Test("the sequence of updates gives a slow reader only the newest, and ends with how it ended")
  func updates() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(from: "tone:440", to: folder.path("a.wav"), options: options(seconds: 1), clock: clock)
    let (early, second) = (recorder.updates(), recorder.updates())
    try await recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(50)) }
    // The status is complete a moment before the sequences have it; they have it before anyone who waits for the end.
    try await recorder.finished()
    var all: [Recorder.Status] = []
    for await status in early { all.append(status) }
    // Nobody asked until it was over: there is one, the last.
    #expect(all.map(\.state) == [.completed])
    #expect(all.map(\.summary.frames) == [44_100])
    #expect(abs((all.last?.level.channels.first?.peak ?? 0) - 0.5) < 0.01)
    for await status in second { #expect(status.state == .completed) }
    // Who asks when it is over is told at once.
    for await status in recorder.updates() { #expect(status.state == .completed) }
  }

  @Test("whatever its owner asks for at once, a recorder ends, and leaves a whole file or none")
  func atOnce() async throws {
    for round in 0..<60 {
      let clock = ManualClock()
      let path = folder.path("\(round).wav")
      let recorder = try Recorder(from: "tone:440", to: path, options: options(), clock: clock)
      await withTaskGroup(of: Void.self) { group in
        group.addTask { try? await recorder.start() }
        group.addTask { clock.advance(by: .milliseconds(200)) }
        if round % 2 == 0 { group.addTask { recorder.cancel() } }
        if round % 3 == 0 { group.addTask { _ = try? await recorder.stop() } }
        group.addTask { recorder.setPaused(round % 5 == 0) }
      }
      _ = try? await recorder.stop()
      let state = recorder.status.state
      #expect([.completed, .failed, .cancelled].contains(state))
      let isThere = FileManager.default.fileExists(atPath: path)
      #expect(isThere == (state == .completed))
      if isThere { #expect(try PCMFileReader(path: path).frameCount == recorder.status.summary.frames) }
      #expect(try names().allSatisfy { !$0.contains("recording") })
    }
  }

  @Test("where AAC has no such rate or layout as the device, the nearest that it has is asked for")
  func encodable() {
    #expect(Recorder.encodable(AudioFormat(sampleRate: 44_100, channels: 2)) == nil)
    #expect(Recorder.encodable(AudioFormat(sampleRate: 192_000, channels: 2))?.sampleRate == 48_000)
    let many = Recorder.encodable(AudioFormat(sampleRate: 96_000, channels: 12))
    #expect(many == AudioFormat(sampleRate: 96_000, layout: .stereo))
  }

  @Test("who waits for a recording may stop waiting, which leaves it as it is", .timeLimit(.minutes(1)))
  func cancelledWaiting() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(from: "tone:440", to: folder.path("a.wav"), options: options(), clock: clock)
    try await recorder.start()
    let waiting = Task { try await recorder.finished() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    clock.advance(by: .seconds(1))
    #expect(try await recorder.stop().frames > 0)
  }
}
