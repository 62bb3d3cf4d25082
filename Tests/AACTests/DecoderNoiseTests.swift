import Foundation
import Lyrebird
import TestSupport
import Testing

/// Packets that were damaged on their way: each gives a frame and no harm is done.
@Suite("Decoder and noise", .inTurn, .needs(.corpus))
struct DecoderNoiseTests {
  static let streams =
    ["al04_44", "al07_96", "al15_44", "al18_44", "am00_88", "102400samples_qt-lc-aac"]
    + ["al_sbr_cm_48_2", "al_sbr_ps_06_new"]

  @Test("mutated packets of every kind of stream are decoded or concealed", arguments: streams)
  func mutations(name: String) throws {
    // A million in all, where minutes do not matter.
    let count = Interruptions.isExhaustive ? 170_000 : 150
    let movie = try MP4Demuxer(path: Shared.folder.appendingPathComponent("aac/\(name).mp4").path)
    let track = try #require(movie.audioTrack)
    var samples = movie.samples(of: track)
    var packets: [[UInt8]] = []
    while packets.count < 200, let sample = try samples.next() { packets.append(Array(try sample.payload.load())) }
    var config = try AudioSpecificConfig(try #require(track.descriptions.first))
    var first = movie.samples(of: track)
    config.settle { try first.next() }
    let decoder = try AACDecoder(configuration: config)
    var noise = Noise(state: 42)
    let target = [Int16](repeating: 0, count: decoder.frameLength * decoder.format.channels)
    for number in 0..<count {
      var packet = packets[number % packets.count]
      mutate(&packet, &noise)
      var copy = target
      _ = unsafe decoder.decode(packet.span.bytes)
      unsafe copy.withUnsafeMutableBytes { unsafe decoder.copyInt16s(0..<decoder.frameLength, to: $0) }
    }
    #expect(decoder.concealedPackets > 0 && decoder.concealedPackets < UInt64(count))
  }

  /// Flips bits, cuts, grows or overwrites.
  private func mutate(_ packet: inout [UInt8], _ noise: inout Noise) {
    guard !packet.isEmpty else { return }
    switch Int.random(in: 0..<5, using: &noise) {
    case 0: packet.removeLast(Int.random(in: 0...packet.count, using: &noise))
    case 1: packet += noise.bytes(Int.random(in: 0...2000, using: &noise))
    case 2: packet = noise.bytes(packet.count)
    default:
      for _ in 0..<Int.random(in: 1...8, using: &noise) {
        packet[Int.random(in: packet.indices, using: &noise)] ^= 1 << UInt8.random(in: 0..<8, using: &noise)
      }
    }
  }
}
