import Foundation
import Lyrebird
import TestSupport
import Testing

/// Six hours of a device whose crystal is not quite right, in as long as their work takes:
///
///     LYREBIRD_EXHAUSTIVE=1 swift test -c release -Xswiftc -enable-testing --filter LongRecordingTests
@Suite(.alone, .needs(.patience))
struct LongRecordingTests {
  private static let seconds = 6 * 3600
  private static let format = AudioFormat(sampleRate: 8000, channels: 1)
  private static let packet = 1024
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A manual clock whose devices are so many millionths too slow.
  private struct DriftingClock: DeviceClock {
    let base = ManualClock()
    let millionths: Int64
    var now: Int64 { base.now }

    func every(_ period: Int64, _ tick: @escaping @Sendable (Int64) -> Void) -> any DeviceTimer {
      base.every(slowed(period), tick)
    }

    func slowed(_ period: Int64) -> Int64 { period + period * millionths / 1_000_000 }
  }

  /// Bytes of memory that this process occupies.
  private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * sysconf(Int32(_SC_PAGESIZE))
  }

  @Test(
    "six hours of a device 100 ppm off are as long as its frames, timed without drift, in no more memory than one hour",
    arguments: [-100, 100] as [Int64])
  func sixHours(millionths: Int64) async throws {
    let clock = DriftingClock(millionths: millionths)
    let path = folder.path("long.m4a")
    var options = Recorder.Options()
    options.format = LongRecordingTests.format
    options.writer.bitRate = 16_000
    let recorder = try Recorder(from: DeviceName("tone:440"), to: path, options: options, clock: clock)
    // Hears what the recorder hears, to see the times.
    let capture = try AudioCapture(
      device: DeviceName("tone:440"), format: LongRecordingTests.format, options: options.audio, clock: clock)
    try await recorder.start()
    try capture.start()
    var times = TimeCheck(rate: 8000 / (1 + Double(millionths) / 1e6))
    var memoryAfterHour = 0
    for second in 1...LongRecordingTests.seconds {
      clock.base.advance(by: .seconds(1))
      // The device's queue holds two seconds: time must not run ahead of the recorder.
      let due = UInt64(Double(second) * times.rate)
      while recorder.status.summary.frames + 8000 < due { try await Task.sleep(for: .microseconds(100)) }
      while case .sample(let sample, let hostTime) = try capture.next(within: .zero) { times.note(sample, hostTime) }
      if second == 3600 { memoryAfterHour = try residentBytes() }
    }
    let memory = try residentBytes()
    let growth = memory - memoryAfterHour
    let summary = try await recorder.stop()
    capture.stop()

    let period = 50_000_000 as Int64
    let ticks = Int64(LongRecordingTests.seconds) * 1_000_000_000 / clock.slowed(period)
    #expect(summary.frames == UInt64(ticks) * 400)
    #expect(summary.gaps == 0)
    #expect(times.frames == Int64(summary.frames))
    #expect(times.isMonotonic)
    #expect(times.worst < Double(LongRecordingTests.packet) / 8000, "\(times.worst) s")
    #expect(growth < 1 << 20, "\(growth) bytes more after six hours than after one")
    try checkFile(path, frames: Int64(summary.frames))
    print("\(millionths) ppm: \(summary.frames) frames, times off by \(times.worst) s at most,")
    let finished = try residentBytes()
    print("\(memoryAfterHour) bytes after an hour, \(memory) after six, \(finished) when the file was finished")
  }

  /// Compares the times of buffers with what the device's true rate makes of their frame numbers.
  private struct TimeCheck {
    let rate: Double
    var last: Int64?
    var frames: Int64 = 0
    var isMonotonic = true
    /// Seconds.
    var worst = 0.0

    mutating func note(_ sample: PCMSample, _ hostTime: Int64) {
      if let last, hostTime <= last { isMonotonic = false }
      last = hostTime
      let position = sample.timing.presentationTime
      worst = max(worst, abs(Double(hostTime) / 1e9 - Double(position) / rate))
      frames = position + Int64(sample.payload.frameCount)
    }
  }

  /// Each packet is 1024 frames after the one before, and together they are the frames that were captured.
  private func checkFile(_ path: String, frames: Int64) throws {
    let movie = try MP4Demuxer(path: path)
    let track = try #require(movie.audioTrack)
    #expect(track.duration == MediaTime(value: frames, timescale: 8000))
    var samples = movie.samples(of: track)
    var count: Int64 = 0
    while let record = try samples.nextRecord() {
      guard record.decodeTime == count * 1024 else { break }
      count += 1
    }
    #expect(count == Int64(track.sampleCount))
    // The encoder's priming is a packet.
    #expect(0..<1024 ~= count * 1024 - 1024 - frames)
  }
}
