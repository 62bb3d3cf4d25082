/// Kinds of files that sound is recorded to.
public enum RecordingFileType: String, Sendable, Hashable, CaseIterable {
  /// AAC in MP4.
  case m4a
  /// AAC packets, one after the other: ADTS.
  case aac
  /// Uncompressed PCM.
  case wav

  /// The kind that a file name's extension selects.
  ///
  /// - Throws: `RecordingError` `.unknownType`.
  public init(path: String) throws(RecordingError) {
    let ending = path.split(separator: ".", omittingEmptySubsequences: false).last?.lowercased() ?? ""
    let type = ending == "mp4" ? .m4a : RecordingFileType(rawValue: ending)
    guard let type, path.contains(".") else { throw RecordingError(.unknownType, file: path) }
    self = type
  }

  /// The name of a recording while it grows: `voice.recording.m4a` for `voice.m4a`.
  public static func workingPath(for path: String) -> String {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[name...].dropFirst().lastIndex(of: ".") else { return path + ".recording" }
    return path[..<dot] + ".recording" + path[dot...]
  }
}
