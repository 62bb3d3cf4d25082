internal import MediaCore

/// Formats that people often have instead of a movie, recognized by their first bytes: only so that an error can name
/// them. None of them can be read.
public enum UnsupportedFormat: Sendable, Hashable {
  /// MPEG-1 or MPEG-2 audio of layer I, II or III, with tags (ID3) in front or without.
  case mp3
  /// Free Lossless Audio Codec.
  case flac
  /// Ogg, which holds Vorbis, Opus and others.
  case ogg
  /// Matroska or WebM.
  case matroska
  /// Audio Video Interleave, by Microsoft.
  case avi
  /// Advanced Systems Format, by Microsoft: WMA and WMV.
  case asf
  /// An MPEG-2 transport stream, as television and cameras have it.
  case transportStream
  /// An MPEG program stream, as DVDs have it.
  case programStream
  /// Flash Video.
  case flashVideo
  /// H.264 or H.265 as a stream of NAL units with start codes.
  case nalUnits
  /// AC-3 or E-AC-3 without a container.
  case ac3
  /// DTS without a container.
  case dts
  /// Sun's audio files.
  case au
  /// Wave64, by Sonic Foundry: WAVE with sizes of 64 bits.
  case wave64
  /// NIST Sphere, in which collections of speech come.
  case sphere
  /// Creative Voice, of the first sound cards.
  case creativeVoice
  /// AAC with one header in front (ADIF).
  case adif
  /// WavPack.
  case wavPack
  /// Monkey's Audio.
  case monkeysAudio
  /// Direct Stream Digital, in DSF.
  case dsf
  /// MIDI, which is notes and no sound.
  case midi
  /// Adaptive Multi-Rate speech without a container.
  case amr
  /// A picture: JPEG, PNG or GIF.
  case picture
  /// A playlist that names media files elsewhere (M3U8).
  case playlist
  /// A web page, which is what a download that failed often leaves.
  case webPage

  /// How many first bytes of a file are enough.
  package static let headSize = 512

  /// Recognizes a format by the first bytes of a file; `nil` if it is none of these.
  package init?(head: [UInt8]) {
    if let signature = UnsupportedFormat.signatures.first(where: { $0.isIn(head) }) {
      self = signature.format
    } else if UnsupportedFormat.isMPEGAudio(head) {
      self = .mp3
    } else if UnsupportedFormat.isNALUnits(head) {
      self = .nalUnits
    } else if UnsupportedFormat.isTransportStream(head) {
      self = .transportStream
    } else if UnsupportedFormat.isWebPage(head) {
      self = .webPage
    } else {
      return nil
    }
  }

  private struct Signature {
    let format: UnsupportedFormat
    let bytes: [UInt8]
    var offset = 0

    func isIn(_ head: [UInt8]) -> Bool { head.dropFirst(offset).starts(with: bytes) }
  }

  private static let signatures: [Signature] = [
    Signature(format: .mp3, bytes: Array("ID3".utf8)),
    Signature(format: .flac, bytes: Array("fLaC".utf8)),
    Signature(format: .ogg, bytes: Array("OggS".utf8)),
    Signature(format: .matroska, bytes: [0x1A, 0x45, 0xDF, 0xA3]),
    Signature(format: .avi, bytes: Array("AVI LIST".utf8), offset: 8),
    Signature(format: .asf, bytes: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]),
    Signature(format: .programStream, bytes: [0, 0, 1, 0xBA]),
    Signature(format: .flashVideo, bytes: Array("FLV\u{1}".utf8)),
    Signature(format: .ac3, bytes: [0x0B, 0x77]),
    Signature(format: .dts, bytes: [0x7F, 0xFE, 0x80, 0x01]),
    Signature(format: .au, bytes: Array(".snd".utf8)),
    Signature(format: .wave64, bytes: Array("riff".utf8) + [0x2E, 0x91, 0xCF, 0x11]),
    Signature(format: .sphere, bytes: Array("NIST_1A".utf8)),
    Signature(format: .creativeVoice, bytes: Array("Creative Voice File".utf8)),
    Signature(format: .adif, bytes: Array("ADIF".utf8)),
    Signature(format: .wavPack, bytes: Array("wvpk".utf8)),
    Signature(format: .monkeysAudio, bytes: Array("MAC ".utf8)),
    Signature(format: .dsf, bytes: Array("DSD ".utf8)),
    Signature(format: .midi, bytes: Array("MThd".utf8)),
    Signature(format: .amr, bytes: Array("#!AMR".utf8)),
    Signature(format: .picture, bytes: [0xFF, 0xD8, 0xFF]),
    Signature(format: .picture, bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    Signature(format: .picture, bytes: Array("GIF8".utf8)),
    Signature(format: .playlist, bytes: Array("#EXTM3U".utf8)),
  ]

  /// Eleven bits of ones, then a version, a layer, a bit rate and a sampling rate that are not reserved
  /// (ISO/IEC 11172-3, 2.4.1.3). Layer 0 would be ADTS.
  private static func isMPEGAudio(_ head: [UInt8]) -> Bool {
    guard head.count >= 4, head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return false }
    return head[1] & 0x18 != 0x08 && head[1] & 0x06 != 0 && head[2] & 0xF0 != 0xF0 && head[2] & 0x0C != 0x0C
  }

  /// A start code, and a NAL unit that a stream may begin with: a delimiter, SEI or a parameter set. A start code alone
  /// could be the size of a box.
  private static func isNALUnits(_ head: [UInt8]) -> Bool {
    guard head.count >= 6, head.starts(with: [0, 0, 0, 1]) else { return false }
    let isH264 = [0x06, 0x09, 0x27, 0x47, 0x67].contains(head[4])
    let isH265 = [0x40, 0x42, 0x46].contains(head[4]) && head[5] == 1
    return isH264 || isH265
  }

  /// Packets of 188 bytes that begin with 0x47 (ISO/IEC 13818-1, 2.4.3.2), or of 192, with a time in front (M2TS).
  private static func isTransportStream(_ head: [UInt8]) -> Bool {
    [(first: 0, size: 188), (first: 4, size: 192)].contains { first, size in
      let syncs = stride(from: first, to: head.count, by: size).map { head[$0] }
      return syncs.count >= 2 && syncs.allSatisfy { $0 == 0x47 }
    }
  }

  private static func isWebPage(_ head: [UInt8]) -> Bool {
    let text = String(decoding: head, as: UTF8.self).drop { $0.isWhitespace }.lowercased()
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }
}

extension UnsupportedFormat: CustomStringConvertible {
  /// What it is, for messages: `an MP3 file`.
  public var description: String {
    switch self {
    case .mp3: "an MP3 file"
    case .flac: "a FLAC file"
    case .ogg: "an Ogg file"
    case .matroska: "a Matroska or WebM file"
    case .avi: "an AVI file"
    case .asf: "a Windows Media file (ASF)"
    case .transportStream: "an MPEG transport stream"
    case .programStream: "an MPEG program stream"
    case .flashVideo: "a Flash Video file"
    case .nalUnits: "a stream of H.264 or H.265 without a container"
    case .ac3: "an AC-3 stream"
    case .dts: "a DTS stream"
    case .au: "an AU file"
    case .wave64: "a Wave64 file"
    case .sphere: "a NIST Sphere file"
    case .creativeVoice: "a Creative Voice file"
    case .adif: "a stream of AAC in ADIF"
    case .wavPack: "a WavPack file"
    case .monkeysAudio: "a Monkey's Audio file"
    case .dsf: "a DSF file"
    case .midi: "a MIDI file, which holds notes and no sound"
    case .amr: "an AMR file"
    case .picture: "a picture"
    case .playlist: "a playlist (M3U8)"
    case .webPage: "a web page"
    }
  }

  /// What to do with such a file.
  var suggestion: String? {
    switch self {
    case .mp3, .flac, .ogg, .ac3, .dts, .au, .wave64, .sphere, .creativeVoice, .wavPack, .monkeysAudio, .dsf, .amr:
      "convert it first: ffmpeg -i IN OUT.wav"
    case .adif: "convert it first: faad -o OUT.wav IN"
    // Without encoding again, where the codecs are mostly those of MP4.
    case .matroska, .transportStream, .flashVideo, .nalUnits: "convert it first: ffmpeg -i IN -c copy OUT.mp4"
    case .avi, .asf, .programStream: "convert it first: ffmpeg -i IN OUT.mp4"
    case .playlist: "download what it names first: ffmpeg -i IN -c copy OUT.mp4"
    case .webPage: "the download may have failed"
    case .picture, .midi: nil
    }
  }
}
