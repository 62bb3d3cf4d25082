extension RecordingWriter {
  /// How to record.
  public struct Options: Sendable {
    /// Bits a second of AAC; by default as many as suit rate and channels, see
    /// `AACEncoder.defaultBitRate(for:profile:)`. A .wav file has as many as its samples, whatever this says.
    public var bitRate: Int?
    /// Whether an older file of the name may be replaced.
    public var clobber = true
    /// Whether what was recorded is synced to the disk, twice a second, on a thread of its own: a power cut then takes
    /// a second or two. Without, it takes what the system has not written by itself yet: up to half a minute, as a
    /// rule.
    public var sync = true

    /// The default options.
    public init() {}
  }

  /// What was recorded.
  public struct Summary: Sendable, Hashable {
    /// The file.
    public internal(set) var path: String
    /// Frames in it, silence in gaps included.
    public internal(set) var frames: UInt64 = 0
    /// How many of them are silence in place of sound that was not captured.
    public internal(set) var silentFrames: UInt64 = 0
    /// The number of gaps in what was captured.
    public internal(set) var gaps = 0
  }

  /// The name of a recording while it grows: `voice.recording.m4a` for `voice.m4a`.
  public static func workingPath(for path: String) -> String {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[name...].dropFirst().lastIndex(of: ".") else { return path + ".recording" }
    return path[..<dot] + ".recording" + path[dot...]
  }
}
