import Foundation
import Lyrebird
import TestSupport
import Testing

@testable import AAC

/// High-efficiency AAC against ffmpeg's float decoder, sample by sample.
@Suite("SBR and PS", .inTurn, .needs(.corpus, .ffmpeg))
struct SBRTests {
  private func path(_ name: String) -> String { Shared.folder.appendingPathComponent("aac/\(name).mp4").path }

  private func check(_ decoded: Decoded, _ reference: [Float]) {
    #expect(decoded.concealed == 0)
    #expect(decoded.samples.count <= reference.count)
    let difference = Difference(decoded.samples, reference)
    // Energies differ in the last places, and gains with them.
    #expect(difference.largest <= 0.1 && difference.ratio >= 120, "\(difference)")
  }

  @Test("a stream with SBR decodes to what ffmpeg decodes it to", arguments: ["al_sbr_cm_48_2", "al_sbr_cm_48_5.1"])
  func conformance(name: String) throws {
    let packets = Interruptions.isExhaustive ? Int.max : 40
    let decoded = try Decoded(movie: path(name), packets: packets)
    #expect(decoded.format.sampleRate == 48_000)
    check(decoded, try ffmpegDecoded(path(name)))
  }

  @Test("one channel with parametric stereo decodes to the two that ffmpeg makes of it")
  func parametricStereo() throws {
    // It begins in packet 109.
    let packets = Interruptions.isExhaustive ? Int.max : 125
    let decoded = try Decoded(movie: path("al_sbr_ps_06_new"), packets: packets)
    #expect(decoded.format.sampleRate == 32_000 && decoded.format.layout == .stereo)
    check(decoded, try ffmpegDecoded(path("al_sbr_ps_06_new")))
  }

  @Test("a layer that keeps the core's rate is decoded at that rate, as ffmpeg does")
  func downsampled() throws {
    let folder = try TemporaryFolder()
    let changed = folder.path("downsampled.m4a")
    let movie = try MP4Demuxer(path: path("al_sbr_cm_48_2"))
    let track = try #require(movie.audioTrack)
    var config = try AudioSpecificConfig(try #require(track.descriptions.first))
    (config.hasSBR, config.extensionSampleRate, config.extensionSignalling) = (true, config.sampleRate, .explicit)
    let description = SampleDescription.aac(
      audioSpecificConfig: try config.written, sampleRate: Int(config.sampleRate), channels: 2, averageBitRate: 0)
    let muxer = try MP4Muxer(
      path: changed, tracks: [MuxerTrack(audio: description, timescale: config.sampleRate, id: 1)])
    var samples = movie.samples(of: track)
    for number in 0..<40 {
      var sample = try #require(try samples.next())
      sample.trackID = 1
      sample.timing = SampleTiming(
        decodeTime: 1024 * Int64(number), presentationTime: 1024 * Int64(number), duration: 1024,
        timescale: config.sampleRate)
      try muxer.append(sample)
    }
    try muxer.finish()
    let decoded = try Decoded(movie: changed)
    #expect(decoded.format.sampleRate == 24_000 && decoded.frames == 40 * 1024)
    check(decoded, try ffmpegDecoded(changed))
  }

  @Test("sound after a seek is what it is without one", arguments: ["al_sbr_cm_48_2", "al_sbr_ps_06_new"])
  func seek(name: String) throws {
    let movie = try MP4Demuxer(path: path(name))
    let decoder = try AudioTrackDecoder(movie, track: try #require(movie.audioTrack))
    var whole: [Float] = []
    while whole.count < 2 * 80_000, let sound = try decoder.next() { whole += sound.payload.floats }
    for frame in [70_000, 33_333, 5000] {
      try decoder.seek(to: Int64(frame))
      var sound: [Float] = []
      while sound.count < 2 * 6000, let next = try decoder.next() { sound += next.payload.floats }
      let difference = Difference(sound, Array(whole[(2 * frame)...]))
      #expect(difference.ratio > 100, "\(difference)")
    }
  }

  @Test("the core alone is the low half of the spectrum, at the core's rate")
  func coreOnly() throws {
    let decoded = try Decoded(movie: path("al_sbr_cm_48_2"), coreOnly: true, packets: 10)
    #expect(decoded.format.sampleRate == 24_000 && decoded.frames == 10 * 1024)
  }

  @Test("a layer that its packets alone show is noted, and what it means for rate and channels")
  func implicit() throws {
    for name in ["al_sbr_cm_48_2", "al_sbr_ps_06_new"] {
      let movie = try MP4Demuxer(path: path(name))
      let track = try #require(movie.audioTrack)
      let announced = try AudioSpecificConfig(try #require(track.descriptions.first))
      var config = announced
      (config.hasSBR, config.hasPS, config.extensionSampleRate) = (nil, nil, nil)
      #expect(!config.isSettled)
      var samples = movie.samples(of: track)
      config.settle { try samples.next() }
      #expect(config.hasSBR == true && config.hasPS == nil)
      #expect(try AACDecoder(configuration: config).format.sampleRate == 2 * Int(announced.sampleRate))
    }
  }
}

/// The parts of the SBR decoder against the standard's formulas and tables.
@Suite("SBR parts", .inTurn, .needs(.corpus))
struct SBRPartTests {
  private let tables: StandardTables

  init() throws { tables = try StandardTables() }

  private func data<T>(_ name: String, as type: T.Type = T.self) throws -> T { try tables.data(name) }

  @Test(
    "the master table begins and ends where the standard says, for every rate",
    arguments: [16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000])
  func masterTable(rate: Int) throws {
    let first = try #require((try data("sbr_k0") as [String: [Int]])["\(rate)"])
    let last = try #require((try data("sbr_k2") as [String: [Int]])["\(rate)"])
    var count = 0
    for start in 0..<16 {
      for stop in 0..<14 {
        for scale in 0..<4 {
          var header = SBRHeader(start: start, stop: stop)
          header.spectrum.scale = scale
          guard let bands = SBRBands(header, rate: rate) else { continue }
          count += 1
          #expect(bands.first == first[start] && bands.first + bands.count == last[stop])
          check(bands)
        }
      }
    }
    #expect(count > 150)
  }

  /// What holds for all bands: they rise, cover the same range, and patches fill it but for two subbands.
  private func check(_ bands: SBRBands) {
    for list in [bands.high, bands.low, bands.noise, bands.limiter] {
      #expect(list.first == bands.first && list.last ?? 0 <= bands.first + bands.count)
      // There may be fewer bands than noise bands.
      #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 || list == bands.noise && $0 == $1 })
    }
    #expect(bands.low.last == bands.high.last && bands.noise.last == bands.high.last)
    let filled = bands.patches.reduce(0) { $0 + $1.count }
    #expect(filled <= bands.count && filled >= bands.count - 2 && bands.patches.count <= 6)
    #expect(bands.patches.allSatisfy { $0.source >= 0 && $0.source + $0.count <= bands.masterFirst })
  }

  @Test("each code word of each book reads as its difference")
  func books() throws {
    let pairs: [(String, HuffmanTree, String)] = [
      ("sbr_huffman_t_env_1_5", SBRBooks.fineLevels.time, "lav"),
      ("sbr_huffman_f_env_1_5", SBRBooks.fineLevels.frequency, "lav"),
      ("sbr_huffman_t_env_bal_1_5", SBRBooks.fineBalance.time, "lav"),
      ("sbr_huffman_f_env_bal_1_5", SBRBooks.fineBalance.frequency, "lav"),
      ("sbr_huffman_t_env_3_0", SBRBooks.coarseLevels.time, "lav"),
      ("sbr_huffman_f_env_3_0", SBRBooks.coarseLevels.frequency, "lav"),
      ("sbr_huffman_t_env_bal_3_0", SBRBooks.coarseBalance.time, "lav"),
      ("sbr_huffman_f_env_bal_3_0", SBRBooks.coarseBalance.frequency, "lav"),
      ("sbr_huffman_t_noise_3_0", SBRBooks.noise.time, "lav"),
      ("sbr_huffman_t_noise_bal_3_0", SBRBooks.noiseBalance.time, "lav"),
      ("ps_huffman_iid_df0", PSBooks.intensity(isFine: false).frequency, "offset"),
      ("ps_huffman_iid_dt0", PSBooks.intensity(isFine: false).time, "offset"),
      ("ps_huffman_iid_df1", PSBooks.intensity(isFine: true).frequency, "offset"),
      ("ps_huffman_iid_dt1", PSBooks.intensity(isFine: true).time, "offset"),
      ("ps_huffman_icc_df", PSBooks.coherence.frequency, "offset"),
      ("ps_huffman_icc_dt", PSBooks.coherence.time, "offset"),
      ("ps_huffman_ipd_df", PSBooks.phase.frequency, "offset"), ("ps_huffman_ipd_dt", PSBooks.phase.time, "offset"),
      ("ps_huffman_opd_df", PSBooks.overallPhase.frequency, "offset"),
      ("ps_huffman_opd_dt", PSBooks.overallPhase.time, "offset"),
    ]
    for (name, tree, offset) in pairs {
      let table: [String: Any] = try data(name)
      let (lengths, codes) = (try #require(table["lengths"] as? [Int]), try #require(table["codes"] as? [Int]))
      let smallest = -(try #require(table[offset] as? Int))
      for (index, (length, code)) in zip(lengths, codes).enumerated() {
        let memory = AlignedMemory<UInt8>(8 + PacketBitReader.padding)
        for bit in 0..<length where code >> (length - 1 - bit) & 1 == 1 { memory[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        var reader = PacketBitReader(memory, bytes: 8)
        #expect(tree.read(&reader) == smallest + index && reader.position == length, "\(name) \(index)")
      }
    }
  }

  @Test("the analysis bank is the standard's sum")
  func analysis() {
    var noise = Noise(state: 1)
    let samples = AlignedMemory((0..<1312).map { _ in Float.random(in: -1...1, using: &noise) })
    let result = SubbandSamples(bands: 32)
    QMFAnalysis().analyse(samples, to: result, firstSlot: 8)
    for slot in [0, 13, 31] {
      // The newest sample first.
      let x = (0..<320).map { Double(samples[288 + 32 * slot + 31 - $0]) }
      let u = (0..<64).map { n in (0..<5).reduce(0) { $0 + x[n + 64 * $1] * Double(QMFWindow.whole[2 * (n + 64 * $1)]) }
      }
      for band in [0, 1, 7, 30, 31] {
        let angles = (0..<64).map { Double.pi / 64 * (Double(band) + 0.5) * (2 * Double($0) - 0.5) }
        let real = zip(u, angles).reduce(0) { $0 + 2 * 32768 * $1.0 * cos($1.1) }
        let imaginary = zip(u, angles).reduce(0) { $0 + 2 * 32768 * $1.0 * sin($1.1) }
        let index = band * SubbandSamples.slots + 8 + slot
        #expect(abs(Double(result.real[index]) - real) < 0.1 && abs(Double(result.imaginary[index]) - imaginary) < 0.1)
      }
    }
  }

  @Test("a tone passes both banks with its amplitude, 962 samples late", arguments: [64, 32])
  func bothBanks(bands: Int) {
    let (signal, bank) = (SBRSignal(), QMFSynthesis(bands: bands))
    let ratio = bands / 32
    var output: [Float] = []
    let frequency = 0.11
    for frame in 0..<4 {
      let core = AlignedMemory((0..<1024).map { Float(0.5 * sin(2 * .pi * frequency * Double(1024 * frame + $0))) })
      signal.analyse(core, QMFAnalysis())
      signal.assemble(first: 32, count: 0, end: 32, firstRow: 0)
      let samples = AlignedMemory<Float>(2048)
      bank.synthesise(signal.output, signal.synthesis, to: samples)
      output += (0..<(1024 * ratio)).map { samples[$0] }
    }
    let delay = 481.0
    let expected = output.indices.map {
      Float(0.5 * sin(2 * .pi * frequency * (Double($0) / Double(ratio) - delay)))
    }
    let start = 2000 * ratio
    let difference = Difference(Array(output[start...]), Array(expected[start...]))
    // The banks themselves are that good.
    #expect(difference.ratio > 60, "\(difference)")
  }

  @Test("parameters for one number of bands are spread to the other")
  func bandMaps() throws {
    let map: [String: Any] = try data("ps_band_map")
    #expect(PSBandMap.few.band == map["20"] as? [Int])
    #expect(PSBandMap.many.band == map["34"] as? [Int])
    #expect(PSBandMap.few.steps(Array(0..<10)[...]) == (0..<20).map { $0 / 2 })
    #expect(PSBandMap.few.steps(Array(repeating: 3, count: 34)[...]) == Array(repeating: 3, count: 20))
    #expect(PSBandMap.many.steps(Array(repeating: -5, count: 10)[...]) == Array(repeating: -5, count: 34))
    #expect(PSBandMap.many.steps(Array(0..<20)[...]).last == 19)
  }

  @Test("mixing keeps the power, whatever the intensity difference and coherence")
  func mixing() {
    for isFine in [false, true] {
      for isRotated in [false, true] {
        for intensity in -15...15 {
          for coherence in 0..<8 {
            let h = PSMatrices.factors(
              intensity: intensity, coherence: coherence, isFine: isFine, isRotated: isRotated)
            // Sound and copy have the same power and nothing in common; both channels together have twice it.
            #expect(abs((h * h).sum() - 2) < 1e-4)
          }
        }
      }
    }
  }
}

extension SBRHeader {
  /// A header with a spectrum, as it would be read.
  init(start: Int, stop: Int) {
    let memory = AlignedMemory<UInt8>(8 + PacketBitReader.padding)
    let bits = start << 11 | stop << 7
    (memory[0], memory[1]) = (UInt8(bits >> 8), UInt8(bits & 255))
    var reader = PacketBitReader(memory, bytes: 8)
    self.init(&reader)
  }
}
