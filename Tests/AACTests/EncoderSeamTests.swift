import MediaCore
import TestSupport
import Testing

@testable import AAC

/// Packets that are made anew between packets that stay: the aliasing of their windows has to cancel.
@Suite("Seams of the encoder", .inTurn)
struct EncoderSeamTests {
  private static let rate = 44_100
  /// Packets that are made anew.
  private static let seam = 25..<28

  /// Packets of the music, whose windows have one shape.
  private func packets(_ music: [Float], _ shape: WindowShape) throws -> [[UInt8]] {
    let windows = try #require(PacketWindows([(.onlyLong, shape)]))
    let seam = EncoderSeam(first: 1, end: nil, before: windows, after: windows)
    return try encode(music, seam, count: music.count / 1024)
  }

  private func encode(_ music: [Float], _ seam: EncoderSeam?, count: Int) throws -> [[UInt8]] {
    let format = AudioFormat(sampleRate: Self.rate, sampleFormat: .float32, layout: .mono)
    var encoder = try AACEncoder(format: format, bitRate: 96_000, seam: seam, waits: seam == nil)
    var packets = try encoder.encode(PCMBuffer(music, sampleRate: Self.rate, layout: .mono))
    packets += encoder.finish().packets
    return try packets.prefix(count).map { Array(try $0.payload.load()) }
  }

  private func decode(_ packets: [[UInt8]]) throws -> [Float] {
    let decoder = try AACDecoder(configuration: AudioSpecificConfig(sampleRate: 44_100, channelConfiguration: 1))
    return try packets.flatMap { packet -> [Float] in try decoder.decode(sample(packet)).payload.floats }
  }

  private func sample(_ bytes: [UInt8]) -> EncodedSample { packet(bytes) }

  /// The ratio of what is to be heard to the difference, of the frames at the seam.
  private func ratio(_ heard: [Float], _ wanted: [Float]) -> Double {
    var (signal, error) = (0.0, 0.0)
    for frame in (Self.seam.lowerBound * 1024)..<((Self.seam.upperBound + 1) * 1024) {
      signal += Double(wanted[frame] * wanted[frame])
      error += Double((heard[frame] - wanted[frame]) * (heard[frame] - wanted[frame]))
    }
    return signal / error
  }

  @Test(
    "new packets continue those that stay, whatever shapes of windows these have",
    arguments: [
      (WindowShape.sine, WindowShape.sine), (.kaiserBessel, .kaiserBessel), (.sine, .kaiserBessel),
      (.kaiserBessel, .sine),
    ])
  func shapes(before: WindowShape, after: WindowShape) throws {
    let music = Sound.music(frames: 60 * 1024, channels: 1, rate: Self.rate)
    let (old, new) = (try packets(music, before), try packets(music, after))
    // Before the seam one stream, after it the other; the encoder gets the sound as it is.
    func spliced(_ first: WindowShape, _ last: WindowShape) throws -> [Float] {
      let start = Self.seam.lowerBound
      let seam = EncoderSeam(
        first: 3, end: 3 + Self.seam.count, before: PacketWindows([(.onlyLong, first)]),
        after: PacketWindows([(.onlyLong, last)]))
      let made = try encode(Array(music[((start - 3) * 1024)...]), seam, count: 3 + Self.seam.count)[3...]
      return try decode(Array(old[..<start]) + Array(made) + Array(new[Self.seam.upperBound...]))
    }
    // A decoder is a packet behind what was put in.
    let wanted = [Float](repeating: 0, count: 1024) + music
    let right = try ratio(spliced(before, after), wanted)
    let unchanged = try ratio(decode(old), wanted)
    #expect(right > 0.5 * unchanged)
    // With windows of another shape, aliasing is left.
    let other: (WindowShape) -> WindowShape = { $0 == .sine ? .kaiserBessel : .sine }
    let wrong = try ratio(spliced(other(before), other(after)), wanted)
    #expect(wrong < 0.5 * right)
  }

  @Test("windows of a packet are those that it was made with")
  func windows() throws {
    let music = Sound.music(frames: 8 * 1024, channels: 1, rate: Self.rate)
    let decoder = try AACDecoder(configuration: AudioSpecificConfig(sampleRate: 44_100, channelConfiguration: 1))
    for shape in [WindowShape.sine, .kaiserBessel] {
      let found = decoder.windows(of: try packets(music, shape)[4])
      #expect(found == PacketWindows([(.onlyLong, shape)]))
    }
    #expect(PacketWindows([(.onlyLong, .sine), (.longStart, .sine)]) == nil)
    #expect(decoder.windows(of: [0xFF]) == nil)
  }
}
