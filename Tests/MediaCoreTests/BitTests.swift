import MediaCore
import TestSupport
import Testing

/// Numbers of any width in bits, and numbers of whole bytes.
@Suite(.inTurn) struct BitTests {
  @Test("the bits of an ADTS header come out as the standard lays them out")
  func readsKnownBits() throws {
    // AAC-LC, 44.1 kHz, two channels, a frame of 371 bytes without a checksum (ISO/IEC 14496-3, 1.A.2.2).
    var reader = BitReader([0xFF, 0xF1, 0x50, 0x80, 0x2E, 0x7F, 0xFC] as [UInt8])
    #expect(try reader.bits(12) == 0xFFF)
    #expect(try reader.flag() == false)
    #expect(try reader.bits(2) == 0)
    #expect(try reader.flag())
    #expect(try reader.bits(2) == 1)
    #expect(try reader.bits(4) == 4)
    try reader.skip(1)
    #expect(try reader.bits(3) == 2)
    try reader.skip(4)
    #expect(try reader.bits(13) == 371)
    #expect(try reader.bits(11) == 0x7FF)
    #expect(try reader.bits(2) == 0)
    #expect(reader.remaining == 0)
  }

  @Test("whatever widths numbers are written with, they are read again, and the bytes are their binary digits")
  func roundTripsAnyWidths() throws {
    var noise = Noise(seed: 3)
    for _ in 0..<200 {
      let widths = (0..<Int.random(in: 1...60, using: &noise)).map { _ in Int.random(in: 0...32, using: &noise) }
      let values = widths.map { UInt32(truncatingIfNeeded: noise.next() & ((1 << UInt64($0)) - 1)) }
      var writer = BitWriter()
      // Bits above the width are not written, so they may be anything.
      for (value, width) in zip(values, widths) {
        writer.append(width == 32 ? value : value | ~0 << UInt32(width), bits: width)
      }
      #expect(writer.position == widths.reduce(0, +))
      #expect(writer.bytes == bytes(ofDigits: zip(values, widths).map { digits($0, width: $1) }.joined()))
      var reader = BitReader(writer.bytes)
      for (value, width) in zip(values, widths) { #expect(try reader.bits(width) == value) }
      #expect(reader.remaining < 8)
    }
  }

  @Test("asking for more bits than there are throws and moves nothing")
  func endsWithoutMoving() throws {
    var reader = BitReader([0b1010_0000] as [UInt8])
    #expect(try reader.bits(3) == 0b101)
    #expect(throws: BitReader.EndOfData.self) { try reader.bits(6) }
    #expect(throws: BitReader.EndOfData.self) { try reader.skip(6) }
    #expect(throws: BitReader.EndOfData.self) { try reader.bits(33) }
    #expect(throws: BitReader.EndOfData.self) { try reader.bits(-1) }
    #expect(throws: BitReader.EndOfData.self) { try reader.skip(-1) }
    #expect(reader.position == 3)
    #expect(try reader.bits(5) == 0)
    #expect(try reader.bits(0) == 0)
    #expect(throws: BitReader.EndOfData.self) { try reader.flag() }
  }

  @Test("both align to the next byte, and stay where they are on one")
  func alignsToBytes() throws {
    var writer = BitWriter()
    writer.alignToByte()
    #expect(writer.bytes.isEmpty)
    writer.append(true)
    writer.alignToByte()
    #expect(writer.position == 8)
    writer.alignToByte()
    writer.append(0xAB, bits: 8)
    #expect(writer.bytes == [0x80, 0xAB])
    var reader = BitReader(writer.bytes)
    reader.alignToByte()
    #expect(reader.position == 0)
    #expect(try reader.flag())
    reader.alignToByte()
    #expect(try reader.bits(8) == 0xAB)
  }

  @Test("a slice is read from its own start")
  func readsSlices() throws {
    var reader = BitReader(([1, 2, 3, 4] as [UInt8])[2...])
    #expect(reader.remaining == 16)
    #expect(try reader.bits(16) == 0x0304)
  }

  @Test("numbers of whole bytes are written and read most significant byte first")
  func readsBigEndian() {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(UInt16(0x0102))
    bytes.appendBigEndian(Int32(-2))
    bytes.appendBigEndian(UInt64(0x0304_0506_0708_090A))
    bytes.appendBigEndian(UInt8(11))
    #expect(bytes == [1, 2, 0xFF, 0xFF, 0xFF, 0xFE, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    let span = bytes.span
    #expect(span.bigEndian(at: 0, as: UInt16.self) == 0x0102)
    #expect(span.bigEndian(at: 2, as: Int32.self) == -2)
    #expect(span.bigEndian(at: 6, as: UInt64.self) == 0x0304_0506_0708_090A)
    // At an odd place too, where a load that wants alignment would trap.
    #expect(span.bigEndian(at: 1, as: UInt32.self) == 0x02FF_FFFF)
    #expect(span.bigEndian(at: 14, as: UInt8.self) == 11)
  }

  private func digits(_ value: UInt32, width: Int) -> String {
    let text = width == 0 ? "" : String(value, radix: 2)
    return String(repeating: "0", count: width - text.count) + text
  }

  private func bytes(ofDigits digits: String) -> [UInt8] {
    let padded = Array(digits + String(repeating: "0", count: (8 - digits.count % 8) % 8))
    return stride(from: 0, to: padded.count, by: 8).map { UInt8(String(padded[$0..<($0 + 8)]), radix: 2) ?? 0 }
  }
}
