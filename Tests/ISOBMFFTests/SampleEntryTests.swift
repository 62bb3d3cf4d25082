import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("Sample entries", .inTurn)
struct SampleEntryTests {
  private static let head = "000000000000 0002"

  @Test("tx3g")
  func timedText() throws {
    let box = try sample(
      TimedTextSampleEntry.self,
      Self.head + "40000000 01 ff 000000ff 0001 0002 0003 0004 0000 0000 0005 01 12 ffffff80")
    #expect(box.dataReferenceIndex == 2)
    #expect(box.style.displayFlags == 0x4000_0000)
    #expect(box.style.verticalJustification == -1)
    #expect(box.style.textBox == [1, 2, 3, 4])
    #expect(box.style.fontID == 5)
    #expect(box.style.faceStyleFlags == 1)
    #expect(box.style.fontSize == 18)
    #expect(box.style.textColour == 0xFFFF_FF80)
  }

  @Test("text: QuickTime's fields")
  func quickTimeText() throws {
    let fields =
      "00000001 00000001 0001 0002 0003 0000 0000 00f0 0140 0000000000000000 0003 0001 00 0000 ffff 0000 ffff"
    let box = try sample(QuickTimeTextSampleEntry.self, Self.head + fields + "05" + ascii("Arial"))
    #expect(!box.isTimedText)
    #expect(box.backgroundColour == [1, 2, 3])
    #expect(box.textBox == 0xF0_0140)
    #expect(box.fontFace == 1)
    #expect(box.foregroundColour == [0xFFFF, 0, 0xFFFF])
    #expect(box.fontName.text == "Arial")
    #expect(try !sample(QuickTimeTextSampleEntry.self, Self.head + fields).hasFontName)
  }

  @Test("text: 3GPP's fields, known by the font table after them")
  func textWithOtherFields() throws {
    let fields = Self.head + "00000001 00 00 00000000 0000000000000000 00000000 0001 00 00 00000000"
    let payload = bytes(fields + "0000000d 66746162 0001000100")
    let (box, used) = try QuickTimeTextSampleEntry.read(payload[...])
    #expect(box.isTimedText)
    #expect(box.style.fontID == 1)
    #expect(used == 38)
    checkRobustness(of: QuickTimeTextSampleEntry.self, with: payload)
  }

  @Test("stpp, stxt, metx")
  func text() throws {
    let xml = try sample(XMLSubtitleSampleEntry.self, Self.head + "6100 6200 6300")
    #expect(xml.namespace.text == "a")
    #expect(xml.schemaLocation.text == "b")
    #expect(xml.auxiliaryMIMETypes.text == "c")
    let simple = try sample(SimpleTextSampleEntry.self, Self.head + "00" + ascii("text/plain") + "00")
    #expect(simple.mimeFormat.text == "text/plain")
    #expect(try sample(XMLMetaDataSampleEntry.self, Self.head + "00 6100 00").namespace.text == "a")
    #expect(try sample(WebVTTTextBox.self, ascii("WEBVTT")).text == "WEBVTT")
  }

  @Test("tmcd: 29.97 frames a second, drop frame")
  func timecode() throws {
    let box = try sample(TimecodeSampleEntry.self, Self.head + "00000000 00000001 00007530 000003e9 1e 00")
    #expect(box.flags == 1)
    #expect(box.timescale == 30000)
    #expect(box.frameDuration == 1001)
    #expect(box.frameCount == 30)
  }

  @Test("entries of unknown kinds keep their bytes")
  func generic() throws {
    let box = try sample(GenericSampleEntry.self, Self.head + "0102")
    #expect(box.dataReferenceIndex == 2)
    #expect(box.data == [1, 2])
    #expect(try sample(PlainSampleEntry.self, Self.head).dataReferenceIndex == 2)
  }

  @Test("encrypted text: the original fields come before sinf")
  func protected() throws {
    let payload = bytes(Self.head + "6100 0000 00000008 73696e66")
    let (box, used) = try ProtectedSampleEntry.read(payload[...])
    #expect(box.originalFields == [0x61, 0, 0, 0])
    #expect(used == 12)
    checkRobustness(of: ProtectedSampleEntry.self, with: payload)
  }
}
