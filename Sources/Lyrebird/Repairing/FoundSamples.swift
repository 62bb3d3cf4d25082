internal import MP4
internal import MediaCore

/// The samples that a pattern helped to find, in all parts of a file.
struct FoundSamples {
  private let pattern: Pattern
  private let alike: SimilarTracks
  private(set) var samples: [PatternSample] = []
  private var gaps: [(range: Range<UInt64>, after: Int)] = []

  /// Samples of each track of the pattern, and bytes of all.
  private var totals: [Int]
  private(set) var bytes: UInt64 = 0

  init(_ pattern: Pattern) {
    self.pattern = pattern
    alike = SimilarTracks(pattern)
    totals = pattern.tracks.map { _ in 0 }
  }

  /// Adds what was found in a part of the media.
  ///
  /// - Throws: `SourceError` if reading fails.
  mutating func add(_ scan: PatternScan, in media: MediaSearch) throws(SourceError) {
    gaps += scan.gaps.compactMap { gap in media.written(gap.range).map { ($0, gap.after + samples.count) } }
    let found = try alike.divided(scan)
    samples += found
    for sample in found {
      totals[sample.track] += 1
      bytes += UInt64(sample.bytes)
    }
  }

  /// The tracks of the pattern of which there are samples, and whose times are known.
  var used: [Int] {
    pattern.tracks.indices.filter { totals[$0] > 0 && pattern.tracks[$0].isTimed }
  }

  /// Whether the beginning is missing, and with it what primes a decoder.
  private var lacksBeginning: Bool { gaps.first?.after == 0 }

  /// A track of the output, described as in the pattern.
  func muxerTrack(_ index: Int) -> MuxerTrack {
    let found = pattern.tracks[index]
    var track = MuxerTrack(found.track)
    track.edits = nil
    track.priming = priming(index)
    track.track.descriptions = Array(found.track.descriptions.prefix(1))
    return track
  }

  private func priming(_ index: Int) -> Int64 { lacksBeginning ? 0 : pattern.tracks[index].priming }

  /// The clocks of all tracks of the pattern.
  var timings: [PatternTiming] {
    let whole = duration
    return pattern.tracks.indices.map { index in
      let order = order(index)
      // The first sample to be seen or heard is so at 0; what comes before it is decoded earlier.
      let start = -priming(index) - Int64(order?.delay ?? 0) * pattern.tracks[index].duration
      return PatternTiming(pattern.tracks[index], order: order, start: start, whole: whole)
    }
  }

  /// How long the movie is: its pictures, or its sound if it has none.
  private var duration: MediaTime {
    var ends = pattern.tracks.map { _ in Int64(0) }
    for sample in samples {
      ends[sample.track] = ends[sample.track].saturatingAdd(pattern.tracks[sample.track].duration(of: sample))
    }
    func longest(_ isIncluded: (PatternTrack) -> Bool) -> MediaTime? {
      used.filter { isIncluded(pattern.tracks[$0]) }.map { index in
        MediaTime(value: ends[index], timescale: pattern.tracks[index].track.timescale)
      }.max()
    }
    return longest { $0.track.kind == .video && !$0.isData } ?? longest { !$0.isData } ?? .zero
  }

  /// In which order the pictures of a track are shown; `nil` for sound.
  private func order(_ index: Int) -> PictureTimes? {
    guard case .pictures(let coding) = pattern.tracks[index].coding else { return nil }
    var slices: [PictureSlice] = []
    var next = gaps[...]
    var followsGap = false
    for (number, sample) in samples.enumerated() {
      while let gap = next.first, gap.after <= number {
        followsGap = true
        next.removeFirst()
      }
      guard sample.track == index, var slice = sample.slice else { continue }
      slice.followsGap = followsGap
      followsGap = false
      slices.append(slice)
    }
    return PictureTimes(slices, bits: coding.orderBits, areNumbered: coding.hasFrameNumbers)
  }

  // MARK: The report

  /// What was found, without the sizes of file and output.
  var report: RepairReport {
    var report = RepairReport(.pattern)
    var counts = [UInt64](repeating: 0, count: pattern.tracks.count)
    var ends = pattern.tracks.map { _ in Int64(0) }
    let whole = duration
    let missing = gaps.reduce(0.0) { $0 + Double($1.range.upperBound - $1.range.lowerBound) }
    var tracks = pattern.tracks.enumerated().map { index, found in
      RepairReport.TrackReport(
        id: found.track.id, kind: found.track.kind, codecName: found.track.descriptions.first?.codecName ?? "")
    }
    var next = gaps[...]
    for index in 0...samples.count {
      while let gap = next.first, gap.after == index {
        note(gap.range, in: &tracks, counts, ends)
        next.removeFirst()
      }
      guard index < samples.count else { break }
      let sample = samples[index]
      counts[sample.track] += 1
      let track = pattern.tracks[sample.track]
      ends[sample.track] = ends[sample.track].saturatingAdd(
        track.duration(of: sample, at: ends[sample.track], whole: whole))
    }
    for index in tracks.indices {
      tracks[index].found = counts[index]
      tracks[index].doubtful = min(tracks[index].doubtful, counts[index])
      tracks[index].lost = lost(index, missing: missing)
      tracks[index].duration = MediaTime(value: ends[index], timescale: pattern.tracks[index].track.timescale)
    }
    report.tracks = used.map { tracks[$0] }
    report.assumptions = assumptions
    return report
  }

  /// Notes a gap for every track, because it is not known which one lost something.
  private func note(
    _ range: Range<UInt64>, in tracks: inout [RepairReport.TrackReport], _ counts: [UInt64], _ ends: [Int64]
  ) {
    let missing = range.upperBound - range.lowerBound
    for index in tracks.indices {
      let time = MediaTime(value: ends[index], timescale: pattern.tracks[index].track.timescale)
      tracks[index].addGap(at: range.lowerBound, bytes: missing, time: time)
      if counts[index] > 0, !pattern.tracks[index].lastsWhole { tracks[index].doubtful += 1 }
    }
  }

  /// How many samples of a track are missing, if the missing bytes had as many of them as those found have.
  private func lost(_ index: Int, missing: Double) -> UInt64 {
    if pattern.tracks[index].lastsWhole { return 0 }
    return UInt64(min((missing / Double(max(bytes, 1)) * Double(totals[index])).rounded(.up), 1e18))
  }

  private var assumptions: [RepairReport.Assumption] {
    var assumptions: [RepairReport.Assumption] = []
    // Several tracks have most of them in common.
    func add(_ assumption: RepairReport.Assumption) {
      if !assumptions.contains(assumption) { assumptions.append(assumption) }
    }
    for index in used {
      let found = pattern.tracks[index]
      guard found.track.kind == .video else { continue }
      add(.frameDuration(Double(found.duration) / Double(found.track.timescale)))
      guard case .pictures(let coding) = found.coding else { continue }
      if coding.orderBits == nil, !coding.hasNoReordering { add(.noReordering) }
    }
    let leftOut = Set(pattern.tracks.indices).subtracting(used).sorted().map { pattern.tracks[$0] }
    let codecs = leftOut.filter { $0.isOpaque || $0.isData }.map { $0.track.descriptions.first?.codecName ?? "" }
    assumptions += alike.undivided.map { .oneTrack(alike: $0) }
    return assumptions + (pattern.unreadable + codecs).map { .unreadable(codec: $0) }
  }
}

extension PatternTrack {
  /// What a sample lasts, in ticks of the track: as long as usual, and PCM as its bytes say.
  func duration(of sample: PatternSample) -> Int64 {
    guard case .opaque(let frame?) = coding, let rate = track.audioFormat?.sampleRate, rate >= 1 else {
      return duration
    }
    let frames = MediaTime(value: Int64(sample.bytes / frame), timescale: UInt32(min(rate, Double(UInt32.max))))
    return frames.converted(to: track.timescale)?.value ?? duration
  }

  /// The same for a sample that begins at a time in ticks of the track: data ends when the movie does, which lasts
  /// `whole`, and a sample that is for all of it lasts until then.
  func duration(of sample: PatternSample, at time: Int64, whole: MediaTime) -> Int64 {
    guard isData, let end = whole.converted(to: track.timescale)?.value, end > 0 else { return duration(of: sample) }
    let rest = max(end - time, 0)
    return lastsWhole ? rest : min(duration, rest)
  }
}
