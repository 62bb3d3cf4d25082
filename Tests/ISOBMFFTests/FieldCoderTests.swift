import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("Coding fields", .inTurn)
struct FieldCoderTests {
  @Test("bits cross byte boundaries both ways")
  func bits() throws {
    var coder = FieldCoder(reading: bytes("a5 c3 ff")[...])
    var (first, second, third, last) = (UInt8(0), UInt16(0), UInt8(0), UInt8(0))
    var flag = false
    try coder.bits("a", &first, 3)
    try coder.bits("b", &second, 11)
    try coder.flag("c", &flag)
    try coder.bits("d", &third, 1)
    try coder.integer("e", &last)
    #expect(first == 0b101)
    #expect(second == 0b00101_110000)
    #expect(flag)
    #expect(third == 1)
    #expect(last == 0xFF)
    var writer = FieldCoder(writing: BoxContext())
    try writer.bits("a", &first, 3)
    try writer.bits("b", &second, 11)
    try writer.flag("c", &flag)
    try writer.bits("d", &third, 1)
    try writer.integer("e", &last)
    #expect(writer.output == bytes("a5 c3 ff"))
  }

  @Test("counts and lengths that do not fit their field cut what is written")
  func clampedCounts() throws {
    var chapters = ChapterListBox()
    chapters.versionAndFlags.version = 0
    chapters.chapters = Array(repeating: ChapterListEntry(), count: 300)
    #expect(try ChapterListBox.read(chapters.written()[...]).0.chapters.count == 255)
    var text = InternationalText()
    text.bytes = [UInt8](repeating: 0x61, count: 70000)
    var box = InternationalTextBox()
    box.strings = [text]
    let (read, used) = try InternationalTextBox.read(box.written()[...])
    #expect(read.strings.map(\.bytes.count) == [65535])
    #expect(used == 65539)
  }

  @Test("text without its zero ends with the box, and is written so")
  func unterminatedText() throws {
    var coder = FieldCoder(reading: bytes("6162")[...])
    var text = BoxText()
    try coder.text("t", &text)
    #expect(text.text == "ab")
    #expect(!text.isTerminated)
    #expect(coder.remaining == 0)
  }

  @Test("text that is no UTF-8 is kept byte for byte and shown with replacements")
  func invalidText() throws {
    let box = try sample(AssetTextBox.self, "00000000 15c7 ff61 00")
    #expect(box.text.bytes == [0xFF, 0x61])
    #expect(box.text.text == "\u{FFFD}a")
  }

  @Test("a handler that ends before its name is written so")
  func shortHandler() throws {
    #expect(try !sample(HandlerBox.self, "00000000 00000000 736f756e").hasName)
    #expect(
      try sample(HandlerBox.self, "00000000 6d686c72 736f756e 6170706c 00000000 00000000 03616263").nameText == "abc")
  }
}
