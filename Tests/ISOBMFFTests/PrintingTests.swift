import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("How boxes are shown", .inTurn)
struct PrintingTests {
  /// A field a line.
  private func text(_ box: some Box) -> String {
    box.fields().map(line).joined(separator: "\n")
  }

  private func line(_ field: Field) -> String {
    switch field.value {
    case .integer(let value): "\(field.name): \(value)"
    case .number(let value): "\(field.name): \(value)"
    case .text(let value): "\(field.name): \"\(value)\""
    case .bytes(let value): "\(field.name): \(hexadecimal(value))"
    case .table(let table): "\(field.name): \(table.columns) \(table.rows) of \(table.total)"
    case .list(let rows, let total):
      "\(field.name): \(rows.map { $0.map(line).joined(separator: ", ") }) of \(total)"
    }
  }

  @Test("numbers, fractions and codes")
  func fields() throws {
    let scheme = try sample(SchemeTypeBox.self, "00000000 63656e63 00010000")
    #expect(text(scheme) == "version: 0\nflags: \"0x0\"\nscheme_type: \"cenc\"\nscheme_version: 65536")
    let aperture = try sample(TrackApertureBox.self, "00000000 02808000 01ac0000")
    #expect(text(aperture) == "version: 0\nflags: \"0x0\"\nwidth: 640.5\nheight: 428.0")
  }

  @Test("an esds box shows what its descriptors say")
  func descriptors() throws {
    let box = try sample(
      ElementaryStreamDescriptorBox.self,
      "00000000 03 19 0000 00 04 11 40 15 001800 0000fa00 0000bb80 05 02 1188 06 01 02")
    #expect(
      text(box) == """
        version: 0
        flags: "0x0"
        objectTypeIndication: 64
        streamType: 5
        bufferSizeDB: 6144
        maxBitrate: 64000
        avgBitrate: 48000
        DecoderSpecificInfo: 1188
        """)
  }

  @Test("bits are shown one field each, reserved ones not at all")
  func bits() throws {
    #expect(
      text(try sample(AC3SpecificBox.self, "103de0")) == """
        fscod: 0
        bsid: 8
        bsmod: 0
        acmod: 7
        lfeon: 1
        bit_rate_code: 15
        """)
  }

  @Test("of long tables and lists the first eight entries are shown, and how many there are")
  func tables() throws {
    let times = try sample(TimeToSampleBox.self, "00000000 00000001 00000003 00000400")
    #expect(text(times).hasSuffix("entries: [\"sample_count\", \"sample_delta\"] [[3, 1024]] of 1"))
    var chapters = ChapterListBox()
    chapters.chapters = (0..<20).map { index in
      var chapter = ChapterListEntry()
      chapter.start = UInt64(index)
      chapter.title = BoxText("é\(index)")
      return chapter
    }
    guard case .list(let rows, total: 20) = chapters.fields().last?.value else {
      Issue.record("no list")
      return
    }
    #expect(rows.count == 8)
    #expect(rows.last?.map(line) == ["start: 7", "title: \"é7\""])
  }

  @Test("lists in lists keep their levels apart")
  func nestedLists() throws {
    let box = try sample(
      SubSampleInformationBox.self, "00000000 00000001 00000005 0001 04f8 01 00 00000000")
    let part = "subsample_size: 1272, subsample_priority: 1, discardable: 0, codec_specific_parameters: 0"
    let parts = #"subsamples: [\"\#(part)\"] of 1"#
    #expect(text(box) == "version: 0\nflags: \"0x0\"\nentries: [\"sample_delta: 5, \(parts)\"] of 1")
  }

  @Test("metadata is shown as what it is")
  func metadata() throws {
    #expect(text(MetadataDataBox(text: "Ä")).hasSuffix("value: \"Ä\""))
    #expect(text(try sample(MetadataDataBox.self, "0000000d 00000000 ffd8")).hasSuffix("value: ffd8"))
  }
}
