internal import MediaCore

/// Walks through media whose tracks are interleaved like those of a pattern.
///
/// Behind a sample another one begins, of the same track or of another. What cannot be read as one is PCM, whose chunks
/// have the sizes that they have in the pattern, or a gap: then the next byte is searched from which several samples
/// follow.
struct PatternScan {
  /// What was found, in file order.
  private(set) var samples: [PatternSample] = []
  /// Where nothing was found, and how many samples came before.
  private(set) var gaps: [(range: Range<UInt64>, after: Int)] = []

  private let reader: PatternReader
  /// Tracks of PCM: their indices, the sizes of their chunks, and of a frame.
  private let plain: [(track: Int, chunks: [Int], frame: Int)]
  /// Work that was done in vain and that no searched byte has paid for.
  private var debt = 0

  /// Samples that have to follow one another after a gap.
  private static let convincing = 3
  /// Bytes of a packet that is believed where nothing readable follows.
  private static let shortest = 8
  private static let reportInterval = 1 << 10
  /// Units of work that may be done in vain in all; every byte that is searched allows for one more. After that, the
  /// search goes on at large steps.
  private static let credit = 1 << 16
  private static let largeStep: UInt64 = 4096

  init(_ reader: SourceReader, _ pattern: Pattern, media: Range<UInt64>) {
    self.reader = PatternReader(reader, pattern, media: media)
    plain = pattern.tracks.enumerated().compactMap { index, track in
      if case .plain(let chunks, let frame) = track.coding { (index, chunks, frame) } else { nil }
    }
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
        samples.append(sample)
        position = sample.end
        isContiguous = true
      } else if let chunk = try plainChunk(at: position) {
        samples.append(chunk)
        position = chunk.end
      } else if isContiguous, let (picture, chunk) = try chunkWithinLast() {
        debt += reader.work - before
        samples.removeLast()
        samples += [picture, chunk].compactMap(\.self)
        position = chunk.end
      } else {
        debt += reader.work - before
        let next = try nextSample(after: position, progress)
        if !takeAsPlain(position..<next) { gaps.append((position..<next, samples.count)) }
        position = next
        isContiguous = false
      }
    }
  }

  /// The sample at an offset. A packet of sound behind a gap is believed if others follow it.
  private func sample(at offset: UInt64, isContiguous: Bool) throws(SourceError) -> PatternSample? {
    guard let sample = try reader.sample(at: offset) else { return nil }
    if sample.slice != nil { return sample }
    if try isFollowed(sample) { return sample }
    return isContiguous && plain.isEmpty && sample.bytes > PatternScan.shortest ? sample : nil
  }

  /// Whether something else that can be read begins behind a sample, or the media ends.
  private func isFollowed(_ sample: PatternSample) throws(SourceError) -> Bool {
    if sample.end == reader.media.upperBound { return true }
    return try reader.sample(at: sample.end) != nil
  }

  // MARK: PCM

  /// A chunk of PCM of a usual size behind which a sample begins, or the media ends.
  private func plainChunk(at offset: UInt64) throws(SourceError) -> PatternSample? {
    guard debt <= PatternScan.credit else { return nil }
    for (track, chunks, _) in plain {
      for bytes in chunks where UInt64(bytes) <= reader.media.upperBound - offset {
        if let chunk = PatternSample(track: track, offset: offset, bytes: bytes), try isFollowed(chunk) { return chunk }
      }
    }
    return nil
  }

  /// A chunk that was read as part of the last picture, behind which nothing could be read: PCM may begin like one more
  /// unit of the picture, or like a picture.
  ///
  /// - Returns: what is left of the picture, if anything is, and the chunk.
  private func chunkWithinLast() throws(SourceError) -> (picture: PatternSample?, chunk: PatternSample)? {
    guard !plain.isEmpty, let last = samples.last, let slice = last.slice else { return nil }
    for end in try reader.innerEnds(of: last).reversed() {
      if let chunk = try plainChunk(at: end) {
        let bytes = Int(end - last.offset)
        return (PatternSample(track: last.track, offset: last.offset, bytes: bytes, slice: slice), chunk)
      }
    }
    return try plainChunk(at: last.offset).map { (nil, $0) }
  }

  /// Takes what lies between samples as PCM if it is no longer than usual and holds whole frames.
  private mutating func takeAsPlain(_ range: Range<UInt64>) -> Bool {
    guard plain.count == 1, let (track, chunks, frame) = plain.first else { return false }
    let bytes = range.upperBound - range.lowerBound
    guard bytes.isMultiple(of: UInt64(frame)), bytes <= UInt64(2 * (chunks.max() ?? 0)),
      let chunk = PatternSample(track: track, offset: range.lowerBound, bytes: Int(bytes))
    else { return false }
    samples.append(chunk)
    return true
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
      let step = debt > PatternScan.credit ? PatternScan.largeStep : 1
      debt = max(debt - Int(step), 0)
      offset += step
      if offset < reader.media.upperBound, try isConvincing(offset) { return offset }
    }
    return reader.media.upperBound
  }

  /// Whether several samples follow one another from an offset on, the first of which is not PCM.
  private mutating func isConvincing(_ offset: UInt64) throws(SourceError) -> Bool {
    var position = offset
    let before = reader.work
    for number in 0..<PatternScan.convincing {
      var sample = try reader.sample(at: position)
      if sample == nil, number > 0 { sample = try plainChunk(at: position) }
      guard let sample else {
        debt += reader.work - before
        return false
      }
      position = sample.end
      if position == reader.media.upperBound { return number > 0 || sample.slice != nil }
    }
    return true
  }
}
