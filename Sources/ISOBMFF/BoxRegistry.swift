public import MediaCore

/// Which kind of box a type means, depending on where it stands.
public enum BoxRegistry {
  /// What is known of a type.
  public enum Kind: Sendable {
    /// Boxes, nothing else.
    case container
    /// Fields that are known.
    case box(any Box.Type)
    /// Bytes.
    case unknown
  }

  /// Boxes that hold nothing but boxes.
  static let containers: Set<FourCC> = [
    "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "mfra", "tref", "udta", "sinf",
    "schi", "gmhd", "wave", "rinf", "meco", "strk", "strd", "ilst", "iprp", "ipco", "tapt", "cmov", "sv3d", "proj",
  ]

  /// The kind of a box of this type inside a parent.
  public static func kind(of type: FourCC, in parent: FourCC?, context: BoxContext) -> Kind {
    switch parent {
    case "tref": return .box(TrackReferenceTypeBox.self)
    case "ilst": return .container
    case "stsd": return sampleEntry(type, context: context)
    case "gmhd" where type == "tmcd": return .container
    default: break
    }
    if containers.contains(type) { return .container }
    return boxes[type].map { .box($0) } ?? .unknown
  }

  /// Sample entries are told apart by the track's handler, as their types alone do not say what they describe.
  private static func sampleEntry(_ type: FourCC, context: BoxContext) -> Kind {
    switch context.handler {
    case "soun": .box(AudioSampleEntry.self)
    case "vide", "auxv", "pict": .box(VisualSampleEntry.self)
    default: .unknown
    }
  }

  /// Kinds whose meaning does not depend on where they stand.
  private static let boxes: [FourCC: any Box.Type] = [
    "ftyp": FileTypeBox.self,
    "styp": FileTypeBox.self,
    "mvhd": MovieHeaderBox.self,
    "tkhd": TrackHeaderBox.self,
    "elst": EditListBox.self,
    "mdhd": MediaHeaderBox.self,
    "hdlr": HandlerBox.self,
    "stsd": SampleDescriptionBox.self,
    "stts": TimeToSampleBox.self,
    "ctts": CompositionOffsetBox.self,
    "stsc": SampleToChunkBox.self,
    "stsz": SampleSizeBox.self,
    "stz2": CompactSampleSizeBox.self,
    "stco": ChunkOffsetBox.self,
    "co64": ChunkLargeOffsetBox.self,
    "stss": SyncSampleBox.self,
    "mehd": MovieExtendsHeaderBox.self,
    "trex": TrackExtendsBox.self,
    "mfhd": MovieFragmentHeaderBox.self,
    "tfhd": TrackFragmentHeaderBox.self,
    "tfdt": TrackFragmentBaseMediaDecodeTimeBox.self,
    "trun": TrackRunBox.self,
  ]
}
