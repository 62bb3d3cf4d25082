internal import ISOBMFF
public import MediaCore

/// Rewrites a movie without touching its media: another layout, fewer tracks, or the intact part of a damaged file.
///
///     let movie = try MP4Demuxer(path: "in.mp4")
///     try Remuxer(from: movie, to: "out.mp4").run()
///
/// Nothing is re-encoded: payloads, times, edits, transforms, tags and unknown boxes are carried over as they are. What
/// the new layout cannot hold is left out, and the summary says what that was: `Summary.leftOut`, `Summary.retimed`,
/// and with `recover` `Summary.dropped`. The output is planned before it is written, so its index can go first in a
/// single pass, and ranges of media are copied by the kernel. The output appears under its name when it is complete.
public struct Remuxer {
  /// How the output is to be written.
  public struct Options: Sendable {
    /// Where the index goes; `.unknown` means `.fastStart`.
    public var layout = MovieLayout.fastStart
    /// Minimum duration of a fragment in seconds: it ends before the next sync sample. `nil` leaves a movie that is
    /// already fragmented as it is, and means `defaultFragmentDuration` for others.
    public var fragmentDuration: Double?
    /// Where an output with newly cut fragments states when its tracks begin and end.
    public var fragmentEdits = FragmentEdits.lists
    /// Which tracks to keep.
    public var tracks = TrackSelection.all
    /// Chapters that replace those of the movie, as a list and as a track; `nil` keeps them, and empty removes them.
    /// Not for the layout `.fragmented`.
    public var chapters: [Chapter]?
    /// Whether to keep the intact part of a damaged movie instead of failing.
    public var recover = false
    /// Whether an existing file may be replaced.
    public var clobber = true
    /// Whether a new file is synced to disk too; a replacement always is.
    public var sync = false

    /// Long enough for an index that costs little, short enough to start playing soon.
    public static let defaultFragmentDuration = 2.0

    /// The defaults: every track, the index before the media.
    public init() {}
  }

  /// Where fragmented outputs state when a track begins and ends.
  public enum FragmentEdits: Sendable {
    /// In edit lists, as the source does: nothing changes. In fragments, Chromium's Media Source and ffmpeg apply
    /// neither an empty edit nor an end.
    case lists
    /// In the time of the first fragment and the duration of the last sample, which all players apply; edit lists hold
    /// what these cannot express.
    case times
  }

  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// Bytes of the output.
    public internal(set) var bytes: UInt64 = 0
    /// Tracks in the output.
    public internal(set) var tracks = 0
    /// What was left out with `recover`, per track: the error after the last whole sample.
    public internal(set) var dropped: [MP4Error] = []
    /// How many boxes were left out because the output has no place for them, by type: events (`emsg`) and production
    /// times (`prft`) of fragments; tables that can only be kept as they are, such as partial sync samples (`stps`);
    /// auxiliary information (`saiz`) that is not about encryption.
    public internal(set) var leftOut: [FourCC: Int] = [:]
    /// Tracks with samples whose times the layout cannot hold.
    public internal(set) var retimed: [Retiming] = []
    /// Offsets in the input that metadata mentions, and that mean nothing in the output.
    public internal(set) var staleOffsets: [StaleOffset] = []

    /// An offset in the input that metadata mentions.
    public struct StaleOffset: Sendable, Hashable {
      /// The name of the metadata.
      public let name: String
      /// The byte offset in the input.
      public let offset: UInt64
    }
  }

  private let movie: MP4Demuxer
  private let name: String
  /// Where the output goes, if not to the file with that name.
  private let sink: (any ByteSink)?
  private let options: Options

  /// A remuxer from an opened movie to a file.
  public init(from movie: MP4Demuxer, to path: String, options: Options = Options()) {
    self.movie = movie
    name = path
    sink = nil
    self.options = options
  }

  /// A remuxer from an opened movie to any sink, even a pipe: every layout is written in one pass.
  ///
  /// - Parameters:
  ///   - movie: what is read.
  ///   - sink: where the bytes go, from its beginning on.
  ///   - name: the output's name in error messages.
  ///   - options: how the output is to be written; `clobber` and `sync` are up to the sink.
  public init(
    from movie: MP4Demuxer, to sink: any ByteSink, name: String = "output", options: Options = Options()
  ) {
    self.movie = movie
    self.name = name
    self.sink = sink
    self.options = options
  }

  /// Plans and writes the output.
  ///
  /// - Parameter progress: called now and then with the bytes written so far and in total; if it throws, the output is
  ///   discarded.
  /// - Throws: `MP4Error`: what is wrong with the movie, unless `recover` is set; `.source`, `.sink`, of the kind
  ///   `.cancelled` if the task is cancelled, which leaves no output; whatever `progress` throws.
  @discardableResult
  public func run(progress: (UInt64, UInt64) throws -> Void = { _, _ in }) throws -> Summary {
    try run(checking: { _ in }, progress: progress)
  }

  /// Plans the output, passes the plan to `check`, and writes it.
  ///
  /// - Parameter check: called before anything is written; if it throws, nothing is written.
  func run(checking check: (OutputPlan) throws -> Void, progress: (UInt64, UInt64) throws -> Void) throws -> Summary {
    do {
      var (plan, summary) = try plan()
      summary.bytes = plan.count
      try check(plan)
      let target = PlanTarget(name: name, sink: sink, clobber: options.clobber, sync: options.sync)
      try target.write(plan, of: movie, progress: progress)
      return summary
    } catch let error as MP4Error {
      throw error.unlessChanged(movie.reader.source)
    }
  }

  /// Plans the output before any of it is written.
  func plan() throws(MP4Error) -> (OutputPlan, Summary) {
    try options.tracks.check(movie)
    // Tracks that only fragments mention have no description to carry over.
    let titles = options.chapters == nil ? [] : movie.chapterTracks
    let tracks = movie.describedTracks.filter { options.tracks.contains($0.description) && !titles.contains($0.id) }
    guard !tracks.isEmpty || movie.tracks.isEmpty else {
      throw MP4Error(.nothingToWrite, file: movie.reader.source.name)
    }
    for track in tracks where track.index.isExternal { throw track.failure(.externalData) }
    if options.layout == .fragmented {
      if options.chapters != nil { throw MP4Error(.chaptersInFragments, file: movie.reader.source.name) }
      var remux = FragmentedRemux(movie, tracks: tracks, options: options)
      return try remux.plan()
    }
    var remux = ProgressiveRemux(movie, tracks: tracks, options: options)
    return try remux.plan()
  }
}

extension MP4Demuxer {
  /// Tracks whose samples cannot be carried over, as they appear in fragments only and nothing describes them.
  ///
  /// - Throws: `MP4Error` `.undescribedTrack` for the first of them, unless the options say to leave out what is
  ///   damaged.
  func undescribedTracks(_ options: Remuxer.Options) throws(MP4Error) -> [MP4Error] {
    var found: [MP4Error] = []
    for track in movieTracks where track.trak == nil && track.hasSamples && options.tracks.contains(track.description) {
      let error = track.failure(.undescribedTrack(samples: track.description.sampleCount))
      guard options.recover else { throw error }
      found.append(error)
    }
    return found
  }
}
