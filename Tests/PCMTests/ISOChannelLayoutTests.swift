import MediaCore
import TestSupport
import Testing

@testable import PCM

/// The loudspeakers that `chnl` boxes name.
@Suite(.inTurn) struct ISOChannelLayoutTests {
  /// A sample entry's bytes with such a box at its end.
  private func entry(version: UInt8 = 0, _ content: [UInt8]) -> [UInt8] {
    let box = Array("chnl".utf8) + [version, 0, 0, 0] + content
    return [UInt8](repeating: 0, count: 36) + Plain.u32(UInt32(4 + box.count)) + box
  }

  private func layout(_ entry: [UInt8], _ channels: Int) -> (mask: UInt32, order: [Int]?)? {
    ISOChannelLayout.stated(in: entry, channels: channels).map { ($0.layout.mask, $0.order) }
  }

  /// What ffmpeg 9 writes for its layouts, and the mask that it gives a WAVE file of the same layout.
  @Test(
    "positions that ffmpeg writes are the loudspeakers that it means",
    arguments: [
      ([0, 1, 8, 9], 0x33), ([0, 1, 3], 0xB), ([0, 1, 2, 3, 8, 9], 0x3F), ([0, 1, 2, 3, 10, 4, 5], 0x70F),
      ([0, 1, 2, 3, 8, 9, 4, 5], 0x63F), ([0, 1, 2, 3, 8, 9, 6, 7], 0xFF), ([0, 1, 2, 3, 4, 5, 17, 18], 0x560F),
    ] as [([UInt8], UInt32)])
  func positions(positions: [UInt8], mask: UInt32) throws {
    let found = try #require(layout(entry([1, 0] + positions), positions.count))
    #expect(found.mask == mask)
    let second = try #require(
      layout(entry(version: 1, [0x10, UInt8(positions.count), 0, UInt8(positions.count)] + positions), positions.count))
    #expect(second.mask == mask && second.order == found.order)
  }

  @Test("a usual layout has MPEG's order, which is brought into WAVE's, without the channels that it omits")
  func usual() throws {
    let all = [UInt8](repeating: 0, count: 8)
    let surround = try #require(layout(entry([1, 6] + all), 6))
    #expect(surround.mask == 0x60F && surround.order == [1, 2, 0, 5, 3, 4])
    let omitted = try #require(layout(entry([1, 6] + all.dropLast() + [0x20]), 5))
    #expect(omitted.mask == 0x607 && omitted.order == [1, 2, 0, 3, 4])
    let second = try #require(layout(entry(version: 1, [0x10, 6, 6, 0]), 6))
    #expect(second.mask == surround.mask && second.order == surround.order)
  }

  @Test("what WAVE cannot express, or makes no sense, is no layout")
  func none() {
    let all = [UInt8](repeating: 0, count: 8)
    for content in [
      [], [1], [1, 0], [1, 0, 0], [1, 0, 0, 0], [1, 0, 0, 126, 0, 0, 0], [1, 0, 0, 15], [1, 13] + all, [2, 1], [1, 2],
    ] as [[UInt8]] {
      #expect(layout(entry(content), 2) == nil, "\(content)")
      #expect(layout(entry(version: 1, content), 2) == nil, "\(content)")
    }
    #expect(layout([UInt8](repeating: 0, count: 36) + [0, 0, 1, 0] + Array("chnl".utf8), 2) == nil)
  }
}
