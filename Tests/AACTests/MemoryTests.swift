import MediaCore
import TestSupport
import Testing

@testable import AAC

/// What encoders leave behind.
@Suite("AAC: memory", .alone) struct MemoryTests {
  @Test("encoders that are gone leave no memory behind")
  func encodersThatAreGone() throws {
    let format = AudioFormat(sampleRate: 44_100, layout: .stereo)
    func cycle() throws {
      for (profile, bitRate) in [(AACEncoder.Profile.highEfficiency, 32_000), (.lowComplexity, 96_000)] {
        var encoder = try AACEncoder(format: format, profile: profile, bitRate: bitRate)
        let samples = [Int16](repeating: 100, count: 2 * 8192)
        _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
        _ = encoder.finish()
      }
    }
    for _ in 0..<5 { try cycle() }
    let before = Heap.inUse
    for _ in 0..<50 { try cycle() }
    // Less than half a kilobyte of each.
    #expect(Heap.inUse - before < 50_000)
  }
}
