internal import MediaCore

/// What lies between the samples of a pattern that can be read: chunks of PCM, time codes, metadata.
///
/// Nothing in such a chunk says where it ends. But a device writes its tracks in the same order each time, and most of
/// their chunks in the same sizes. So a run of them is found by its length, where a sample begins after it, and by the
/// bytes with which all samples of a track begin: those of a GoPro's sensors with `DEVC`.
struct OpaqueRuns {
  /// Samples of a track that follow one another, by their sizes in bytes. PCM is taken as one.
  struct Chunk: Hashable {
    let track: Int
    var sizes: [Int]
    var bytes: Int { sizes.reduce(0, +) }
  }

  /// A run in which one chunk, a single sample, has another size each time.
  private struct OpenRun: Hashable {
    let before: [Chunk]
    let track: Int
    let after: [Chunk]
  }

  /// The layouts that runs have in the pattern, and their bytes, the most frequent first.
  let known: [(chunks: [Chunk], bytes: Int)]
  private let open: [OpenRun]
  /// For each track of the pattern, how many bytes an open chunk may have.
  private let openSizes: [ClosedRange<Int>]
  /// For each track of the pattern, the bytes with which all its samples begin, four at most.
  private let beginnings: [[UInt8]]
  /// Bytes of a frame, for each track of the pattern that is of PCM.
  private let frames: [Int?]

  /// The most layouts that are tried.
  private static let maximumKnown = 64
  private static let maximumOpen = 16
  /// The most samples of a layout. Where there are more, the tracks are not interleaved, and it does not occur again.
  private static let longestLayout = 1000

  /// Takes the runs from a whole movie.
  init(_ pattern: Pattern) {
    frames = pattern.tracks.map { track in
      if case .opaque(let frame) = track.coding { frame } else { nil }
    }
    let frames = frames
    beginnings = pattern.tracks.map(\.beginning)
    let runs = OpaqueRuns.runs(pattern, frames)
    let layouts = Counted(runs).mostFrequent.filter { layout in
      layout.reduce(0) { $0 + $1.sizes.count } <= OpaqueRuns.longestLayout
    }
    known = layouts.prefix(OpaqueRuns.maximumKnown).map { ($0, $0.bytes) }
    let chunks = Dictionary(grouping: runs.joined(), by: \.track)
    openSizes = pattern.tracks.indices.map { index in
      let sizes = chunks[index, default: []].map(\.bytes)
      let (least, most) = (sizes.min() ?? 0, min(sizes.max() ?? 0, Int.max / 2))
      return (frames[index] ?? least / 2)...max(2 * most, frames[index] ?? 0)
    }
    let shares = chunks.mapValues { Counted($0) }
    let openRuns = layouts.compactMap { OpaqueRuns.open($0, shares, frames) }
    open = Array(Counted(openRuns).mostFrequent.prefix(OpaqueRuns.maximumOpen))
  }

  /// A run with its least usual chunk open, if there is one that can be: a single sample whose size is not the usual
  /// one, or PCM of the only track of PCM.
  private static func open(_ run: [Chunk], _ shares: [Int: Counted<Chunk>], _ frames: [Int?]) -> OpenRun? {
    let hasOnePCM = run.count { frames[$0.track] != nil } == 1
    let candidates = run.indices.compactMap { index -> (index: Int, share: Double)? in
      let chunk = run[index]
      let share = shares[chunk.track]?.share(of: chunk) ?? 0
      if frames[chunk.track] != nil { return hasOnePCM ? (index, share) : nil }
      return chunk.sizes.count == 1 && share < 0.5 ? (index, share) : nil
    }
    guard let index = candidates.min(by: { $0.share < $1.share })?.index else { return nil }
    return OpenRun(
      before: Array(run[..<index]), track: run[index].track, after: Array(run[(index + 1)...]))
  }

  /// All runs of chunks whose samples cannot be read, in the order of the file.
  ///
  /// - Parameter frames: bytes of a frame of PCM, for each track of the pattern that has any.
  private static func runs(_ pattern: Pattern, _ frames: [Int?]) -> [[Chunk]] {
    var (runs, run): ([[Chunk]], [Chunk]) = ([], [])
    var end: UInt64?
    for sample in pattern.samples {
      let track = sample.track.flatMap { pattern.tracks[$0].isOpaque ? $0 : nil }
      if track == nil || sample.offset != end {
        runs.append(run)
        run = []
      }
      if let track {
        if run.last?.track != track { run.append(Chunk(track: track, sizes: [])) }
        if frames[track] != nil {
          run[run.count - 1].sizes = [run[run.count - 1].bytes + sample.bytes]
        } else {
          run[run.count - 1].sizes.append(sample.bytes)
        }
      }
      end = sample.offset.addingReportingOverflow(UInt64(sample.bytes)).partialValue
    }
    runs.append(run)
    return runs.filter { run in
      run.bytes > 0 && run.allSatisfy { $0.bytes.isMultiple(of: frames[$0.track] ?? 1) }
    }
  }

  // MARK: Finding

  /// Whether any track is of PCM.
  var hasPCM: Bool { frames.contains { $0 != nil } }

  /// Whether samples of a track begin with the bytes at an offset: with two of them at least, as one proves little.
  func begins(at offset: UInt64, _ reader: PatternReader) throws(SourceError) -> Bool {
    let bytes = try reader.bytes(at: offset, count: beginnings.map(\.count).max() ?? 0)
    return beginnings.contains { $0.count > 1 && bytes.starts(with: $0) }
  }

  /// The samples of chunks that follow one another from an offset on; `nil` if these begin otherwise than in the
  /// pattern.
  func samples(
    _ chunks: some Sequence<Chunk>, at offset: UInt64, _ reader: PatternReader
  ) throws(SourceError) -> [PatternSample]? {
    var (samples, position): ([PatternSample], UInt64) = ([], offset)
    for chunk in chunks {
      let beginning = beginnings[chunk.track]
      for size in chunk.sizes {
        guard let sample = PatternSample(track: chunk.track, offset: position, bytes: size) else { return nil }
        let count = min(size, beginning.count)
        if count > 0, try !reader.bytes(at: position, count: count).elementsEqual(beginning.prefix(count)) {
          return nil
        }
        samples.append(sample)
        position = sample.end
      }
    }
    return samples
  }

  /// The samples that fill a range, of which one may have a size of its own.
  func samples(filling range: Range<UInt64>, _ reader: PatternReader) throws(SourceError) -> [PatternSample]? {
    for run in open {
      let rest = range.upperBound - range.lowerBound
      let others = UInt64(run.before.bytes + run.after.bytes)
      guard rest >= others, let size = Int(exactly: rest - others), openSizes[run.track].contains(size),
        size.isMultiple(of: frames[run.track] ?? 1)
      else { continue }
      let chunks = run.before + [Chunk(track: run.track, sizes: [size])] + run.after
      if let samples = try samples(chunks, at: range.lowerBound, reader) { return samples }
    }
    return nil
  }
}

extension [OpaqueRuns.Chunk] {
  var bytes: Int { reduce(0) { $0 + $1.bytes } }
}
