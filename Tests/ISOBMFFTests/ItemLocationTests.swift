import ISOBMFF
import TestSupport
import Testing

/// `iloc`, whose fields have widths that the box itself says.
@Suite(.inTurn)
struct ItemLocationTests {
  /// A box of one item in two extents, by hand: version, widths as in the file, the item, its extents.
  private static let boxes: [(version: UInt8, widths: [UInt8], item: [UInt8])] = [
    (0, [0x44, 0x00], [0, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 9, 0, 0, 2, 0, 0, 0, 0, 7]),
    (
      1, [0x44, 0x40],
      [0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 2, 0, 0, 0xFF, 0xFB] + [0, 0, 0, 9, 0, 0, 1, 0xFB, 0, 0, 0, 7]
    ),
    (
      2, [0x84, 0x04],
      [0, 0, 0, 1, 0, 2, 0, 0, 0, 2] + [0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 9]
        + [0, 0, 0, 4] + [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 7]
    ),
  ]

  @Test("items are read in each version and with each width, and written as they were", arguments: 0..<3)
  func reads(number: Int) throws {
    let (version, widths, item) = Self.boxes[number]
    let count: [UInt8] = version < 2 ? [0, 1] : [0, 0, 0, 1]
    let bytes = [version, 0, 0, 0] + widths + count + item
    let (box, used) = try ItemLocationBox.read(bytes[...])
    #expect(used == bytes.count)
    #expect(box.written() == bytes)
    #expect(box.items.map(\.itemID) == [1])
    let base = version == 1 ? UInt64(5) : 0
    let first: UInt64 = version == 1 ? 0xFFFB : 0x100
    #expect(box.items[0].baseOffset == base)
    #expect(box.items[0].extents.map(\.offset) == [first, version == 1 ? 0x1FB : 0x200])
    #expect(box.items[0].extents.map(\.length) == [9, 7])
    #expect(box.items[0].extents.map(\.index) == (version == 2 ? [3, 4] : [0, 0]))
    #expect(box.items[0].constructionMethod == (version == 2 ? 2 : 0))
    #expect(box.fields().first { $0.name == "items" } != nil)
  }

  @Test("widths that do not exist, and counts that nothing bounds, are errors")
  func refuses() {
    for bytes: [UInt8] in [
      [0, 0, 0, 0, 0x34, 0x00, 0, 0],
      [1, 0, 0, 0, 0x44, 0x01, 0, 0],
      [3, 0, 0, 0, 0x44, 0x00, 0, 0, 0, 0],
      // A thousand extents of no bytes.
      [0, 0, 0, 0, 0x00, 0x00, 0, 1, 0, 1, 0, 0, 3, 0xE8] + [UInt8](repeating: 0, count: 2000),
      // Four billion items.
      [2, 0, 0, 0, 0x44, 0x00, 0xFF, 0xFF, 0xFF, 0xFF],
    ] {
      #expect(throws: BoxError.self) { try ItemLocationBox.read(bytes[...]) }
    }
    // In version 0 the last four bits are reserved.
    #expect(throws: Never.self) { try ItemLocationBox.read([0, 0, 0, 0, 0x44, 0x01, 0, 0]) }
  }

  @Test("an error about a width names its field")
  func namesWidth() {
    for (widths, field) in [
      ([0x34, 0x00], "offset_size"), ([0x43, 0x00], "length_size"), ([0x44, 0x30], "base_offset_size"),
      ([0x44, 0x03], "index_size"),
    ] as [([UInt8], String)] {
      let error = #expect(throws: BoxError.self) { try ItemLocationBox.read([1, 0, 0, 0] + widths + [0, 0]) }
      #expect(error == BoxError(.invalidValue(3), field: field))
    }
  }
}
