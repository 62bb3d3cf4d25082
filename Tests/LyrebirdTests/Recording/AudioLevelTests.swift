import Lyrebird
import TestSupport
import Testing

/// How loud sound is, by its definition.
@Suite(.inTurn)
struct AudioLevelTests {
  @Test("each channel has a level of its own, and clips on its own")
  func channels() {
    let samples: [Int16] = [16_384, 0, -16_384, .max, 16_384, 0, -16_384, 0]
    let level = AudioLevel(PCMBuffer(samples, sampleRate: 8000, layout: .stereo))
    #expect(level.channels.map(\.peak) == [0.5, 32_767.0 / 32_768])
    #expect(level.channels.map(\.isClipped) == [false, true])
    #expect(level.channels[0].rms == 0.5)
    #expect(abs(level.channels[1].rms - 0.5) < 0.001)
    #expect(level.isClipped)
    #expect(level.peak == 32_767.0 / 32_768)
    #expect(AudioLevel(PCMBuffer([Int16.min], sampleRate: 8000, layout: .mono)).isClipped)
    #expect(!AudioLevel(PCMBuffer([Int16.max - 1], sampleRate: 8000, layout: .mono)).isClipped)
  }

  @Test("nothing, silence and what is not a number are silence; what is beyond full scale stays finite in decibels")
  func extremes() {
    #expect(AudioLevel.silence.peak == 0 && AudioLevel.silence.rms == 0 && !AudioLevel.silence.isClipped)
    let odd = AudioLevel(PCMBuffer([Float.nan, 0], sampleRate: 8000, layout: .mono))
    #expect(odd.peak == 0 && odd.rms == 0)
    #expect(AudioLevel(PCMBuffer([Float](), sampleRate: 8000, layout: .stereo)).peak == 0)
    #expect(AudioLevel.decibels(1) == 0)
    #expect(AudioLevel.decibels(0) == -120)
    #expect(AudioLevel.decibels(.nan) == -120)
    #expect(AudioLevel.decibels(.infinity) == 120)
  }
}
