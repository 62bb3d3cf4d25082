public import MP4
public import MediaCore

/// Joins movies one after another, without encoding anything anew but the seams of the sound.
///
///     let parts = try ["intro.m4a", "talk.m4a", "outro.m4a"].map { try MP4Demuxer(path: $0) }
///     try MovieJoiner(parts, to: "podcast.m4a").run()
///
/// Tracks are joined by kind and order; time codes and metadata also by their codec. Pictures, subtitles, metadata, PCM
/// and Apple Lossless are kept byte for byte. Packets of AAC are kept where they can be: see `Options.encodesSeams`.
/// The joined movie is as long as its parts together, to the frame. Tags, cover and time of creation are those of the
/// first part, and so are marks of its tracks, such as forced subtitles and commentaries; chapters are those of all. If
/// all parts are QuickTime, so is the output.
///
/// The output appears under its name when it is complete. Memory grows with the index of the output, and not with its
/// media.
public struct MovieJoiner {
  /// How the output is to be written.
  public struct Options: Sendable {
    /// Where the index goes; `.unknown` means `.fastStart`.
    public var layout = MovieLayout.fastStart
    /// Which tracks of each part to join.
    public var tracks = TrackSelection.all
    /// Whether AAC continues without a gap in its packets, which takes encoding some of them anew: the two or three at
    /// each seam, and all packets of parts that do not fit the others' grid of 1024 frames. Otherwise all packets are
    /// kept, and an edit list with an entry for each part hides what is between the parts: many players ignore all
    /// entries but the first.
    public var encodesSeams = true
    /// A title for each part, which becomes a chapter; if empty, the parts' own chapters are kept. Any other
    /// number of titles is an error.
    public var chapterTitles: [String] = []
    /// Whether to join what players may not be able to follow: tracks that change their codec, size or rate, and tracks
    /// that some parts lack.
    public var joinsUnlike = false
    /// Whether an existing file may be replaced.
    public var clobber = true
    /// Whether a new file is synced to disk too; a replacement always is.
    public var sync = false

    /// The defaults: every track, the index before the media.
    public init() {}
  }

  /// What was written.
  public struct Summary: Sendable, Hashable {
    /// The output.
    public internal(set) var output = MuxerSummary()
    /// Tracks in the output.
    public internal(set) var tracks = 0
    /// Where each part begins in the output.
    public internal(set) var starts: [MediaTime] = []
    /// Packets of AAC that were kept, in tracks that continue without a gap.
    public internal(set) var keptPackets: UInt64 = 0
    /// Packets of AAC that were encoded anew, in the same tracks.
    public internal(set) var encodedPackets: UInt64 = 0
    /// Tracks in which an edit list hides what is between the parts.
    public internal(set) var tracksWithEdits: [UInt32] = []
    /// Tracks in H.264 in which a part begins with a key frame that is not an IDR picture. Decoders then take the part
    /// before it for its past, and may show wrong pictures until the next IDR picture.
    public internal(set) var tracksWithOpenSeams: [UInt32] = []
    /// How many tracks of parts were left out: the first part has no counterpart for them, or they are hints for a
    /// server.
    public internal(set) var leftOutTracks = 0
  }

  private let parts: [MP4Demuxer]
  private let options: Options
  private let name: String
  private let sink: (any ByteSink)?

  /// A joiner into a new file.
  ///
  /// - Parameters:
  ///   - parts: the movies in their order. None of them may be the output.
  ///   - path: where the file is to appear.
  ///   - options: how it is to be written.
  public init(_ parts: [MP4Demuxer], to path: String, options: Options = Options()) {
    (self.parts, name, sink, self.options) = (parts, path, nil, options)
  }

  /// A joiner into any sink, even a pipe.
  ///
  /// - Parameters:
  ///   - parts: the movies in their order.
  ///   - sink: where the bytes go, from its beginning on.
  ///   - name: the output's name in error messages.
  ///   - options: how it is to be written; `clobber` and `sync` are up to the sink.
  public init(_ parts: [MP4Demuxer], to sink: any ByteSink, name: String = "output", options: Options = Options()) {
    (self.parts, self.name, self.sink, self.options) = (parts, name, sink, options)
  }

  /// Joins the parts.
  ///
  /// - Parameter progress: called now and then with the share that is done, 0 to 1, and the bytes of the samples so
  ///   far; if it throws, the output is discarded.
  /// - Throws: `JoinError`; whatever `progress` throws.
  @discardableResult
  public func run(progress: (_ part: Double, _ bytes: UInt64) throws -> Void = { _, _ in }) throws -> Summary {
    do {
      let plan = try JoinPlan(parts, options)
      let muxer = try muxer(plan)
      var summary = Summary()
      do {
        try write(plan, to: muxer, progress)
        for part in parts { try part.checkUnchanged() }
        summary.output = try muxer.finish()
      } catch {
        muxer.cancel()
        throw error
      }
      summary.tracks = plan.tracks.count
      summary.starts = plan.starts
      summary.leftOutTracks = plan.leftOutTracks
      for (track, muxed) in zip(plan.tracks, muxer.tracks) {
        summary.keptPackets += track.keptPackets
        summary.encodedPackets += track.encodedPackets
        if track.hasEdits { summary.tracksWithEdits.append(muxed.track.id) }
        if track.hasOpenSeams { summary.tracksWithOpenSeams.append(muxed.track.id) }
      }
      return summary
    } catch {
      throw JoinError(error) ?? error
    }
  }

  private func muxer(_ plan: JoinPlan) throws(MP4Error) -> MP4Muxer {
    var options = MuxerOptions()
    switch self.options.layout {
    case .moovLast: options.layout = .moovLast
    case .fragmented: options.layout = .fragmented(seconds: Remuxer.Options.defaultFragmentDuration)
    default: options.layout = .fastStart
    }
    options.metadata = parts.first?.metadata ?? MovieMetadata()
    // These tags say how much of the first part's sound is heard, and where in its file other tracks are.
    options.metadata.tags.removeAll {
      $0.isGaplessText || $0.identifier.hasPrefix("auxiliary.tracks.")
    }
    options.chapters = plan.chapters
    (options.clobber, options.sync) = (self.options.clobber, self.options.sync)
    if parts.areQuickTime { options.brands = ["qt  "] + (options.isFragmented ? ["iso6", "mp41"] : []) }
    options.creationTime = parts.first?.creationTime
    let tracks = plan.tracks.map(\.description)
    if let sink { return try MP4Muxer(to: sink, name: name, tracks: tracks, options: options) }
    return try MP4Muxer(path: name, tracks: tracks, options: options)
  }

  /// Appends the samples of all tracks, always of the one that is behind the others.
  private func write(_ plan: JoinPlan, to muxer: MP4Muxer, _ progress: (Double, UInt64) throws -> Void) throws {
    let ids = muxer.tracks.map(\.track.id)
    var next: [EncodedSample?] = try plan.tracks.map { try $0.next() }
    let length = max(plan.duration.seconds, .leastNormalMagnitude)
    var (count, bytes): (Int, UInt64) = (0, 0)
    func time(_ index: Int) -> MediaTime { next[index]?.decodeTime ?? .zero }
    while let index = next.indices.filter({ next[$0] != nil }).min(by: { time($0) < time($1) }) {
      guard var sample = next[index] else { break }
      sample.trackID = ids[index]
      try muxer.append(sample)
      count += 1
      bytes += UInt64(sample.payload.count)
      if count.isMultiple(of: 256) { try progress(min(max(sample.decodeTime.seconds / length, 0), 1), bytes) }
      next[index] = try plan.tracks[index].next()
      if next[index] == nil { try muxer.finish(track: ids[index]) }
    }
  }
}

extension EncodedSample {
  /// When it is decoded.
  fileprivate var decodeTime: MediaTime { MediaTime(value: timing.decodeTime, timescale: timing.timescale) }
}
