import MediaCore
import TestSupport
import Testing

@testable import ISOBMFF

@Suite("What the registry knows", .inTurn)
struct BoxRegistryTests {
  /// Every kind of box that there is.
  private static let kinds: [any Box.Type] =
    BoxRegistry.boxes.map(\.value) + BoxRegistry.otherSampleEntries.map { $0.value as any Box.Type } + [
      AudioSampleEntry.self, VisualSampleEntry.self, GenericSampleEntry.self, TrackReferenceTypeBox.self,
      MetadataNameBox.self, InternationalTextBox.self,
    ]

  @Test("a box with nothing set can be written, read and printed")
  func defaults() throws {
    for kind in Self.kinds {
      let payload = kind.init().written()
      let (box, used, _) = try kind.readAny(payload[...], context: BoxContext())
      #expect(used == payload.count, "\(kind)")
      #expect(box.written() == payload, "\(kind)")
      #expect(payload.isEmpty || !box.fields().isEmpty || kind == InternationalTextBox.self, "\(kind)")
    }
  }

  @Test("bytes of any kind are refused or written as they were read")
  func anyBytes() {
    var random = Random(seed: 1)
    for kind in Self.kinds {
      checkRobustness(of: kind, with: kind.init().written())
      // Few ones, then many, and versions and flags that are likely.
      for ones in [0x01, 0x11, 0x55, 0xFF] as [UInt8] {
        let bytes = (0..<120).map { index in
          index < 4 ? UInt8(index == 0 ? random.below(3) : random.below(2)) : random.byte() & ones
        }
        checkRobustness(of: kind, with: bytes)
      }
    }
  }

  @Test("a count of 0xFFFFFFFF is refused before anything is allocated")
  func impossibleCounts() {
    let counted: [(any Box.Type, String)] = [
      (TimeToSampleBox.self, "00000000"), (CompositionOffsetBox.self, "00000000"),
      (SampleToChunkBox.self, "00000000"), (SampleSizeBox.self, "00000000 00000000"),
      (CompactSampleSizeBox.self, "00000000 00000010"), (ChunkOffsetBox.self, "00000000"),
      (ChunkLargeOffsetBox.self, "00000000"), (SyncSampleBox.self, "00000000"),
      (PartialSyncSampleBox.self, "00000000"), (EditListBox.self, "00000000"), (EditListBox.self, "01000000"),
      (PaddingBitsBox.self, "00000000"), (SampleToGroupBox.self, "00000000 726f6c6c"),
      (SampleGroupDescriptionBox.self, "01000000 726f6c6c 00000000"),
      (SampleGroupDescriptionBox.self, "01000000 726f6c6c 00000001"),
      (SampleGroupDescriptionBox.self, "01000000 726f6c6c ffffffff"), (SubSampleInformationBox.self, "00000000"),
      (SampleAuxiliaryInformationSizesBox.self, "00000000 00"),
      (SampleAuxiliaryInformationOffsetsBox.self, "00000000"),
      (SampleAuxiliaryInformationOffsetsBox.self, "01000000"),
      (TrackFragmentRandomAccessBox.self, "01000000 00000001 00000000"), (SubsegmentIndexBox.self, "00000000"),
      (TrackRunBox.self, "00000100"), (MetadataItemKeysBox.self, "00000000"), (ChapterListBox.self, "01000000 00"),
      (ProtectionSystemSpecificHeaderBox.self, "01000000 1077efecc0b24d02ace33c1e52e2fb4b"),
      (AudioChannelLayoutBox.self, "00000000 00000000 00000000"),
    ]
    for (kind, head) in counted {
      let payload = bytes(head + "ffffffff 0000000000000000")
      switch failure({ () throws(BoxError) in _ = try kind.readAny(payload[...], context: BoxContext()) }) {
      case .countExceedsBox, .truncated: break
      case let other: Issue.record("\(kind) \(head): \(String(describing: other))")
      }
    }
  }

  @Test("types mean different things in different places")
  func places() {
    func kind(_ type: FourCC, in parent: FourCC?, handler: FourCC? = nil) -> String {
      var context = BoxContext()
      context.handler = handler
      switch BoxRegistry.kind(of: type, in: parent, context: context) {
      case .container: return "container"
      case .box(let kind): return "\(kind)"
      case .unknown: return "unknown"
      }
    }
    #expect(kind("alac", in: "stsd", handler: "soun") == "AudioSampleEntry")
    #expect(kind("alac", in: "alac") == "AppleLosslessSpecificBox")
    #expect(kind("alac", in: "wave") == "AppleLosslessSpecificBox")
    #expect(kind("name", in: "----") == "MetadataNameBox")
    #expect(kind("name", in: "udta") == "unknown")
    #expect(kind("cprt", in: "udta") == "AssetTextBox")
    #expect(kind("cprt", in: "ilst") == "container")
    #expect(kind("free", in: "ilst") == "unknown")
    #expect(kind("free", in: "stsd", handler: "vide") == "unknown")
    #expect(kind("©xyz", in: "udta") == "InternationalTextBox")
    #expect(kind("©xyz", in: "ilst") == "container")
    #expect(kind("keys", in: "meta") == "MetadataItemKeysBox")
    #expect(kind("keys", in: "mebx") == "container")
    #expect(kind("tmcd", in: "gmhd") == "container")
    #expect(kind("tmcd", in: "tref") == "TrackReferenceTypeBox")
    #expect(kind("tmcd", in: "stsd", handler: "tmcd") == "TimecodeSampleEntry")
    #expect(kind("text", in: "stsd", handler: "text") == "QuickTimeTextSampleEntry")
    #expect(kind("text", in: "gmhd") == "unknown")
    #expect(kind("abcd", in: "stsd") == "GenericSampleEntry")
  }
}
