internal import ISOBMFF
internal import MediaCore

/// Plans a fragmented output: a header that describes the tracks, then pairs of index and media of a few seconds each.
///
/// A movie that is already fragmented, and undamaged, is carried over as it is.
struct FragmentedRemux {
  private let movie: MP4Demuxer
  private let tracks: [MovieTrack]
  private let options: Remuxer.Options
  private var summary = Remuxer.Summary()
  private var allowance: PayloadAllowance
  private var boundary: FragmentBoundary

  init(_ movie: MP4Demuxer, tracks: [MovieTrack], options: Remuxer.Options) {
    self.movie = movie
    self.tracks = tracks
    self.options = options
    allowance = PayloadAllowance(for: movie)
    boundary = FragmentBoundary(
      tracks.map(\.description), seconds: options.fragmentDuration ?? Remuxer.Options.defaultFragmentDuration,
      limitsLeader: false, splitsAtZero: true)
  }

  mutating func plan() throws(MP4Error) -> (OutputPlan, Remuxer.Summary) {
    summary.tracks = tracks.count
    var plan = OutputPlan()
    if movie.layout == .fragmented, options.fragmentDuration == nil, options.tracks == .all, try isWhole() {
      plan.append(movie.reader, offset: 0, count: movie.reader.size)
      return (plan, summary)
    }
    summary.dropped += try movie.undescribedTracks(options)
    if let fileType = movie.fileType(keeping: tracks) {
      plan.append(BoxNode("ftyp", fragmentedType(fileType)), from: movie.reader)
    }
    var annotations: [SampleAnnotations?] = []
    for track in tracks { annotations.append(try SampleAnnotationReader(track).read()) }
    let extras = try ExtraBoxes(movie, recover: options.recover, summary: &summary)
    var contents: [FragmentedHeaderBuilder.Content] = []
    for (track, annotations) in zip(tracks, annotations) { contents.append(try content(track, annotations)) }
    let header = FragmentedHeaderBuilder(movie, contents)
    let (index, fragments) = try planFragments(contents)
    try FragmentedPlanBuilder(movie, moov: header.moov, extras: extras)
      .append(to: &plan, index: index, fragments: fragments)
    summary.leftOut.merge(movie.fragmentBoxes) { $0 + $1 }
    return (plan, summary)
  }

  /// Brands that say that data offsets count from the fragment. If the major brand is that of a still image, players
  /// look for nothing else: ffmpeg gives up at the first fragment. So it becomes a compatible brand. The brand of image
  /// sequences does not even remain as one, as libavif would look for them in the movie header and give up.
  private func fragmentedType(_ source: FileTypeBox) -> FileTypeBox {
    var box = source
    var needed: [FourCC] = ["iso6", "mp41"]
    if FragmentedRemux.stillPictures.contains(source.majorBrand) {
      box.majorBrand = "iso6"
      needed.append(source.majorBrand)
    }
    var brands = source.brands + needed.filter { !source.brands.contains($0) }
    if box.majorBrand != source.majorBrand { brands.removeAll { $0 == "avis" } }
    box.compatibleBrands = PackedTable(brands.map { BrandEntry($0) })
    return box
  }

  /// Major brands of files that are images in the first place, whatever else they hold: AVIF, HEIF.
  private static let stillPictures: [FourCC] = ["avif", "heic", "heix", "mif1"]

  private func isWhole() throws(MP4Error) -> Bool {
    // Samples of tracks that the movie header does not describe are copied along.
    for track in movie.movieTracks {
      var samples = track.samples()
      do throws(MP4Error) {
        while try samples.nextRecord() != nil {}
      } catch {
        guard options.recover, error.isDamage else { throw error }
        return false
      }
    }
    return true
  }

  /// What the header says of a track. If its edits are to be turned into times, or its end may be missing, this reads
  /// through its samples: the header comes before them.
  private func content(
    _ track: MovieTrack, _ annotations: SampleAnnotations?
  ) throws(MP4Error) -> FragmentedHeaderBuilder.Content {
    var content = FragmentedHeaderBuilder.Content(track: track, annotations: annotations)
    let isTimed = options.fragmentEdits == .times && !track.description.edits.isEmpty
    guard isTimed || options.recover else { return content }
    var media = MediaSpan()
    var samples = track.samples()
    do throws(MP4Error) {
      while let record = try samples.nextRecord() { media.add(record) }
    } catch {
      guard options.recover, error.isDamage else { throw error }
      content.cut(at: media.shownEnd)
    }
    if isTimed { content.timing = FragmentTiming(content.description, movieTimescale: movie.timescale, media: media) }
    return content
  }

  /// Cuts the tracks into fragments side by side: a fragment ends where the leading track has a sync sample, once it is
  /// long enough, and the other tracks follow up to that time.
  ///
  /// - Returns: the fragments, and an index of them if there can be one.
  private mutating func planFragments(
    _ contents: [FragmentedHeaderBuilder.Content]
  ) throws(MP4Error) -> (index: SegmentIndexBox?, fragments: OutputPlan) {
    var plan = OutputPlan()
    var feeds: [TrackFeed] = []
    for (index, content) in contents.enumerated() {
      var reader = SampleEncryptionReader(content.track)
      feeds.append(TrackFeed(content, index: index, encryption: try reader.read()))
      summary.note(reader, of: content.track, hasNewTables: true)
    }
    let leaders = zip(tracks, contents).map { track, content in
      SegmentIndexBuilder.Leader(track.description, edits: content.timing.edits ?? track.description.edits)
    }
    var segmentIndex = boundary.leader { tracks[$0].hasSamples }.map { SegmentIndexBuilder(leaders[$0]) }
    var number: UInt32 = 1
    while true {
      var fragment = FragmentBuilder(number: number)
      var cut: Cut?
      boundary.begin()
      // Another track leads once the first one has ended.
      var waiting: Set<Int> = []
      for index in feeds.indices where try peek(&feeds[index]) != nil { waiting.insert(index) }
      let leader = boundary.leader(where: waiting.contains)
      if let leader { cut = try leadingSamples(of: &feeds[leader]) }
      for index in feeds.indices {
        let samples = try index == leader ? cut?.samples ?? [] : followingSamples(of: &feeds[index], until: cut?.end)
        guard let first = samples.first?.number else { continue }
        feeds[index].noteMove(of: samples)
        fragment.add(
          samples, trackID: tracks[index].id, encryption: feeds[index].encryption,
          boxes: contents[index].annotations?.boxes(from: first, to: first + UInt64(samples.count)) ?? [])
      }
      guard !fragment.isEmpty else {
        for (track, feed) in zip(tracks, feeds) { summary.retimed.note(feed.retiming, trackID: track.id) }
        return (segmentIndex?.box, plan)
      }
      let before = plan.count
      fragment.append(to: &plan, from: movie.reader)
      if let leader, let cut { segmentIndex?.add(plan.count - before, cut.samples, of: leaders[leader]) }
      number += 1
    }
  }

  /// Samples of the leading track, and until when those of other tracks go with them; `nil` for no limit.
  private struct Cut {
    let samples: [SampleRecord]
    let end: MediaTime?
  }

  private mutating func leadingSamples(of feed: inout TrackFeed) throws(MP4Error) -> Cut {
    var samples: [SampleRecord] = []
    while let sample = try peek(&feed) {
      let candidate = feed.boundarySample(sample)
      if boundary.ends(before: candidate, of: feed.index, isLeader: true) {
        return Cut(samples: samples, end: MediaTime(value: sample.decodeTime, timescale: feed.timescale))
      }
      boundary.add(candidate, to: feed.index)
      try take(sample, from: &feed, to: &samples)
    }
    // What is left of other tracks goes with it, unless that is enough for a fragment.
    guard let last = samples.last else { return Cut(samples: samples, end: nil) }
    let end = MediaTime(value: last.decodeTime.saturatingAdd(last.duration), timescale: feed.timescale)
    return Cut(samples: samples, end: end + boundary.minimumDuration)
  }

  private mutating func followingSamples(of feed: inout TrackFeed, until end: MediaTime?) throws(MP4Error)
    -> [SampleRecord]
  {
    var samples: [SampleRecord] = []
    while let sample = try peek(&feed) {
      if let end, MediaTime(value: sample.decodeTime, timescale: feed.timescale) >= end { break }
      let candidate = feed.boundarySample(sample)
      if boundary.ends(before: candidate, of: feed.index, isLeader: false) { break }
      boundary.add(candidate, to: feed.index)
      try take(sample, from: &feed, to: &samples)
    }
    return samples
  }

  /// Samples are written one by one, so those that shared bytes no longer do.
  private mutating func take(
    _ sample: SampleRecord, from feed: inout TrackFeed, to samples: inout [SampleRecord]
  ) throws(MP4Error) {
    try allowance.take(sample.size)
    let composition = sample.presentationTime.subtractingReportingOverflow(sample.decodeTime)
    let isBeforeZero = sample.decodeTime < 0
    feed.retiming.count(
      isDecodedAtAnotherTime: isBeforeZero,
      isShownAtAnotherTime: isBeforeZero || composition.overflow || Int32(exactly: composition.partialValue) == nil)
    samples.append(sample)
    feed.advance()
  }

  /// The next sample; with `recover`, damage ends the track.
  private mutating func peek(_ feed: inout TrackFeed) throws(MP4Error) -> SampleRecord? {
    do throws(MP4Error) {
      return try feed.peek()
    } catch {
      guard options.recover, error.isDamage else { throw error }
      if !feed.isDamaged { summary.dropped.append(error) }
      feed.isDamaged = true
      return nil
    }
  }
}

/// The samples of a track, where the next one can be looked at before it is taken.
private struct TrackFeed {
  private var samples: SampleReader
  private var upcoming: SampleRecord?
  /// The index of its track among those of the output.
  let index: Int
  let timescale: UInt32
  let encryption: SampleEncryption?
  private let timing: FragmentTiming
  var isDamaged = false
  var retiming = Retiming()

  init(_ content: FragmentedHeaderBuilder.Content, index: Int, encryption: SampleEncryption?) {
    samples = content.track.samples()
    self.index = index
    timescale = content.track.description.timescale
    self.encryption = encryption
    timing = content.timing
  }

  /// What decides whether a sample goes into the fragment or begins the next one.
  func boundarySample(_ sample: SampleRecord) -> FragmentBoundary.Sample {
    FragmentBoundary.Sample(
      decodeTime: sample.decodeTime, duration: sample.duration, size: sample.size, isSync: sample.isSync,
      descriptionIndex: sample.descriptionIndex,
      isEncrypted: encryption.map { !$0.data(of: Int(clamping: sample.number)).isEmpty } ?? false)
  }

  mutating func peek() throws(MP4Error) -> SampleRecord? {
    if isDamaged { return nil }
    if upcoming == nil, let next = try samples.nextRecord() { upcoming = timing.retimed(next) }
    return upcoming
  }

  mutating func advance() {
    upcoming = nil
  }

  /// Counts the samples of a fragment that has to begin earlier than they do, as its times would not fit 63 bits.
  mutating func noteMove(of samples: [SampleRecord]) {
    guard let time = samples.first?.decodeTime, FragmentBuilder.start(of: samples) < time else { return }
    for _ in samples { retiming.count(isDecodedAtAnotherTime: true, isShownAtAnotherTime: true) }
  }
}
