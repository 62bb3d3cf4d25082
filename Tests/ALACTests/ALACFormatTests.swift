import Foundation
import Lyrebird
import TestSupport
import Testing

/// Corners of the format that no encoder at hand reaches, in packets made here; ffmpeg says whether they are right.
@Suite("Apple Lossless format", .inTurn) struct ALACFormatTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  struct Case: Sendable, CustomTestStringConvertible {
    var plain: PlainALAC
    /// Frames of each packet.
    var lengths = [4096, 4096, 77]
    var testDescription: String { "\(plain), packets of \(lengths)" }
  }

  static let cases: [Case] =
    [16, 20, 24, 32].flatMap { bits in
      (1...8).map { Case(plain: PlainALAC(bitDepth: bits, channels: $0, lowBytes: max((bits - 16) / 8, 0))) }
    }
    + [16, 20, 24, 32].map { Case(plain: PlainALAC(bitDepth: $0, isRaw: true)) }
    + [0, 1, 2, 3, 5, 6, 7, 8, 9, 16, 30, 31].map { Case(plain: PlainALAC(order: $0)) }
    + [1, 4, 15].map { Case(plain: PlainALAC(shift: $0)) }
    + [4, 8, 31].map { Case(plain: PlainALAC(order: $0, isTwice: true)) }
    + [(0, 0), (0, 1), (4, -7), (31, 127)].map { Case(plain: PlainALAC(mixShift: $0, mixWeight: $1)) }
    + [
      Case(plain: PlainALAC(bitDepth: 24)), Case(plain: PlainALAC(bitDepth: 24, lowBytes: 2)),
      Case(plain: PlainALAC(bitDepth: 32, channels: 1, lowBytes: 0)),
      Case(plain: PlainALAC(frameLength: 1), lengths: [1, 1, 1]),
      Case(plain: PlainALAC(frameLength: 1000), lengths: [1000, 5, 1000, 999, 1]),
      Case(plain: PlainALAC(frameLength: 65_536), lengths: [65_536, 70]),
    ]

  /// Tones, silence and noise, in this order in each packet.
  private func sound(_ plain: PlainALAC, _ count: Int, _ noise: inout Noise) -> [[Int]] {
    let full = 1 << (plain.bitDepth - 1)
    return (0..<plain.channels).map { channel in
      (0..<count).map { frame in
        switch 10 * frame / max(count, 1) {
        case ..<5: Int(0.9 * Double(full) * sin(Double(frame) * (0.03 + 0.01 * Double(channel))))
        case ..<7: channel == 0 ? 0 : 3
        case ..<8: Int.random(in: -full..<full, using: &noise)
        case ..<9: frame & 64 == 0 ? full - 1 : -full
        default: Int(0.01 * Double(full) * sin(Double(frame) * 0.2)) + Int.random(in: -9...9, using: &noise)
        }
      }
    }
  }

  @Test("packets of every kind decode to what they were made of", arguments: cases)
  func kinds(_ item: Case) throws {
    let plain = item.plain
    var noise = Noise(seed: 5)
    let decoder = ALACDecoder(try ALACConfiguration(plain.configuration(sampleRate: 48_000)))
    for length in item.lengths {
      let samples = sound(plain, length, &noise)
      let packet = plain.packet(samples)
      let outcome = unsafe decoder.decodePacket(packet.span.bytes)
      try #require(outcome.fault == nil && outcome.frames == length, "\(outcome)")
      var memory = [Int32](repeating: 0, count: length * plain.channels)
      var span = memory.mutableSpan
      decoder.copy(0..<length, to: &span)
      #expect(memory == interleaved(samples, plain), "\(length)")
    }
  }

  @Test("ffmpeg decodes them to the same", .needs(.ffmpeg), arguments: cases)
  func reference(_ item: Case) throws {
    let plain = item.plain
    // ffmpeg refuses orders as long as a packet, and pairs of 32 bits in one piece; it takes weights as unsigned.
    guard plain.frameLength > 31, !(plain.isRaw && plain.bitDepth == 32), plain.mixWeight >= 0 else { return }
    let path = folder.path("made.m4a")
    let description = SampleDescription.appleLossless(
      configuration: plain.configuration(sampleRate: 48_000), sampleRate: 48_000, channels: plain.channels,
      bitDepth: plain.bitDepth)
    let muxer = try MP4Muxer(path: path, tracks: [MuxerTrack(audio: description, timescale: 48_000)])
    var noise = Noise(seed: 5)
    var (time, expected): (Int64, [Int32]) = (0, [])
    for length in item.lengths {
      let samples = sound(plain, length, &noise)
      let timing = SampleTiming(
        decodeTime: time, presentationTime: time, duration: Int64(length), timescale: 48_000)
      try muxer.append(
        EncodedSample(trackID: 1, timing: timing, isSync: true, payload: .bytes(plain.packet(samples)[...])))
      time += Int64(length)
      expected += interleaved(samples, plain)
    }
    _ = try muxer.finish()
    #expect(try ffmpegInt32s(path) == expected)
    #expect(try DecodedTrack(path).samples == expected)
    // Packets differ in length: a place is found by their durations.
    let decoder = try AudioTrackDecoder(path)
    for frame in [1, 4100, time - 1] {
      try decoder.seek(to: frame)
      #expect(try decoder.rest() == Array(expected.dropFirst(plain.channels * Int(frame))), "\(frame)")
    }
  }

  /// As a decoder gives them: WAVE's order, full scale at the ends of 32 bits.
  private func interleaved(_ samples: [[Int]], _ plain: PlainALAC) -> [Int32] {
    // Where each channel of a packet stands among left, right, centre, low frequencies and those behind.
    let places = [
      [0], [0, 1], [2, 0, 1], [2, 0, 1, 3], [2, 0, 1, 3, 4], [2, 0, 1, 4, 5, 3], [2, 0, 1, 4, 5, 6, 3],
      [2, 6, 7, 0, 1, 4, 5, 3],
    ][plain.channels - 1]
    var result = [Int32](repeating: 0, count: samples[0].count * plain.channels)
    for (channel, place) in zip(samples, places) {
      for (frame, sample) in channel.enumerated() {
        result[frame * plain.channels + place] = Int32(truncatingIfNeeded: sample << (32 - plain.bitDepth))
      }
    }
    return result
  }
}
