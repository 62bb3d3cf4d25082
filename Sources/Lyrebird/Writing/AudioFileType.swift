/// The kinds of files that sound is written to.
public enum AudioFileType: String, Sendable, Hashable, CaseIterable {
  /// A movie with one track, of AAC or Apple Lossless.
  case m4a
  /// AAC packets, one after the other: ADTS.
  case aac
  /// Uncompressed PCM.
  case wav

  /// The kind that a file name's extension selects: `.m4a`, `.m4b`, `.mp4` or `.mov`, `.aac` or `.adts`, `.wav` or
  /// `.wave`; `nil` for any other name.
  public init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
    switch name[name.index(after: dot)...].lowercased() {
    case "m4a", "m4b", "mp4", "mov": self = .m4a
    case "aac", "adts": self = .aac
    case "wav", "wave": self = .wav
    default: return nil
    }
  }
}
