import MediaCore
import TestSupport
import Testing

@testable import AAC

@Suite("SBR syntax", .inTurn)
struct SBRSyntaxTests {
  @Test("a noise level below 0, as fdk-aac writes at times, is reported as it is")
  func negativeNoise() throws {
    let bands = try #require(SBRBands(SBRHeader(start: 8, stop: 8), rate: 44_100))
    let channel = SBRChannel()
    // One envelope with all differences in frequency, a level of 0, and then one less.
    var writer = BitWriter()
    writer.append(0, bits: 2 + 2 + 1 + 2 + 5)
    writer.append(SBRHuffmanCodes.levelFrequency30Codes[30], bits: Int(SBRHuffmanCodes.levelFrequency30Lengths[30]))
    writer.alignToByte()
    var reader = PacketBitReader(padded(writer.bytes), bytes: writer.bytes.count)
    channel.begin(try SBRTimeGrid(&reader), isCoarse: false)
    channel.readDeltaDirections(&reader)
    let fault = try #require(throws: PacketFault.self) { try channel.readNoise(&reader, bands, isBalance: false) }
    #expect(fault.error(packet: nil) == AACError(.invalidValue(-1), field: "bs_data_noise"))
  }

  @Test("an attack that a packet announced for the next one does not come after a pause")
  func pause() throws {
    // Of the second of four kinds, with one envelope, after which there is an attack.
    var writer = BitWriter()
    writer.append(0b01_00_00_1_0, bits: 8)
    let channel = SBRChannel()
    for hasPause in [false, true] {
      for _ in 0..<2 {
        if hasPause { channel.pause() }
        var reader = PacketBitReader(padded(writer.bytes), bytes: 1)
        channel.begin(try SBRTimeGrid(&reader), isCoarse: false)
      }
      #expect(channel.beginsWithTransient == !hasPause)
    }
  }

  /// Bytes with as many after them as the reader looks ahead.
  private func padded(_ bytes: [UInt8]) -> AlignedMemory<UInt8> {
    AlignedMemory(bytes + [UInt8](repeating: 0, count: PacketBitReader.padding))
  }
}
