internal import MediaCore

/// Walks through media whose tracks are interleaved like those of a pattern.
///
/// After a sample another one begins, of the same track or of another. What cannot be read as one is a run of chunks
/// as the pattern has them, or a gap: then the next byte is searched from which several samples follow.
struct PatternScan {
  /// What was found, in file order.
  private(set) var samples: [PatternSample] = []
  /// Where nothing was found, and how many samples came before.
  private(set) var gaps: [(range: Range<UInt64>, after: Int)] = []

  private let reader: PatternReader
  private let runs: OpaqueRuns
  /// Units of work done in vain, less those that the bytes passed so far allow for: see `credit`.
  private var debt = 0

  /// Samples that have to follow one another after a gap.
  private static let convincing = 3
  /// Bytes of a packet that is believed where nothing readable follows.
  private static let shortest = 8
  private static let reportInterval = 1 << 10
  /// Units of work that may be done in vain in all; every byte that is searched allows for one more, and every eight
  /// bytes of what is found. After that, the search goes on at large steps.
  private static let credit = 1 << 16
  private static let bytesPerUnit = 8
  private static let largeStep: UInt64 = 4096

  init(_ reader: PatternReader, _ runs: OpaqueRuns) {
    (self.reader, self.runs) = (reader, runs)
  }

  /// Walks to the end.
  ///
  /// - Parameter progress: called now and then with the bytes done.
  /// - Throws: `SourceError`; whatever `progress` throws.
  mutating func run(progress: (UInt64) throws -> Void) throws {
    var position = reader.media.lowerBound
    var isContiguous = true
    var rounds = 0
    while position < reader.media.upperBound {
      rounds += 1
      if rounds.isMultiple(of: PatternScan.reportInterval) { try progress(position - reader.media.lowerBound) }
      let before = reader.work
      if let sample = try sample(at: position, isContiguous: isContiguous) {
        position = take([sample])
        isContiguous = true
      } else if let run = try knownRun(at: position) {
        position = take(run)
      } else if isContiguous, let (picture, run) = try runWithinLast() {
        debt += reader.work - before
        samples.removeLast()
        position = take([picture].compactMap(\.self) + run)
      } else {
        debt += reader.work - before
        let next = try nextSample(after: position, progress)
        if let run = try runs.samples(filling: position..<next, reader) {
          position = take(run)
        } else {
          gaps.append((position..<next, samples.count))
          position = next
        }
        isContiguous = false
      }
    }
  }

  /// Adds samples, and returns where the last of them ends.
  private mutating func take(_ found: [PatternSample]) -> UInt64 {
    samples += found
    debt = max(debt - found.reduce(0) { $0 + $1.bytes / PatternScan.bytesPerUnit }, 0)
    return found.last?.end ?? reader.media.upperBound
  }

  /// A sample that was found, as one of another track that looks alike: its header is read with that track's parameter
  /// sets, unless these say that it ends elsewhere.
  func sample(_ sample: PatternSample, of track: Int) throws(SourceError) -> PatternSample {
    let read = try reader.picture(at: sample.offset, of: track)
    return read?.bytes == sample.bytes ? read ?? sample : sample.of(track: track)
  }

  /// The sample at an offset. A packet of sound is believed if something known follows it. In media without PCM it is
  /// also believed if nothing does, unless samples of another track begin like it.
  private func sample(at offset: UInt64, isContiguous: Bool) throws(SourceError) -> PatternSample? {
    guard let sample = try reader.sample(at: offset) else { return nil }
    if reader.pattern.tracks[sample.track].isCertain { return sample }
    if try isFollowed(sample.end) { return sample }
    if try knownRun(at: sample.end) != nil { return sample }
    guard isContiguous, !runs.hasPCM, sample.bytes > PatternScan.shortest else { return nil }
    return try runs.begins(at: offset, reader) ? nil : sample
  }

  /// Whether something that can be read begins at an offset, or the media ends.
  private func isFollowed(_ offset: UInt64) throws(SourceError) -> Bool {
    if offset == reader.media.upperBound { return true }
    return try reader.sample(at: offset) != nil
  }

  // MARK: Runs

  /// Chunks that lie as they do in the pattern, and after which a sample begins, or the media ends.
  private func knownRun(at offset: UInt64) throws(SourceError) -> [PatternSample]? {
    guard debt <= PatternScan.credit else { return nil }
    for run in runs.known where UInt64(run.bytes) <= reader.media.upperBound - offset {
      guard let samples = try runs.samples(run.chunks, at: offset, reader) else { continue }
      if try isFollowed(offset + UInt64(run.bytes)) { return samples }
    }
    return nil
  }

  /// A run that was read as part of the last picture, after which nothing could be read: PCM may begin like one more
  /// unit of the picture, or like a picture.
  ///
  /// - Returns: what is left of the picture, if anything is, and the run.
  private func runWithinLast() throws(SourceError) -> (picture: PatternSample?, run: [PatternSample])? {
    guard !runs.known.isEmpty, let last = samples.last, let slice = last.slice else { return nil }
    for end in try reader.innerEnds(of: last).reversed() {
      if let run = try knownRun(at: end) {
        let bytes = Int(end - last.offset)
        return (PatternSample(track: last.track, offset: last.offset, bytes: bytes, slice: slice), run)
      }
    }
    return try knownRun(at: last.offset).map { (nil, $0) }
  }

  // MARK: Gaps

  /// The next offset from which several samples follow; the end of the media if there is none.
  private mutating func nextSample(
    after start: UInt64, _ progress: (UInt64) throws -> Void
  ) throws -> UInt64 {
    var offset = start
    var next = offset
    while offset < reader.media.upperBound {
      if offset >= next {
        try progress(offset - reader.media.lowerBound)
        next = offset + 1 << 20
      }
      // Cameras fill the file with zeros before they write to it. Few of them can be the beginning of a length.
      let zeros = try reader.zeros(at: offset)
      let isLarge = debt > PatternScan.credit
      let step = zeros > 16 ? zeros - 8 : isLarge ? PatternScan.largeStep : 1
      debt = max(debt - Int(step), 0)
      offset += step
      if offset < reader.media.upperBound, try isConvincing(offset) { return offset }
    }
    return reader.media.upperBound
  }

  /// Whether several samples follow one another from an offset on, with runs between them.
  private mutating func isConvincing(_ offset: UInt64) throws(SourceError) -> Bool {
    var position = offset
    let before = reader.work
    for number in 0..<PatternScan.convincing {
      var sample = try reader.sample(at: position)
      if sample == nil, number > 0 { sample = try knownRun(at: position)?.last }
      guard let sample else {
        debt += reader.work - before
        return false
      }
      position = sample.end
      if position == reader.media.upperBound { return number > 0 || reader.pattern.tracks[sample.track].isCertain }
    }
    return true
  }
}
