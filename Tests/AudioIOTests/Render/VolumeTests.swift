import AudioIO
import Foundation
import MediaCore
import TestSupport
import Testing
import PCM

/// How loud a renderer plays, on a clock that the test moves.
@Suite(.inTurn) struct VolumeTests {
  private let clock = ManualClock()
  private let folder: TemporaryFolder
  /// At 8000 Hz the way from silence to full takes 80 frames, and a period of the device 200.
  private let format = AudioFormat(sampleRate: 8000, layout: .stereo)

  init() throws { folder = try TemporaryFolder() }

  /// What comes out of a device that is given 12 000 for ever, while the volume is set before each period.
  private func heard(_ format: AudioFormat, volumes: [Float]) throws -> PCMBuffer {
    let path = folder.path("out.wav")
    let renderer = try unsafe AudioRenderer(device: DeviceName("file:\(path)"), format: format, clock: clock) {
      memory in
      switch format.sampleFormat {
      case .int16: unsafe memory.initializeMemory(as: Int16.self, repeating: 12_000)
      case .int24, .int32, .float32: unsafe memory.initializeMemory(as: Float.self, repeating: 1.5)
      }
      return Rendered(frames: memory.count / format.bytesPerFrame)
    }
    renderer.volume = volumes[0]
    try renderer.start()
    for volume in volumes {
      renderer.volume = volume
      clock.advance(by: .milliseconds(25))
    }
    renderer.stop()
    var wav = try PCMFileReader(path: path)
    return try #require(try wav.next(frames: 1 << 20)).payload
  }

  @Test(
    "a change of volume is a straight line of a hundredth of a second from silence to full, the same in all channels")
  func ramp() throws {
    let samples = try heard(format, volumes: [0, 1, 0.5]).int16s
    // Worked out from what is promised: 200 frames of silence, 80 up by 150 each, and 40 down from frame 400 on.
    let expected = (0..<600).map { frame in
      switch frame {
      case ..<200: 0
      case ..<280: 150 * (frame - 199)
      case ..<400: 12_000
      case ..<440: 12_000 - 150 * (frame - 399)
      default: 6000
      }
    }
    let left = stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0]) }
    let right = stride(from: 1, to: samples.count, by: 2).map { Int(samples[$0]) }
    #expect(left == right)
    #expect(left.count == 600)
    // Volumes are floats: adding up 80 of them may be off by one step of 16 bits.
    #expect(zip(left, expected).allSatisfy { abs($0 - $1) <= 1 })
    #expect(left[280..<400].allSatisfy { $0 == 12_000 } && left[440...].allSatisfy { $0 == 6000 })
  }

  @Test("at volume 1 samples stay bit for bit, those beyond full scale too, and again after it was lower")
  func untouched() throws {
    let floats = AudioFormat(sampleRate: 8000, sampleFormat: .float32, layout: .mono)
    let samples = try heard(floats, volumes: [1, 0.25, 1]).floats
    #expect(samples[..<200].allSatisfy { $0 == 1.5 })
    #expect(samples[260..<400].allSatisfy { $0 == 0.375 })
    #expect(samples[460...].allSatisfy { $0 == 1.5 })
  }

  @Test("volumes out of range are taken as the nearest, and NaN as silence")
  func bounds() throws {
    let renderer = try AudioRenderer(device: DeviceName("null"), feed: RenderFeed(format: format), clock: clock)
    #expect(renderer.volume == 1)
    let taken = [Float.infinity, -0.5, .nan, 0.75].map { volume in
      renderer.volume = volume
      return renderer.volume
    }
    #expect(taken == [1, 0, 0, 0.75])
  }
}
