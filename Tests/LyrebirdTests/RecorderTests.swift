import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Recorders on virtual devices.
struct RecorderTests {
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

  @Test("a recording with a limit ends by itself, after just as many frames", arguments: ["wav", "m4a", "aac"])
  func limit(ending: String) async throws {
    let path = folder.path("voice." + ending)
    let clock = ManualClock()
    let recorder = try Recorder(from: DeviceName("tone:440"), to: path, options: options(seconds: 1.5), clock: clock)
    #expect(recorder.status.state == .unknown)
    try recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(100)) }
    let summary = try await recorder.finished()
    #expect(summary.frames == 66_150)
    #expect(recorder.status.state == .completed)
    #expect(try await recorder.stop() == summary)
    if ending == "wav" { #expect(try WAVReader(path: path).frameCount == 66_150) }
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
    try recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(50)) }
    let summary = try await recorder.finished()
    #expect(summary.frames == 50_000)
    #expect(summary.gaps == 0)
    var reader = try WAVReader(path: output)
    #expect(try reader.next(frames: 60_000)?.int16s == samples)
  }

  @Test("the level of a tone is the level of a tone")
  func level() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(
      from: DeviceName("tone:440"), to: folder.path("a.wav"), options: options(seconds: 1), clock: clock)
    try recorder.start()
    while recorder.status.state == .running { clock.advance(by: .milliseconds(100)) }
    _ = try await recorder.finished()
    let level = recorder.status.level
    // A sine's mean is its peak over the root of two.
    #expect(abs(Double(level.peak / level.rms) - 2.0.squareRoot()) < 0.05)
  }

  @Test("a cancelled recording leaves no file, and stopping it then is over at once")
  func cancelled() async throws {
    let clock = ManualClock()
    let recorder = try Recorder(
      from: DeviceName("tone:440"), to: folder.path("a.m4a"), options: options(), clock: clock)
    try recorder.start()
    clock.advance(by: .seconds(1))
    recorder.cancel()
    _ = try await recorder.stop()
    #expect(recorder.status.state == .cancelled)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
  }

  @Test("where AAC has no such rate or layout as the device, the nearest that it has is asked for")
  func encodable() {
    #expect(Recorder.encodable(AudioFormat(sampleRate: 44_100, channels: 2)) == nil)
    #expect(Recorder.encodable(AudioFormat(sampleRate: 192_000, channels: 2))?.sampleRate == 48_000)
    let many = Recorder.encodable(AudioFormat(sampleRate: 96_000, channels: 12))
    #expect(many == AudioFormat(sampleRate: 96_000, layout: .stereo))
  }
}
