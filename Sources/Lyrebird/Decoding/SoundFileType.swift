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
  /// A WAVE file.
  case wave

  /// Examines the beginning of a source. A pipe delivers its bytes once, which is enough for ADTS and WAVE.
  ///
  /// - Throws: `AudioDecodingError` where reading fails.
  public init(_ source: SourceReader) throws(AudioDecodingError) {
    self = try SoundFileType.isWAVE(source) ? .wave : SoundFileType.isADTS(source) ? .adts : .movie
  }

  private static func isWAVE(_ source: SourceReader) throws(AudioDecodingError) -> Bool {
    do { return try PCMFileReader.looksLikePCMFile(source) } catch { throw .pcm(error) }
  }

  private static func isADTS(_ source: SourceReader) throws(AudioDecodingError) -> Bool {
    do { if try looksLikeMovie(source) { return false } } catch { throw .source(error) }
    do { return try ADTSReader.looksLikeADTS(source) } catch { throw .aac(error) }
  }

  private static func looksLikeMovie(_ reader: SourceReader) throws(SourceError) -> Bool {
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
  /// What it is, for messages: `a WAVE file`.
  public var description: String {
    switch self {
    case .movie: "a movie"
    case .adts: "an ADTS stream"
    case .wave: "a WAVE file"
    }
  }
}
