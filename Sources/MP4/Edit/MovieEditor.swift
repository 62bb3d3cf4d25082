internal import ISOBMFF
public import MediaCore

/// Cuts a stretch out of a movie without encoding anything anew.
///
///     let movie = try MP4Demuxer(path: "concert.mp4")
///     let song = MovieClip(movie, from: MediaTime(value: 125, timescale: 10), to: MediaTime(value: 300, timescale: 1))
///     try MovieEditor(song, to: "song.mp4").run()
///
/// The stretch is exact: sound to the frame, pictures to the picture. Samples are kept byte for byte. What a decoder
/// needs before the first of them (a packet or two of sound, pictures from the sync sample on) is kept, too, and hidden
/// by the edit list, which players apply, though some not in fragments. Tags, chapters and everything else stay.
///
/// As with `Remuxer`, the output is planned before it is written, the kernel copies long ranges, and the file appears
/// under its name when it is complete. Memory grows with the index of the movie, and not with its media.
public struct MovieEditor {
  /// How the output is to be written.
  public struct Options: Sendable {
    /// Where the index goes; `.unknown` means `.fastStart`.
    public var layout = MovieLayout.fastStart
    /// Minimum duration of a fragment in seconds, for the layout `.fragmented`; `nil` for the usual one.
    public var fragmentDuration: Double?
    /// Which tracks to keep.
    public var tracks = TrackSelection.all
    /// Whether the stretch begins earlier, at the sync sample of the pictures before it, so that nothing is hidden.
    public var startsAtKeyframe = false
    /// Whether an existing file may be replaced.
    public var clobber = true
    /// Whether a new file is synced to disk too; a replacement always is.
    public var sync = false

    /// The defaults: every track, the index before the media.
    public init() {}
  }

  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// The output, and what could not be carried over to it.
    public internal(set) var output = Remuxer.Summary()
    /// Where the stretch begins in the source: earlier than asked for with `startsAtKeyframe`.
    public internal(set) var start = MediaTime.zero
    /// How long the output is.
    public internal(set) var duration = MediaTime.zero
  }

  private let clip: MovieClip
  private let options: Options
  private let name: String
  private let sink: (any ByteSink)?

  /// An editor that writes to a file.
  ///
  /// - Parameters:
  ///   - clip: what is kept.
  ///   - path: where the file is to appear; it may be the movie's own.
  ///   - options: how it is to be written.
  public init(_ clip: MovieClip, to path: String, options: Options = Options()) {
    (self.clip, name, sink, self.options) = (clip, path, nil, options)
  }

  /// An editor that writes into any sink, even a pipe.
  ///
  /// - Parameters:
  ///   - clip: what is kept.
  ///   - sink: where the bytes go, from its beginning on.
  ///   - name: the output's name in error messages.
  ///   - options: how it is to be written; `clobber` and `sync` are up to the sink.
  public init(_ clip: MovieClip, to sink: any ByteSink, name: String = "output", options: Options = Options()) {
    (self.clip, self.name, self.sink, self.options) = (clip, name, sink, options)
  }

  /// Plans and writes the output.
  ///
  /// - Parameter progress: called now and then with the bytes written so far and in total; if it throws, the output is
  ///   discarded.
  /// - Throws: `MP4Error`: `.emptyClip`, what is wrong with the movie, `.source`, `.sink`; whatever `progress` throws.
  @discardableResult
  public func run(progress: (UInt64, UInt64) throws -> Void = { _, _ in }) throws -> Summary {
    let movie = clip.movie
    do {
      var (plan, summary) = try plan()
      let output = try plan.movie(name: name)
      summary.duration = output.duration
      if options.layout == .fragmented {
        var remux = Remuxer.Options()
        (remux.layout, remux.fragmentDuration) = (.fragmented, options.fragmentDuration)
        let (fragments, losses) = try Remuxer(from: output, to: name, options: remux).plan()
        plan = fragments
        summary.output.retimed += losses.retimed
      }
      summary.output.bytes = plan.count
      try PlanTarget(name: name, sink: sink, clobber: options.clobber, sync: options.sync)
        .write(plan, of: movie, progress: progress)
      return summary
    } catch let error as MP4Error {
      throw error.unlessChanged(movie.reader.source)
    }
  }

  /// Bytes of the output, as a progressive movie.
  var plannedSize: UInt64 { get throws(MP4Error) { try plan().0.count } }

  /// The output as a progressive movie.
  private func plan() throws(MP4Error) -> (OutputPlan, Summary) {
    var clip = clip
    let (movie, losses) = try clip.movie.inOneIndex()
    clip.movie = movie
    try options.tracks.check(movie)
    let tracks = movie.describedTracks.filter { options.tracks.contains($0.description) }
    guard !tracks.isEmpty else { throw MP4Error(.nothingToWrite, file: clip.movie.reader.source.name) }
    for track in tracks where track.index.isExternal { throw track.failure(.externalData) }
    if options.startsAtKeyframe, let video = tracks.first(where: { $0.description.kind == .video }) {
      clip.start = max(clip.start - (try TrackCut(video, in: clip).lead), .zero)
    }
    var planner = CutPlanner(clip, tracks: tracks, layout: options.layout)
    var (plan, summary) = try planner.plan()
    summary.start = clip.start
    summary.output.leftOut.merge(losses.leftOut) { $0 + $1 }
    summary.output.retimed += losses.retimed
    return (plan, summary)
  }
}

extension MP4Demuxer {
  /// The same movie with one index for all samples, if it is in fragments; nothing is written for that.
  ///
  /// - Returns: the movie, and what one index cannot hold of it.
  func inOneIndex() throws(MP4Error) -> (MP4Demuxer, Remuxer.Summary) {
    guard movieTracks.contains(where: { !$0.fragments.isEmpty }) else { return (self, Remuxer.Summary()) }
    let (plan, losses) = try Remuxer(from: self, to: reader.source.name).plan()
    return (try plan.movie(name: reader.source.name), losses)
  }
}

extension OutputPlan {
  /// The movie that the plan makes.
  fileprivate func movie(name: String) throws(MP4Error) -> MP4Demuxer {
    try MP4Demuxer(source: PlannedSource(self, name: name))
  }
}
