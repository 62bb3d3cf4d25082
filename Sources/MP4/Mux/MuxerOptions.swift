public import MediaCore

/// How a muxer is to write a movie.
public struct MuxerOptions: Sendable {
  /// How index and media are laid out.
  public enum Layout: Sendable, Hashable {
    /// The index in front of the media: playing can start with the first bytes.
    case fastStart
    /// The index after the media.
    case moovLast
    /// The media in pieces of this many seconds, each with an index of its own: what was written can be played at
    /// every moment.
    case fragmented(seconds: Double)
  }

  /// How index and media are laid out.
  public var layout = Layout.fastStart
  /// What the file says it is, the major brand first; empty: by what is in it, `M4A ` for sound alone.
  public var brands: [FourCC] = []
  /// Tags and cover art; its chapters are not looked at.
  public var metadata = MovieMetadata()
  /// Chapters, their starts counted from the start of the presentation.
  public var chapters: [Chapter] = []
  /// Whether chapters are also written as a track, which players of Apple's look for, besides the list that others
  /// read. A file in fragments has the list alone, and so has one whose tracks have a track of chapters among them.
  public var hasChapterTrack = true
  /// When the movie was made, in seconds since the beginning of 1970, UTC. `nil`, the usual, says nothing, so that the
  /// same input gives the same bytes.
  public var creationTime: Int64?
  /// Whether an existing file may be replaced.
  public var clobber = true
  /// Whether a new file too is synced to the disk; a replacement always is.
  public var sync = false
  /// Bytes of samples kept in memory until their turn comes; what exceeds it waits in a temporary file.
  public var memoryLimit = 32 << 20
  /// Whether the header of a fragmented file is written by the first `flush()`, samples or not: so that a live file is
  /// a movie from its beginning. The first sample of each track is then decoded at -`priming`, as an encoder's is.
  public var headerFirst = false
  /// Bytes to leave free in front of the index of a fragmented file, at least; 0 for none.
  public var freeSpace = 0
  /// What the end of that free space is to be a multiple of, in bytes: a file system's block, as a rule.
  public var freeSpaceAlignment = 4096

  /// The usual: the index in front, and no metadata that was not asked for.
  public init() {}
}

/// What a muxer wrote.
public struct MuxerSummary: Sendable, Hashable {
  /// Bytes of the file.
  public internal(set) var bytes: UInt64 = 0
  /// Samples of all tracks.
  public internal(set) var samples: UInt64 = 0
  /// Length of the presentation, edits applied.
  public internal(set) var duration = MediaTime.zero
  /// Tracks with samples whose times the layout cannot hold: where decode times step back, or far ahead.
  public internal(set) var retimed: [Retiming] = []
}
