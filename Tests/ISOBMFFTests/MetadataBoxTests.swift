import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("Metadata and user data", .inTurn)
struct MetadataBoxTests {
  @Test("meta has version and flags in ISO files only")
  func meta() throws {
    #expect(try sample(MetaBox.self, "00000000").isFullBox)
    let (quickTime, used) = try MetaBox.read(bytes("00000020 68646c72 00000000")[...])
    #expect(!quickTime.isFullBox)
    #expect(used == 0)
    checkRobustness(of: MetaBox.self, with: bytes("00000020 68646c72 00000000"))
  }

  @Test("keys")
  func keys() throws {
    let box = try sample(
      MetadataItemKeysBox.self, "00000000 00000002 0000000b 6d647461 616263 00000008 75647461")
    #expect(box.keys.map(\.text) == ["abc", ""])
    #expect(box.keys.map(\.namespace) == ["mdta", "udta"])
    let impossible = bytes("00000000 00000001 00000007 6d647461")
    #expect(failure { () throws(BoxError) in _ = try MetadataItemKeysBox.read(impossible[...]) } == .invalidValue(7))
  }

  @Test("data: text, numbers, bytes")
  func data() throws {
    #expect(try sample(MetadataDataBox.self, "00000001 00000000 c3a4").text == "ä")
    #expect(try sample(MetadataDataBox.self, "00000002 00000000 00e4 d83d de00").text == "ä😀")
    #expect(try sample(MetadataDataBox.self, "00000015 00000000 fff3").integer == -13)
    #expect(try sample(MetadataDataBox.self, "00000016 00000000 fff3").integer == 65523)
    let bytes = try sample(MetadataDataBox.self, "00000000 00000000 0000 0001 0002 0000")
    #expect(bytes.text == nil)
    #expect(bytes.integer == nil)
    #expect(bytes.value.count == 8)
    #expect(MetadataDataBox(text: "ä").written() == [0, 0, 0, 1, 0, 0, 0, 0, 0xC3, 0xA4])
  }

  @Test("data: a number without a sign is never negative")
  func largeData() throws {
    #expect(try sample(MetadataDataBox.self, "00000016 00000000 7fffffffffffffff").integer == .max)
    #expect(try sample(MetadataDataBox.self, "00000016 00000000 8000000000000000").integer == nil)
    #expect(try sample(MetadataDataBox.self, "00000016 00000000 ffffffff").integer == 0xFFFF_FFFF)
    #expect(try sample(MetadataDataBox.self, "00000015 00000000 ffffffffffffffff").integer == -1)
  }

  @Test("mean and name")
  func freeForm() throws {
    #expect(try sample(MetadataMeanBox.self, "00000000" + ascii("com.apple.iTunes")).text == "com.apple.iTunes")
    #expect(try sample(MetadataNameBox.self, "00000000" + ascii("iTunSMPB")).text == "iTunSMPB")
  }

  @Test("chpl in both versions")
  func chapters() throws {
    let new = try sample(
      ChapterListBox.self, "01000000 00 00000002 0000000000000000 01 41 00000000001eab90 02 c3a4")
    #expect(new.chapters.map(\.start) == [0, 2_010_000])
    #expect(new.chapters.map(\.title.text) == ["A", "ä"])
    let old = try sample(ChapterListBox.self, "00000000 01 0000000000000001 00")
    #expect(old.chapters.map(\.start) == [1])
  }

  @Test("© text: several languages, and what is none of it")
  func internationalText() throws {
    let box = try sample(InternationalTextBox.self, "0003 15c7 616263 0001 0000 64")
    #expect(box.strings.map(\.text) == ["abc", "d"])
    #expect(box.strings.map(\.language) == [0x15C7, 0])
    let (padded, used) = try InternationalTextBox.read(bytes("0001 15c7 61 000000")[...])
    #expect(padded.strings.count == 1)
    #expect(used == 5)
    let foreign = bytes("0000001c 64617461 00000001")
    #expect(try InternationalTextBox.read(foreign[...]).0.written() == Array(foreign.prefix(4)))
    #expect(failure { () throws(BoxError) in _ = try InternationalTextBox.read([0x7F, 0, 0, 0]) } == .truncated)
  }

  @Test("3GPP text in UTF-8 and UTF-16")
  func assetText() throws {
    let plain = try sample(AssetTextBox.self, "00000000 15c7 c3a4 00")
    #expect(plain.text.text == "ä")
    #expect(LanguageCode.text(plain.language) == "eng")
    let wide = try sample(AssetTextBox.self, "00000000 15c7 feff 00e4 0100 0000")
    #expect(wide.text.text == "äĀ")
    #expect(try sample(AssetTextBox.self, "00000000 15c7 fffe e400 0000").text.text == "ä")
    #expect(try !sample(AssetTextBox.self, "00000000 15c7 feff 00e4").text.isTerminated)
    #expect(try !sample(AssetTextBox.self, "00000000 15c7 feff 00e4 00").text.isTerminated)
  }

  @Test("albm, yrrc, rtng, clsf, kywd")
  func otherAssets() throws {
    #expect(try sample(AlbumBox.self, "00000000 15c7 4100 07").trackNumber == 7)
    #expect(try !sample(AlbumBox.self, "00000000 15c7 4100").hasTrackNumber)
    #expect(try sample(RecordingYearBox.self, "00000000 07e8").year == 2024)
    let rating = try sample(RatingBox.self, "00000000 61626364 65666768 15c7 504700")
    #expect(rating.entity == "abcd")
    #expect(rating.rating.text == "PG")
    let classification = try sample(ClassificationBox.self, "00000000 61626364 0003 15c7 7800")
    #expect(classification.table == 3)
    #expect(classification.classification.text == "x")
    #expect(
      try sample(KeywordsBox.self, "00000000 15c7 02 02 6100 01 62").keywords.map(\.bytes) == [[0x61, 0], [0x62]])
  }

  @Test("loci")
  func location() throws {
    let box = try sample(
      LocationInformationBox.self, "00000000 15c7 4100 01 ffb58000 0028ae14 00010000 656172746800 00")
    #expect(box.name.text == "A")
    #expect(box.role == 1)
    #expect(Double(box.longitude) / 65536 == -74.5)
    #expect(box.latitude == 0x28_AE14)
    #expect(box.altitude == 65536)
    #expect(box.astronomicalBody.text == "earth")
  }

  @Test("elng with and without version, kind, ID32, iods")
  func trackData() throws {
    #expect(try sample(ExtendedLanguageBox.self, "00000000" + ascii("en-GB") + "00").extendedLanguage.text == "en-GB")
    #expect(try sample(ExtendedLanguageBox.self, ascii("en") + "00").extendedLanguage.text == "en")
    let kind = try sample(KindBox.self, "00000000" + ascii("urn:a") + "00" + ascii("main") + "00")
    #expect(kind.schemeURI.text == "urn:a")
    #expect(kind.value.text == "main")
    #expect(try sample(ID3v2Box.self, "00000000 15c7 494433").tag == Array("ID3".utf8)[...])
    #expect(try sample(ObjectDescriptorBox.self, "00000000 1007 004fffff15ffff").descriptor.first == 0x10)
  }

  @Test("data references")
  func dataReferences() throws {
    #expect(try sample(DataReferenceBox.self, "00000000 00000001").entryCount == 1)
    let here = try sample(DataEntryURLBox.self, "00000001")
    #expect(here.versionAndFlags.flags & 1 == 1)
    #expect(here.written() == DataEntryURLBox().written())
    let there = try sample(DataEntryURLBox.self, "00000000" + ascii("http://a/b") + "00")
    #expect(there.versionAndFlags.flags & 1 == 0)
    #expect(there.location.text == "http://a/b")
    #expect(try sample(DataEntryURNBox.self, "00000000 6100 6200").location.text == "b")
    #expect(try sample(DataEntryAliasBox.self, "00000001").versionAndFlags.flags & 1 == 1)
  }

  @Test("QuickTime's apertures, load settings and compressed movies")
  func quickTime() throws {
    #expect(try sample(TrackApertureBox.self, "00000000 02800000 01ac0000").height == 428 << 16)
    #expect(try sample(TrackLoadSettingsBox.self, "ffffffff 00000000 00000001 00000100").defaultHints == 256)
    #expect(try sample(DataCompressionBox.self, "7a6c6962").compression == "zlib")
    #expect(try sample(CompressedMovieDataBox.self, "00000400 789c").uncompressedSize == 1024)
  }

  @Test("texts of old QuickTime files are Mac Roman, unless they are UTF-8, and their languages have numbers")
  func macintosh() {
    var text = InternationalText()
    text.language = 0
    // As Python's mac_roman encodes them.
    for (bytes, expected) in [
      ([0x43, 0x61, 0x66, 0x8E], "Café"), ([0xA9, 0x20, 0xDB, 0xD2, 0xD3], "© €“”"), (Array("Zoë".utf8), "Zoë"),
      ([0xF5, 0xFF, 0x80], "ıˇÄ"),
    ] as [([UInt8], String)] {
      text.bytes = bytes
      #expect(text.text == expected)
    }
    // Source: QuickTime File Format, Macintosh Language Codes.
    for (number, language) in [
      (0, "eng"), (11, "jpn"), (44, "bul"), (45, "ukr"), (80, "vie"), (94, "epo"), (130, "cat"),
    ] {
      #expect(LanguageCode.text(UInt16(number)) == language)
    }
    #expect(LanguageCode.text(100) == "und" && LanguageCode.text(140) == "und")
  }
}
