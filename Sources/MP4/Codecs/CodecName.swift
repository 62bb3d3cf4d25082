internal import ISOBMFF
internal import MediaCore

/// Human-readable codec names.
enum CodecName {
  /// The name of a codec, from its code and, for MPEG-4 descriptors, the object type in them.
  static func make(codec: FourCC, entry: BoxNode) -> String {
    if codec == "mp4a" || codec == "mp4v", let descriptor = CodecString.descriptor(entry),
      let type = descriptor.objectTypeIndication
    {
      if type == ObjectType.mpeg4Audio {
        return AudioObjectType.read(descriptor.decoderSpecificInfo ?? []).map(AudioObjectType.name) ?? "AAC"
      }
      if let name = objectTypes.value(of: type) { return name }
    }
    return names.value(of: codec) ?? codec.description.trimmingTrailingSpaces
  }

  private static let objectTypes: KeyValuePairs<UInt8, String> = [
    0x20: "MPEG-4 Part 2", 0x21: "H.264", 0x23: "H.265", 0x60: "MPEG-2 Video", 0x61: "MPEG-2 Video",
    0x62: "MPEG-2 Video", 0x63: "MPEG-2 Video", 0x64: "MPEG-2 Video", 0x65: "MPEG-2 Video", 0x66: "MPEG-2 AAC Main",
    0x67: "MPEG-2 AAC-LC", 0x68: "MPEG-2 AAC SSR", 0x69: "MP3", 0x6A: "MPEG-1 Video", 0x6B: "MP3", 0x6C: "JPEG",
    0xA5: "AC-3", 0xA6: "E-AC-3", 0xA9: "DTS", 0xAA: "DTS-HD", 0xAB: "DTS-HD", 0xAC: "DTS Express", 0xAD: "Opus",
    0xDD: "Vorbis", 0xE1: "QCELP",
  ]

  private static let names: KeyValuePairs<FourCC, String> = [
    "avc1": "H.264", "avc2": "H.264", "avc3": "H.264", "avc4": "H.264", "dvav": "H.264 (Dolby Vision)",
    "dva1": "H.264 (Dolby Vision)", "hvc1": "H.265", "hev1": "H.265", "hvc2": "H.265", "hev2": "H.265",
    "dvh1": "H.265 (Dolby Vision)", "dvhe": "H.265 (Dolby Vision)", "vvc1": "H.266", "vvi1": "H.266", "av01": "AV1",
    "vp08": "VP8", "vp09": "VP9", "mp4v": "MPEG-4 Part 2", "s263": "H.263", "h263": "H.263", "H263": "H.263",
    "jpeg": "JPEG", "mjp2": "JPEG 2000", "mjpa": "Motion JPEG", "mjpb": "Motion JPEG", "png ": "PNG",
    "apcn": "ProRes 422", "apch": "ProRes 422 HQ", "apcs": "ProRes 422 LT", "apco": "ProRes 422 Proxy",
    "ap4h": "ProRes 4444", "ap4x": "ProRes 4444 XQ", "dvc ": "DV", "dvcp": "DV", "dvh5": "DVCPRO HD",
    "SVQ1": "Sorenson 1",
    "SVQ3": "Sorenson 3", "cvid": "Cinepak", "rle ": "Animation", "mx5p": "MPEG-2 IMX", "xdv2": "XDCAM",
    "mp4a": "MPEG-4 Audio", "alac": "Apple Lossless", "fLaC": "FLAC", "Opus": "Opus", "ac-3": "AC-3", "ec-3": "E-AC-3",
    "ac-4": "AC-4", "mlpa": "TrueHD", "dtsc": "DTS", "dtsh": "DTS-HD", "dtsl": "DTS-HD", "dtse": "DTS Express",
    "dtsx": "DTS:X", "mhm1": "MPEG-H Audio", "mha1": "MPEG-H Audio", "mhm2": "MPEG-H Audio", "mha2": "MPEG-H Audio",
    "iamf": "IAMF", ".mp3": "MP3", "samr": "AMR", "sawb": "AMR-WB", "sevc": "EVRC", "sqcp": "QCELP", "wma ": "WMA",
    "ulaw": "PCM µ-law", "alaw": "PCM A-law", "twos": "PCM", "sowt": "PCM", "lpcm": "PCM", "ipcm": "PCM",
    "fpcm": "PCM float", "raw ": "PCM", "NONE": "PCM", "in16": "PCM", "in24": "PCM", "in32": "PCM", "fl32": "PCM float",
    "fl64": "PCM float", "ima4": "IMA ADPCM", "MAC3": "MACE 3:1", "MAC6": "MACE 6:1", "QDM2": "QDesign 2",
    "tx3g": "3GPP timed text", "text": "QuickTime text", "wvtt": "WebVTT", "stpp": "TTML", "sbtt": "text",
    "stxt": "text",
    "c608": "CEA-608 captions", "c708": "CEA-708 captions", "evte": "event messages", "mp4s": "MPEG-4 systems",
    "tmcd": "time code", "mebx": "timed metadata", "metx": "XML metadata", "mett": "text metadata",
    "urim": "URI metadata",
    "gpmd": "GoPro metadata", "camm": "camera motion", "rtp ": "RTP hints", "fdp ": "FLUTE hints", "it35": "ITU-T T.35",
  ]
}
