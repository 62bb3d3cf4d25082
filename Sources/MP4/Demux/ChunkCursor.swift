internal import MediaCore

/// The offsets of a track's chunks: `stco`, or `co64` for files above 4 GiB.
enum ChunkOffsets: Sendable {
  case narrow(TableLocation)
  case wide(TableLocation)

  var count: Int {
    switch self {
    case .narrow(let location), .wide(let location): location.count
    }
  }
}

/// Walks the chunks of a track: where each lies, and how many samples it holds.
///
/// `stsc` gives the first chunk of each run; a run lasts until the next one's first chunk. Runs that begin before the
/// previous one has ended, or that are empty, are skipped.
struct ChunkCursor: Sendable {
  private var runs: TableWindow<ChunkRun>
  private var narrowOffsets: TableWindow<UInt32>?
  private var wideOffsets: TableWindow<UInt64>?
  private let chunkCount: Int
  private var runIndex = 0
  /// The next run, already read to see where the current one ends.
  private var upcoming: ChunkRun?
  private var chunksLeftInRun = 0
  private var nextChunk = 0
  /// The offset of the current chunk.
  private(set) var offset: UInt64 = 0
  /// Samples in the current chunk.
  private(set) var samplesPerChunk: UInt32 = 0
  /// Sample entry of the current chunk, counted from 0.
  private(set) var descriptionIndex = 0

  init(runs: TableLocation, offsets: ChunkOffsets) {
    self.runs = TableWindow(runs)
    chunkCount = offsets.count
    switch offsets {
    case .narrow(let location): narrowOffsets = TableWindow(location)
    case .wide(let location): wideOffsets = TableWindow(location)
    }
  }

  /// Moves to the next chunk.
  ///
  /// - Returns: whether there is one.
  mutating func advance() throws(MP4Error) -> Bool {
    while chunksLeftInRun == 0 {
      guard try loadRun() else { return false }
    }
    chunksLeftInRun -= 1
    offset = try offset(of: nextChunk)
    nextChunk += 1
    return true
  }

  /// Skips whole chunks while they hold no more than `count` samples, and stops at the chunk that does.
  ///
  /// - Returns: how many samples to skip in that chunk, or `nil` if the chunks end first.
  mutating func skip(samples count: UInt64) throws(MP4Error) -> UInt64? {
    var rest = count
    while true {
      while chunksLeftInRun == 0 {
        guard try loadRun() else { return nil }
      }
      let perChunk = UInt64(samplesPerChunk)
      let whole = perChunk == 0 ? UInt64(chunksLeftInRun) : min(UInt64(chunksLeftInRun), rest / perChunk)
      rest -= whole * perChunk
      nextChunk += Int(whole)
      chunksLeftInRun -= Int(whole)
      if chunksLeftInRun > 0 {
        _ = try advance()
        return rest
      }
    }
  }

  /// Number of samples in all chunks together, counted up to `limit`.
  mutating func sampleCount(upTo limit: UInt64) throws(MP4Error) -> UInt64 {
    var count: UInt64 = 0
    while count < limit, try loadRun() {
      // Both factors are below 2^32 and the sum before was too, so this fits.
      count += UInt64(chunksLeftInRun) * UInt64(samplesPerChunk)
      nextChunk += chunksLeftInRun
      chunksLeftInRun = 0
    }
    return min(count, limit)
  }

  private mutating func loadRun() throws(MP4Error) -> Bool {
    guard runIndex < runs.count, nextChunk < chunkCount else { return false }
    let run = if let upcoming { upcoming } else { try runs.entry(at: runIndex) }
    upcoming = runIndex + 1 < runs.count ? try runs.entry(at: runIndex + 1) : nil
    let first = Int(run.firstChunk)
    let last = upcoming.map { min(max(Int($0.firstChunk) - 1, first - 1), chunkCount) } ?? chunkCount
    runIndex += 1
    guard last >= first else { return true }
    chunksLeftInRun = max(0, min(last - max(first, nextChunk + 1) + 1, chunkCount - nextChunk))
    samplesPerChunk = run.samplesPerChunk
    descriptionIndex = max(Int(run.descriptionIndex), 1) - 1
    return true
  }

  private mutating func offset(of chunk: Int) throws(MP4Error) -> UInt64 {
    if let offset = try narrowOffsets?.entry(at: chunk) { return UInt64(offset) }
    return try wideOffsets?.entry(at: chunk) ?? 0
  }
}

/// An entry of `stsc`: consecutive chunks with the same number of samples.
private struct ChunkRun: WindowEntry {
  /// Number of the first chunk, counted from 1.
  let firstChunk: UInt32
  let samplesPerChunk: UInt32
  /// Sample entry of the chunks, counted from 1.
  let descriptionIndex: UInt32

  static var width: Int { 12 }

  init(at offset: Int, in bytes: Span<UInt8>) {
    firstChunk = bytes.bigEndian(at: offset)
    samplesPerChunk = bytes.bigEndian(at: offset + 4)
    descriptionIndex = bytes.bigEndian(at: offset + 8)
  }
}
