import Foundation
import MediaCore
import TestSupport
import Testing

@testable import AAC

/// What the encoder decides, read from its packets bit by bit, and what that is worth.
@Suite("AAC encoder: decisions", .inTurn)
struct EncoderDecisionTests {
  private static let format = AudioFormat(sampleRate: 44_100, sampleFormat: .float32, channels: 1)
  private static let frames = 44_100

  /// Few loud tones, or a hundred close ones.
  private func tones(_ pitches: [Double]) -> [Float] {
    (0..<Self.frames).map { frame in
      let time = Double(frame) / 44_100
      let sum = pitches.enumerated().reduce(0.0) { $0 + sin(2 * .pi * $1.element * time + Double($1.offset)) }
      return Float(0.8 * sum / Double(pitches.count))
    }
  }

  /// Ten harmonics of 100 Hz.
  private let hum = (0..<Self.frames).map { frame in
    let phase = 2 * Double.pi * 100 * Double(frame) / 44_100
    return Float((1...10).reduce(0.0) { $0 + 0.1 * sin(Double($1) * phase) / Double($1) })
  }

  /// The part of the packets whose window ends with a Kaiser-Bessel slope.
  ///
  /// Source: ISO/IEC 14496-3, 4.4.2.1: id_syn_ele of 3 bits, element_instance_tag of 4, global_gain of 8,
  /// ics_reserved_bit, window_sequence of 2; then window_shape.
  private func kaiserBesselShare(_ samples: [Float], bitRate: Int = 64_000) throws -> Double {
    let payloads = try Encoded(samples, format: Self.format, bitRate: bitRate).payloads.dropFirst(2).dropLast(2)
    return Double(payloads.count { $0[18 / 8] >> (7 - 18 % 8) & 1 == 1 }) / Double(payloads.count)
  }

  @Test("few tones get Kaiser-Bessel windows, many close ones sine windows")
  func windowShapes() throws {
    #expect(try kaiserBesselShare(tones([440, 5000])) > 0.9)
    #expect(try kaiserBesselShare(tones((0..<100).map { 200 + 61 * Double($0) })) < 0.1)
  }

  /// The bits of each shape vary with the phase of the partials. So two of three frames had another shape than the one
  /// before, and a window of two shapes leaks as much as a sine.
  @Test("a steady hum keeps its Kaiser-Bessel windows")
  func steadyWindows() throws {
    #expect(try kaiserBesselShare(hum, bitRate: 24_000) > 0.95)
  }

  @Test("noise counts by what is masked to the power of 13/14, as before where that is 40 dB below the loudest")
  func loudPartitions() {
    let masked = (0..<96).map { pow(10, 3 + 4 * sin(Double($0))) }
    let weights = AlignedMemory(masked.map { Float(1 / $0) })
    MaskingModel.favourLoud(weights.all, count: masked.count)
    let middle = (masked.max() ?? 0) / pow(10, 4)
    for (index, energy) in masked.enumerated() {
      // A logarithm to a twelfth is wrong by 0.09 at most.
      let expected = pow(middle / energy, 13 / 14) / middle
      #expect(abs(log2(Double(weights[index]) / expected)) < 0.09, "\(index)")
    }
  }

  /// How far what ffmpeg decodes at a bit rate is from a sound, in dB.
  private func ratio(_ sound: [Float], bitRate: Int) throws -> Double {
    let folder = try TemporaryFolder()
    try Encoded(sound, format: Self.format, bitRate: bitRate).write(to: folder.path("a.aac"))
    let decoded = Array(try ffmpegDecoded(folder.path("a.aac"), options: []).dropFirst(1024))
    return Difference(Array(decoded.prefix(sound.count)), sound).ratio
  }

  @Test("the bits of a harmonic tone go to its harmonics, not to what windows leak of them", .needs(.ffmpeg))
  func harmonicTone() throws {
    let drone = (0..<Self.frames).map { frame -> Float in
      let time = Double(frame) / 44_100
      let harmonics = (1..<30).map { Double($0) }
      return Float(harmonics.reduce(0) { $0 + 0.3 / $1 * sin(2 * .pi * 110 * $1 * (1 + 1e-4 * $1) * time) })
    }
    #expect(try ratio(drone, bitRate: 48_000) > 30)
  }

  /// Each swell was taken for an attack, and eight short windows cannot tell the partials apart: 13 dB instead of 36.
  @Test("the rounding of 16-bit samples takes no bits from a loud hum", .needs(.ffmpeg))
  func rounding() throws {
    let rounded = hum.map { Float(Int16(($0 * 32_768).rounded())) / 32_768 }
    // Without rounding there is nothing between the partials that could take bits.
    let (with, without) = (try ratio(rounded, bitRate: 32_000), try ratio(hum, bitRate: 32_000))
    #expect(with > without - 1, "\(with) \(without)")
  }

  @Test("a tone that swells 28 times a second has long windows, as a few lines hold it", .needs(.ffmpeg))
  func swellingTone() throws {
    let bell = (0..<Self.frames).map { frame -> Float in
      let time = Double(frame) / 44_100
      return Float(0.8 * sin(2 * .pi * 2000 * time) * pow(0.5 - 0.5 * cos(2 * .pi * 28 * time), 2))
    }
    #expect(try ratio(bell, bitRate: 24_000) > 30)
  }

  @Test("each quality takes more bits than the one below, and comes nearer", .needs(.ffmpeg))
  func qualities() throws {
    let sound = Sound.music(frames: Self.frames, channels: 1, rate: 44_100)
    let folder = try TemporaryFolder()
    var last: (bytes: Int, error: Double) = (0, .infinity)
    for quality in 1...5 {
      let encoded = try Encoded(sound, format: Self.format, bitRate: nil, quality: quality)
      try encoded.write(to: folder.path("a.aac"))
      let decoded = try ffmpegDecoded(folder.path("a.aac"), options: []).dropFirst(1024)
      let error = zip(sound, decoded).reduce(0.0) { $0 + pow(Double($1.0 - $1.1), 2) }
      let bytes = encoded.packets.reduce(0) { $0 + $1.payload.count }
      // Each step is at least 1 dB nearer, and a tenth larger.
      #expect(error < 0.8 * last.error && Double(bytes) > 1.1 * Double(last.bytes), "\(quality)")
      last = (bytes, error)
    }
  }

  /// A tenth of the weight was that of the silence before, where players cut noise off: the first packet took all that
  /// could be borrowed, and the next second paid it back.
  @Test("noise in the first frame weighs about as much as in the next one")
  func firstFrame() {
    let tools = AnalysisTools(sampleRate: 44_100)
    let bands = BandTables(sampleRate: 44_100, bandwidths: [14_400], tools: tools)
    let analysis = ElementAnalysis(
      kind: .single, inputs: [0], tools: tools, bands: bands, isLowRate: false, bitsPerFrame: nil, price: 0.02,
      speed: .normal, looksAhead: true)
    let frame = ElementFrame(kind: .single, channels: 1, bands: bands, speed: .normal)
    var at = 0
    let weights = (0..<2).map { _ in
      let channel = analysis.channels[0]
      // A tone that fades in, so that no frame has an attack.
      let samples = (at..<at + channel.room).map { 0.1 * min(Float($0) / 1024, 1) * sin(Float($0) * 0.05) }
      at += samples.count
      _ = channel.append(
        0..<samples.count, ofChannel: 0, of: PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
      analysis.analyse(into: frame)
      #expect(frame.layout.sequence != .eightShort)
      // The tone of 351 Hz is in line 16.
      let band = (0..<frame.layout.bandCount).first { frame.layout.offsets[$0 + 1] > 16 } ?? 0
      return frame.spectra[0].weights[band]
    }
    #expect(weights[0] < 10 * weights[1], "\(weights)")
  }

  /// Only bands as even as noise could be replaced by it. Those that are nearly as even were often left out.
  @Test("the less even a band is, the more noise in its place counts, and it never replaces tones 40 dB above the rest")
  func gradedNoise() {
    let bands = ScalefactorBands(frequencyIndex: 4, isShort: false)
    let layout = FrameLayout(long: bands, used: 40)
    let spectrum = ChannelSpectrum()
    let blockEnergies = AlignedMemory<Float>(8)
    blockEnergies.all.update(repeating: 1000, count: 8)
    var noise = Noise(state: 9)
    let lines = (0..<1024).map { _ in Bool.random(using: &noise) ? Float(1000) : -1000 }
    /// The weights of noise in the bands, if all lines but every eighth are so much softer.
    func weights(ratio: Float) -> [Float] {
      for line in 0..<1024 { spectrum.lines[line] = line % 8 == 4 ? lines[line] : lines[line] / ratio }
      let finder = NoiseFinder(bands: bands, sampleRate: 44_100, isEnabled: true)
      for _ in 0..<2 { finder.find(spectrum, layout, blockEnergies: blockEnergies) }
      return (0..<40).map { spectrum.substitution[$0] }
    }
    let high = 30..<40
    let (even, some, more, tones) = (weights(ratio: 1), weights(ratio: 12), weights(ratio: 24), weights(ratio: 100))
    #expect(even[high].allSatisfy { $0 == 0.5 })
    #expect(high.allSatisfy { some[$0] > 0.5 && some[$0] < more[$0] && more[$0] < 6 }, "\(some[high]) \(more[high])")
    #expect(tones[high].allSatisfy { $0 == .infinity })
    // Below 5.5 kHz nothing is noise.
    #expect(even[..<25].allSatisfy { $0 == .infinity })
  }
}
