internal import AAC
package import MediaCore
internal import WAV

/// The kind of a file that holds sound, recognized by its content and not by its name.
package enum SoundFileType: Sendable {
  /// A movie: its first box is one of a few known ones. Anything unrecognized counts as one, too, as opening it as a
  /// movie reports best what is wrong with it.
  case movie
  /// A stream of ADTS, which begins with its sync word, or after tags.
  case adts
  /// A WAVE file.
  case wave

  /// Examines the beginning of a source. A pipe delivers its bytes once, which is enough for ADTS and WAVE.
  ///
  /// - Throws: `WAVError` or `AACError` `.source` where reading fails.
  package init(_ reader: SourceReader) throws {
    if try WAVReader.looksLikeWAVE(reader) {
      self = .wave
    } else if try !SoundFileType.looksLikeMovie(reader), try ADTSReader.looksLikeADTS(reader) {
      self = .adts
    } else {
      self = .movie
    }
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
