import ISOBMFF
import MediaCore
import TestSupport
import Testing

@Suite("Sample tables, groups, encryption and fragments", .inTurn)
struct SampleTableBoxTests {
  @Test("media headers")
  func mediaHeaders() throws {
    #expect(try sample(VideoMediaHeaderBox.self, "00000001 0024 0001 0002 0003").opcolour == [1, 2, 3])
    #expect(try sample(SoundMediaHeaderBox.self, "00000000 ff00 0000").balance == -256)
    let hint = try sample(HintMediaHeaderBox.self, "00000000 05dc 0400 00010000 00008000 00000000")
    #expect(hint.maximumPDUSize == 1500)
    #expect(hint.averageBitrate == 32768)
    #expect(try sample(NullMediaHeaderBox.self, "00000007").versionAndFlags.flags == 7)
    #expect(try sample(BaseMediaInfoBox.self, "00000000 0040 8000 8000 8000 0100 0000").balance == 256)
  }

  @Test("cslg in 32 and 64 bits")
  func compositionToDecode() throws {
    let narrow = try sample(CompositionToDecodeBox.self, "00000000 000003e9 fffffc17 000003e9 00000000 0000778b")
    #expect(narrow.leastDecodeToDisplayDelta == -1001)
    #expect(narrow.compositionEndTime == 30603)
    let wide = try sample(
      CompositionToDecodeBox.self,
      "01000000 0000000000000001 ffffffffffffffff 0000000000000002 0000000000000003 7fffffffffffffff")
    #expect(wide.leastDecodeToDisplayDelta == -1)
    #expect(wide.compositionEndTime == .max)
  }

  @Test("stps, sdtp, stdp, padb")
  func perSample() throws {
    #expect(
      try sample(PartialSyncSampleBox.self, "00000000 00000002 00000003 00000009").sampleNumbers.entries == [3, 9])
    #expect(try sample(SampleDependencyTypeBox.self, "00000000 201018").dependencies == [0x20, 0x10, 0x18])
    #expect(try sample(DegradationPriorityBox.self, "00000000 0001 0002").priorities.count == 4)
    let padding = try sample(PaddingBitsBox.self, "00000000 00000003 12 30")
    #expect(padding.sampleCount == 3)
    #expect(padding.packed == [0x12, 0x30])
  }

  @Test("sbgp with and without a parameter")
  func sampleToGroup() throws {
    let box = try sample(SampleToGroupBox.self, "00000000 726f6c6c 00000001 00003cb4 00000001")
    #expect(box.groupingType == "roll")
    #expect(box.runs.entries == [SampleToGroupEntry(sampleCount: 15540, groupDescriptionIndex: 1)])
    let other = try sample(SampleToGroupBox.self, "01000000 74656c65 00000005 00000001 00000001 00010002")
    #expect(other.groupingTypeParameter == 5)
    #expect(other.runs[0]?.groupDescriptionIndex == 0x10002)
  }

  @Test("sgpd: sizes in common, of each, and not said")
  func groupDescriptions() throws {
    let common = try sample(SampleGroupDescriptionBox.self, "01000000 726f6c6c 00000002 00000002 ffff fffe")
    #expect(common.descriptions == [[0xFF, 0xFF], [0xFF, 0xFE]])
    #expect(common.description(at: 2) == [0xFF, 0xFE])
    #expect(common.description(at: 0) == nil)
    #expect(common.description(at: 3) == nil)
    let each = try sample(
      SampleGroupDescriptionBox.self, "02000000 73656967 00000000 00000001 00000002 00000001 aa 00000000")
    #expect(each.defaultDescriptionIndex == 1)
    #expect(each.descriptions == [[0xAA], []])
    let old = try sample(SampleGroupDescriptionBox.self, "00000000 726f6c6c 00000002 ffff fffe")
    #expect(old.description(at: 2) == [0xFF, 0xFE])
    #expect(old.description(at: 3) == nil)
  }

  @Test("csgp: 84 places in a pattern over 130 samples, four bits each")
  func compactGroups() throws {
    let box = try sample(
      CompactSampleToGroupBox.self,
      "00000014 726f6c6c 00000001 54 82" + String(repeating: "00", count: 19) + "10"
        + String(repeating: "00", count: 22))
    let patterns = try #require(box.patterns)
    #expect(patterns.count == 1)
    #expect(patterns.first?.sampleCount == 130)
    #expect(patterns.first?.groupDescriptionIndices.count == 84)
    #expect(patterns.first?.groupDescriptionIndices.firstIndex(of: 1) == 38)
    let wide = try sample(
      CompactSampleToGroupBox.self, "0000007f 726f6c6c 00000009 00000001 00000002 00000007 00000001 80000002")
    #expect(wide.groupingTypeParameter == 9)
    #expect(wide.patterns?.map(\.sampleCount) == [7])
    #expect(wide.patterns?.map(\.groupDescriptionIndices) == [[1, 0x8000_0002]])
    #expect(try sample(CompactSampleToGroupBox.self, "00000000 726f6c6c ffffffff 11").patterns == nil)
    #expect(try sample(CompactSampleToGroupBox.self, "00000000 726f6c6c 00000001 f1 00").patterns == nil)
  }

  @Test("subs")
  func subSamples() throws {
    let box = try sample(
      SubSampleInformationBox.self, "01000000 00000001 00000001 0002 000004f8 00 00 00000000 0000247b 01 02 00000003")
    #expect(box.entries.first?.sampleDelta == 1)
    #expect(box.entries.first?.parts.map(\.size) == [1272, 9339])
    #expect(box.entries.first?.parts.last?.codecSpecificParameters == 3)
    let narrow = try sample(SubSampleInformationBox.self, "00000000 00000001 00000005 0001 04f8 01 01 00000000")
    #expect(narrow.entries.first?.parts.first?.size == 1272)
  }

  @Test("saiz, saio, senc")
  func auxiliaryInformation() throws {
    let sizes = try sample(SampleAuxiliaryInformationSizesBox.self, "00000001 63656e63 00000000 00 00000003 0a1e18")
    #expect(sizes.type.type == "cenc")
    #expect(sizes.sizes == [10, 30, 24])
    #expect(try sample(SampleAuxiliaryInformationSizesBox.self, "00000000 08 ffffffff").sampleCount == .max)
    let offsets = try sample(SampleAuxiliaryInformationOffsetsBox.self, "00000000 00000001 0000042a")
    #expect(offsets.offsets32.entries == [1066])
    let wide = try sample(SampleAuxiliaryInformationOffsetsBox.self, "01000000 00000001 000000010000042a")
    #expect(wide.offsets64.entries == [0x1_0000_042A])
    let encryption = try sample(SampleEncryptionBox.self, "00000002 00000001 0102030405060708 0001 0005 000002ae")
    #expect(encryption.sampleCount == 1)
    #expect(encryption.samples.count == 16)
  }

  @Test("schm, frma, tenc, pssh")
  func protection() throws {
    let scheme = try sample(SchemeTypeBox.self, "00000001 63626373 00010000" + ascii("http://a") + "00")
    #expect(scheme.schemeType == "cbcs")
    #expect(scheme.schemeURI.text == "http://a")
    #expect(try sample(OriginalFormatBox.self, "6d703461").dataFormat == "mp4a")
    let key = "019c8e75b86d71fbaeb9fa93b2a67e20"
    let pattern = try sample(
      TrackEncryptionBox.self, "01000000 00 19 01 00" + key + "10 30313233343536373839616263646566")
    #expect(pattern.cryptByteBlock == 1)
    #expect(pattern.skipByteBlock == 9)
    #expect(pattern.keyID == bytes(key))
    #expect(pattern.constantIV == Array("0123456789abcdef".utf8))
    #expect(try sample(TrackEncryptionBox.self, "00000000 00 00 01 08" + key).perSampleIVSize == 8)
    let header = try sample(
      ProtectionSystemSpecificHeaderBox.self,
      "01000000 1077efecc0b24d02ace33c1e52e2fb4b 00000001" + key + "00000002 aabb")
    #expect(header.systemID == bytes("1077efecc0b24d02ace33c1e52e2fb4b"))
    #expect(header.keyIDs == [bytes(key)])
    #expect(header.data == [0xAA, 0xBB])
  }

  @Test("trep, mfro, tfra")
  func fragments() throws {
    #expect(try sample(TrackExtensionPropertiesBox.self, "00000000 00000002").trackID == 2)
    #expect(try sample(MovieFragmentRandomAccessOffsetBox.self, "00000000 00000046").parentSize == 70)
    let narrow = try sample(
      TrackFragmentRandomAccessBox.self, "00000000 00000001 00000000 00000001 00000000 00000273 01 02 03")
    #expect(narrow.entries.first?.moofOffset == 627)
    #expect(narrow.entries.first?.sampleNumber == 3)
    let wide = try sample(
      TrackFragmentRandomAccessBox.self,
      "01000000 00000001 0000001b 00000001 0000000000000009 0000000100000000 0001 000002 00000003")
    #expect(wide.trafNumberSizeMinusOne == 1)
    #expect(wide.entries.first?.moofOffset == 1 << 32)
    #expect(wide.entries.first?.trafNumber == 1)
    #expect(wide.entries.first?.trunNumber == 2)
    #expect(wide.entries.first?.sampleNumber == 3)
  }

  @Test("sidx, ssix, prft, emsg, pdin")
  func segments() throws {
    let index = try sample(
      SegmentIndexBox.self, "00000000 00000001 0000bb80 00000100 00000010 0000 0001 80005f94 00017400 90000005")
    #expect(index.timescale == 48000)
    #expect(index.earliestPresentationTime == 256)
    #expect(index.firstOffset == 16)
    #expect(index.references[0]?.isIndex == true)
    #expect(index.references[0]?.referencedSize == 24468)
    #expect(index.references[0]?.subsegmentDuration == 95232)
    #expect(index.references[0]?.startsWithAccessPoint == true)
    let wide = try sample(
      SegmentIndexBox.self, "01000000 00000001 0000bb80 0000000100000000 0000000000000000 0000 0000")
    #expect(wide.earliestPresentationTime == 1 << 32)
    let levels = try sample(SubsegmentIndexBox.self, "00000000 00000001 00000002 01000100 02000200")
    #expect(levels.subsegments.first?.levelsAndSizes.entries == [0x0100_0100, 0x0200_0200])
    let time = try sample(ProducerReferenceTimeBox.self, "01000000 00000001 e000000080000000 0000000100000002")
    #expect(time.ntpTimestamp == 0xE000_0000_8000_0000)
    #expect(time.mediaTime == 0x1_0000_0002)
    let old = try sample(
      EventMessageBox.self, "00000000 61 00 62 00 00007530 00000005 0000000a 00000001 cc")
    #expect(old.schemeIDURI.text == "a")
    #expect(old.presentationTime == 5)
    #expect(old.messageData == [0xCC])
    let new = try sample(
      EventMessageBox.self, "01000000 00007530 0000000100000005 0000000a 00000001 61 00 62 00 cc")
    #expect(new.value.text == "b")
    #expect(new.presentationTime == 0x1_0000_0005)
    #expect(new.id == 1)
    #expect(try sample(ProgressiveDownloadInformationBox.self, "00000000 00000400 000003e8").delays[0]?.rate == 1024)
  }
}
