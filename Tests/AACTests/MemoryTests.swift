import MediaCore
import TestSupport
import Testing

@testable import AAC

/// What encoders and decoders that are gone leave behind.
@Suite("AAC: memory", .alone) struct MemoryTests {
  @Test("encoders that are gone leave no memory behind")
  func encodersThatAreGone() throws {
    let format = AudioFormat(sampleRate: 44_100, layout: .stereo)
    func cycle() throws {
      for bitRate in [32_000, 96_000] {
        let profile: AACEncoder.Profile = bitRate < 40_000 ? .highEfficiency : .lowComplexity
        var encoder = try AACEncoder(format: format, profile: profile, bitRate: bitRate)
        let samples = [Int16](repeating: 100, count: 2 * 8192)
        _ = try encoder.encode(PCMBuffer(samples, sampleRate: 44_100, layout: .stereo))
        _ = encoder.finish()
      }
    }
    for _ in 0..<5 { try cycle() }
    let before = Heap.inUse
    for _ in 0..<50 { try cycle() }
    // Less than a kilobyte of each.
    #expect(Heap.inUse - before < 50_000)
  }
}
