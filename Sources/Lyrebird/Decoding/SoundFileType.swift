internal import AAC
public import MediaCore
internal import PCM

/// The kind of a file that holds sound, recognized by its content and not by its name.
public enum SoundFileType: Sendable, Hashable {
  /// A movie: its first box is one of a few known ones. Anything unrecognized counts as one, too, as opening it as a
  /// movie reports best what is wrong with it.
  case movie
  /// A stream of ADTS, which begins with its sync word, or after tags.
  case adts
  /// A stream of LOAS, which begins with its sync word, or in the middle of a frame.
  case loas
  /// A file of PCM: WAVE, AIFF, CAF, or samples without a header.
  case pcm

  /// Examines the beginning of a source. A pipe delivers its bytes once, which is enough for streams and PCM.
  ///
  /// - Throws: `AudioDecodingError` where reading fails.
  public init(_ source: SourceReader) throws(AudioDecodingError) {
    if try SoundFileType.isPCM(source) {
      self = .pcm
    } else if let framing = try SoundFileType.framing(source) {
      self = framing == .adts ? .adts : .loas
    } else {
      self = .movie
    }
  }

  private static func isPCM(_ source: SourceReader) throws(AudioDecodingError) -> Bool {
    do { return try PCMFileReader.looksLikePCMFile(source) } catch { throw .pcm(error) }
  }

  /// How a stream is framed, if it is one. The framing that its first byte suggests is tried first: on a pipe, ruling
  /// out the other one takes as many bytes as a second of sound has.
  private static func framing(_ source: SourceReader) throws(AudioDecodingError) -> AACStream.Framing? {
    let first: [UInt8]
    do {
      if try beginsAsMovie(source) { return nil }
      first = try source.bytes(at: 0, count: 1)
    } catch {
      throw .source(error)
    }
    do throws(AACError) {
      if first == [0x56], try LOASReader.looksLikeLOAS(source) { return .loas }
      if try ADTSReader.looksLikeADTS(source) { return .adts }
      return try LOASReader.looksLikeLOAS(source) ? .loas : nil
    } catch {
      throw .aac(error)
    }
  }

  /// Whether the first box is one that movies begin with.
  package static func beginsAsMovie(_ reader: SourceReader) throws(SourceError) -> Bool {
    let head = try reader.bytes(at: 0, count: 8)
    guard head.count == 8 else { return false }
    switch FourCC(head.span.bigEndian(at: 4)) {
    case "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "pnot", "sidx", "uuid", "meta", "jP  ", "emsg",
      "prft":
      return true
    default: return false
    }
  }
}

extension SoundFileType: CustomStringConvertible {
  /// What it is, for messages: `a movie`.
  public var description: String {
    switch self {
    case .movie: "a movie"
    case .adts: "an ADTS stream"
    case .loas: "a LOAS stream"
    case .pcm: "a file of PCM"
    }
  }
}
