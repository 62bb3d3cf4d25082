public import MediaCore

/// How a muxer is to write a movie.
public struct MuxerOptions: Sendable {
  /// How index and media are laid out.
  public enum Layout: Sendable, Hashable {
    /// The index before the media: playback can start with the first bytes.
    case fastStart
    /// The index after the media.
    case moovLast
    /// The media in pieces of this many seconds, each with an index of its own: what was written so far can be played
    /// at any time.
    case fragmented(seconds: Double)
  }

  /// How index and media are laid out.
  public var layout = Layout.fastStart
  /// The file's brands, the major brand first; if empty, they follow from the content: `M4A ` for audio alone.
  public var brands: [FourCC] = []
  /// Tags and cover art; its chapters are ignored.
  public var metadata = MovieMetadata()
  /// Chapters, with starts relative to the start of the presentation.
  public var chapters: [Chapter] = []
  /// Whether chapters are also written as a track, which Apple's players look for, besides the list that others read. A
  /// file in fragments has the list alone, and so has one whose tracks already include a chapter track.
  public var hasChapterTrack = true
  /// When the movie was made, in seconds since the beginning of 1970, UTC, before the year 10000. `nil`, the default,
  /// records nothing, so that the same input gives the same bytes; so does any other time.
  public var creationTime: Int64?
  /// Whether an existing file may be replaced.
  public var clobber = true
  /// Whether a new file is synced to disk too; a replacement always is.
  public var sync = false
  /// Bytes of samples kept in memory until their turn comes; the excess waits in a temporary file.
  public var memoryLimit = 32 << 20
  /// Whether the first `flush()` writes the header of a fragmented file even without samples, so that a live file is a
  /// movie from the beginning. The first sample of each track is then decoded at -`priming`, as an encoder's is.
  public var headerFirst = false
  /// Minimum number of bytes to leave free before the index of a fragmented file; 0 for none.
  public var freeSpace = 0
  /// The alignment of the end of that free space, in bytes: normally a file system's block.
  public var freeSpaceAlignment = 4096

  /// The defaults: the index before the media, and no metadata that was not asked for.
  public init() {}
}

/// What a muxer wrote.
public struct MuxerSummary: Sendable, Hashable {
  /// Bytes of the file.
  public internal(set) var bytes: UInt64 = 0
  /// Samples of all tracks.
  public internal(set) var samples: UInt64 = 0
  /// Duration of the presentation, edits applied.
  public internal(set) var duration = MediaTime.zero
  /// Tracks with samples whose times the layout cannot hold: decode times that step back, or far ahead.
  public internal(set) var retimed: [Retiming] = []

  /// Nothing written yet.
  package init() {}
}
