import MediaCore
import TestSupport
import Testing

@Suite(.inTurn) struct FourCCTests {
  @Test("a code is its four bytes as one big-endian number")
  func hasItsNumber() {
    #expect(FourCC("moov").rawValue == 0x6D6F_6F76)
    #expect(FourCC("©nam").rawValue == 0xA96E_616D)
    #expect(FourCC(0x6D70_3461) == "mp4a")
  }

  @Test("a short literal is padded with spaces, as QuickTime's codes are")
  func padsWithSpaces() {
    #expect(FourCC("qt") == "qt  ")
    #expect(FourCC("qt").rawValue == 0x7174_2020)
    #expect(FourCC("").rawValue == 0x2020_2020)
  }

  @Test(
    "a code prints as text, and what a terminal could obey is escaped",
    arguments: [
      (0x6D6F_6F76, "moov", true),
      (0xA96E_616D, "©nam", true),
      (0x0000_0001, "\\x00\\x00\\x00\\x01", false),
      (0x1B5B_326A, "\\x1b[2j", false),
      (0x7F80_FF20, "\\x7f\\x80\\xff ", false),
    ] as [(UInt32, String, Bool)])
  func printsSafely(number: UInt32, text: String, isPrintable: Bool) {
    #expect(FourCC(number).description == text)
    #expect(FourCC(number).isPrintable == isPrintable)
  }

  @Test("bytes print as two lower-case digits each")
  func printsHexadecimal() {
    #expect(hexadecimal([]) == "")
    #expect(hexadecimal([0, 1, 0x9A, 0xFF]) == "00019aff")
    #expect(hexadecimal(0...255).count == 512)
  }
}
