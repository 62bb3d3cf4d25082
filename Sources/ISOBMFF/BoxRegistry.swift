package import MediaCore

/// Which kind of box a type means, depending on where it occurs.
package enum BoxRegistry {
  /// What is known about a type.
  package enum Kind: Sendable {
    /// Boxes, nothing else.
    case container
    /// Known fields.
    case box(any Box.Type)
    /// Bytes.
    case unknown
  }

  /// Whether a box holds nothing but boxes.
  static func isContainer(_ type: FourCC) -> Bool {
    switch type {
    case "moov", "trak", "edts", "mdia", "minf", "dinf", "stbl", "mvex", "moof", "traf", "mfra", "tref", "udta", "sinf",
      "schi", "gmhd", "wave", "rinf", "meco", "strk", "strd", "ilst", "iprp", "ipco", "tapt", "cmov", "sv3d", "proj":
      true
    default: false
    }
  }

  /// The kind of a box of this type inside a parent.
  package static func kind(of type: FourCC, in parent: FourCC?, context: BoxContext) -> Kind {
    if type == "free" || type == "skip" { return .unknown }
    switch parent {
    case "tref": return .box(TrackReferenceTypeBox.self)
    case "ilst": return .container
    case "stsd": return .box(sampleEntry(type, context: context))
    case "gmhd" where type == "tmcd": return .container
    case "udta" where type.rawValue >> 24 == 0xA9: return .box(InternationalTextBox.self)
    case "----" where type == "name": return .box(MetadataNameBox.self)
    // Timed metadata: the keys are boxes, their types are numbers.
    case "mebx" where type == "keys", "keys": return .container
    default: break
    }
    if isContainer(type) { return .container }
    return boxes.value(of: type).map { .box($0) } ?? .unknown
  }

  /// Sample entries are distinguished by the track's handler, as their types alone do not say what they describe.
  private static func sampleEntry(_ type: FourCC, context: BoxContext) -> any SampleEntry.Type {
    switch context.handler {
    case "soun": AudioSampleEntry.self
    case "vide", "auxv", "pict": VisualSampleEntry.self
    default: otherSampleEntries.value(of: type) ?? GenericSampleEntry.self
    }
  }

  /// Sample entries of tracks that are neither audio nor video.
  static let otherSampleEntries: KeyValuePairs<FourCC, any SampleEntry.Type> = [
    "tx3g": TimedTextSampleEntry.self,
    "stpp": XMLSubtitleSampleEntry.self,
    "sbtt": SimpleTextSampleEntry.self,
    "stxt": SimpleTextSampleEntry.self,
    "mett": SimpleTextSampleEntry.self,
    "metx": XMLMetaDataSampleEntry.self,
    "text": QuickTimeTextSampleEntry.self,
    "tmcd": TimecodeSampleEntry.self,
    "wvtt": PlainSampleEntry.self,
    "c608": PlainSampleEntry.self,
    "c708": PlainSampleEntry.self,
    "mp4s": PlainSampleEntry.self,
    "urim": PlainSampleEntry.self,
    "mebx": PlainSampleEntry.self,
    "enct": ProtectedSampleEntry.self,
    "encm": ProtectedSampleEntry.self,
    "encs": ProtectedSampleEntry.self,
  ]

  /// Kinds whose meaning does not depend on where they occur.
  static let boxes: KeyValuePairs<FourCC, any Box.Type> = [
    // The file, its movie, tracks and fragments.
    "ftyp": FileTypeBox.self,
    "styp": FileTypeBox.self,
    "pdin": ProgressiveDownloadInformationBox.self,
    "dcom": DataCompressionBox.self,
    "cmvd": CompressedMovieDataBox.self,
    "mvhd": MovieHeaderBox.self,
    "iods": ObjectDescriptorBox.self,
    "tkhd": TrackHeaderBox.self,
    "clef": TrackApertureBox.self,
    "prof": TrackApertureBox.self,
    "enof": TrackApertureBox.self,
    "load": TrackLoadSettingsBox.self,
    "elst": EditListBox.self,
    "mdhd": MediaHeaderBox.self,
    "hdlr": HandlerBox.self,
    "elng": ExtendedLanguageBox.self,
    "vmhd": VideoMediaHeaderBox.self,
    "smhd": SoundMediaHeaderBox.self,
    "hmhd": HintMediaHeaderBox.self,
    "nmhd": NullMediaHeaderBox.self,
    "sthd": NullMediaHeaderBox.self,
    "gmin": BaseMediaInfoBox.self,
    "dref": DataReferenceBox.self,
    "url ": DataEntryURLBox.self,
    "urn ": DataEntryURNBox.self,
    "alis": DataEntryAliasBox.self,
    "mehd": MovieExtendsHeaderBox.self,
    "trex": TrackExtendsBox.self,
    "trep": TrackExtensionPropertiesBox.self,
    "mfhd": MovieFragmentHeaderBox.self,
    "tfhd": TrackFragmentHeaderBox.self,
    "tfdt": TrackFragmentBaseMediaDecodeTimeBox.self,
    "trun": TrackRunBox.self,
    "tfra": TrackFragmentRandomAccessBox.self,
    "mfro": MovieFragmentRandomAccessOffsetBox.self,
    "sidx": SegmentIndexBox.self,
    "ssix": SubsegmentIndexBox.self,
    "prft": ProducerReferenceTimeBox.self,
    "emsg": EventMessageBox.self,

    // What the samples of a track are, and where.
    "stsd": SampleDescriptionBox.self,
    "stts": TimeToSampleBox.self,
    "ctts": CompositionOffsetBox.self,
    "cslg": CompositionToDecodeBox.self,
    "stsc": SampleToChunkBox.self,
    "stsz": SampleSizeBox.self,
    "stz2": CompactSampleSizeBox.self,
    "stco": ChunkOffsetBox.self,
    "co64": ChunkLargeOffsetBox.self,
    "stss": SyncSampleBox.self,
    "stps": PartialSyncSampleBox.self,
    "sdtp": SampleDependencyTypeBox.self,
    "stdp": DegradationPriorityBox.self,
    "padb": PaddingBitsBox.self,
    "subs": SubSampleInformationBox.self,
    "sbgp": SampleToGroupBox.self,
    "csgp": CompactSampleToGroupBox.self,
    "sgpd": SampleGroupDescriptionBox.self,
    "saiz": SampleAuxiliaryInformationSizesBox.self,
    "saio": SampleAuxiliaryInformationOffsetsBox.self,

    // Inside sample entries: codec configuration, and how video is to be displayed.
    "esds": ElementaryStreamDescriptorBox.self,
    "avcC": AVCConfigurationBox.self,
    "hvcC": HEVCConfigurationBox.self,
    "vvcC": VVCConfigurationBox.self,
    "av1C": AV1CodecConfigurationBox.self,
    "vpcC": VPCodecConfigurationBox.self,
    "dvcC": DolbyVisionConfigurationBox.self,
    "dvvC": DolbyVisionConfigurationBox.self,
    "dvwC": DolbyVisionConfigurationBox.self,
    "dOps": OpusSpecificBox.self,
    "dfLa": FLACSpecificBox.self,
    "alac": AppleLosslessSpecificBox.self,
    "dac3": AC3SpecificBox.self,
    "dec3": EC3SpecificBox.self,
    "dac4": AC4SpecificBox.self,
    "dmlp": MLPSpecificBox.self,
    "iacb": IAConfigurationBox.self,
    "mhaC": MHAConfigurationBox.self,
    "pcmC": PCMConfigurationBox.self,
    "srat": SamplingRateBox.self,
    "chnl": ChannelLayoutBox.self,
    "chan": AudioChannelLayoutBox.self,
    "vttC": WebVTTTextBox.self,
    "vlab": WebVTTTextBox.self,
    "btrt": BitRateBox.self,
    "colr": ColourInformationBox.self,
    "pasp": PixelAspectRatioBox.self,
    "clap": CleanApertureBox.self,
    "mdcv": MasteringDisplayColourVolumeBox.self,
    "clli": ContentLightLevelBox.self,
    "SmDm": SMPTE2086MasteringDisplayMetadataBox.self,
    "CoLL": VPContentLightLevelBox.self,
    "fiel": FieldHandlingBox.self,
    "gama": GammaBox.self,
    "st3d": Stereoscopic3DBox.self,

    // Encryption.
    "frma": OriginalFormatBox.self,
    "schm": SchemeTypeBox.self,
    "tenc": TrackEncryptionBox.self,
    "pssh": ProtectionSystemSpecificHeaderBox.self,
    "senc": SampleEncryptionBox.self,

    // Titles, chapters, places: metadata and user data.
    "meta": MetaBox.self,
    "iloc": ItemLocationBox.self,
    "keys": MetadataItemKeysBox.self,
    "data": MetadataDataBox.self,
    "mean": MetadataMeanBox.self,
    "chpl": ChapterListBox.self,
    "titl": AssetTextBox.self,
    "auth": AssetTextBox.self,
    "perf": AssetTextBox.self,
    "gnre": AssetTextBox.self,
    "dscp": AssetTextBox.self,
    "cprt": AssetTextBox.self,
    "albm": AlbumBox.self,
    "yrrc": RecordingYearBox.self,
    "rtng": RatingBox.self,
    "clsf": ClassificationBox.self,
    "kywd": KeywordsBox.self,
    "loci": LocationInformationBox.self,
    "kind": KindBox.self,
    "ID32": ID3v2Box.self,
  ]
}
