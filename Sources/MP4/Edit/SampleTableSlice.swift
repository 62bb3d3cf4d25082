internal import ISOBMFF
internal import MediaCore

/// The tables of consecutive packets of sound, cut out of those of their track.
///
/// Hours of sound are a million packets. Visiting each would take longer than copying the data. But their times form a
/// few runs, and their sizes are kept: they only have to be summed for each chunk.
struct SampleTableSlice {
  /// Their numbers in the track.
  let samples: Range<UInt64>
  private(set) var chunks: [Chunk] = []
  private var times: [TimeToSampleEntry] = []
  private var sizes: [UInt8] = []
  private var firstTime: Int64 = 0
  private var duration: UInt64 = 0

  /// Consecutive samples that follow each other in the file.
  struct Chunk {
    /// Where they are in the source.
    var offset: UInt64
    /// Their bytes.
    var count: UInt64
    var samples: UInt64
    /// Their sample entry, counted from 0.
    var description: Int
  }

  /// - Parameters:
  ///   - track: their track.
  ///   - samples: their numbers; those after the last sample are ignored.
  ///   - end: when the last one ends, if that is earlier than it would, in ticks of the track.
  /// - Returns: `nil` if samples need individual handling or one is damaged; `SampleReader` then reads them and reports
  ///   the error.
  /// - Throws: `MP4Error` if reading fails.
  init?(_ track: MovieTrack, _ samples: Range<UInt64>, end: Int64?) throws(MP4Error) {
    let (index, table) = (track.index, track.index.table)
    guard track.description.kind == .audio, index.defect == nil, index.fragments?.entries.isEmpty ?? true,
      table.dependencies == nil, case .table(let sizes) = table.sizes, let times = table.timeToSample,
      let all = try SteadyTimes(table)?.samples(before: .max)
    else { return nil }
    self.samples = samples.clamped(to: 0..<all.count)
    guard !self.samples.isEmpty, try readTimes(RunCursor(times, repeatsLast: true), end: end), try readSizes(sizes),
      try readChunks(of: track)
    else { return nil }
  }

  /// What the packets of the track yield, if all yield as much as the first.
  var capacity: Int64 {
    let ticks = Int128(times.first?.sampleDelta ?? 0)
    return Int64(clamping: ticks * Int128(samples.count))
  }

  func finished() -> BuiltTrackTables {
    var timeBox = TimeToSampleBox()
    timeBox.runs = PackedTable(times)
    var sizeBox = SampleSizeBox()
    sizeBox.sizes = PackedTable(bytes: sizes[...])
    sizeBox.sampleCount = UInt32(clamping: samples.count)
    let map = SampleToChunkBox(chunks.lazy.map { ($0.samples, $0.description) })
    return BuiltTrackTables(
      boxes: [BoxNode("stts", timeBox), BoxNode("stsc", map), BoxNode("stsz", sizeBox)],
      chunkOffsets: chunks.map(\.offset), duration: duration, sampleCount: UInt64(samples.count),
      firstTime: firstTime, firstShown: 0, lastShownEnd: Int64(clamping: duration), retiming: Retiming())
  }

  // MARK: Reading

  private mutating func readTimes(_ runs: RunCursor, end: Int64?) throws(MP4Error) -> Bool {
    var runs = runs
    guard let first = try runs.skip(samples.lowerBound) else { return false }
    firstTime = first
    var left = UInt64(samples.count)
    while left > 0 {
      let (count, ticks) = try runs.nextRun(upTo: left)
      // Samples of one tick may be frames of PCM, whose sizes are stored in another way.
      guard ticks != 1 else { return false }
      append(count, lasting: UInt32(clamping: ticks))
      left -= count
    }
    guard let end else { return true }
    var excess = firstTime.saturatingAdd(Int64(clamping: duration)).saturatingSubtract(end)
    var shortened: [UInt32] = []
    while excess > 0, let last = times.last {
      // The last packet of all may be there only for what a decoder yields late.
      guard shortened.count < 2 else { return false }
      let cut = min(excess, Int64(last.sampleDelta))
      times[times.count - 1].sampleCount -= 1
      if last.sampleCount == 1 { times.removeLast() }
      duration -= UInt64(last.sampleDelta)
      excess -= cut
      shortened.append(last.sampleDelta - UInt32(cut))
    }
    for ticks in shortened.reversed() { append(1, lasting: ticks) }
    return true
  }

  private mutating func append(_ count: UInt64, lasting ticks: UInt32) {
    // Below 2^63, as the sum of all times is.
    duration += count * UInt64(ticks)
    if let last = times.last, last.sampleDelta == ticks {
      times[times.count - 1].sampleCount += UInt32(count)
    } else {
      times.append(TimeToSampleEntry(sampleCount: UInt32(count), sampleDelta: ticks))
    }
  }

  private mutating func readSizes(_ table: TableLocation) throws(MP4Error) -> Bool {
    let count = samples.count * 4
    do throws(SourceError) {
      sizes = try table.reader.bytes(at: table.offset + samples.lowerBound * 4, count: count)
    } catch {
      throw MP4Error(error)
    }
    return sizes.count == count
  }

  private mutating func readChunks(of track: MovieTrack) throws(MP4Error) -> Bool {
    let table = track.index.table
    guard let map = table.sampleToChunk, let offsets = table.chunkOffsets else { return false }
    var cursor = ChunkCursor(runs: map, offsets: offsets)
    guard let skipped = try cursor.skip(samples: samples.lowerBound) else { return false }
    let bytes = try table.sizes.byteCount(of: (samples.lowerBound - skipped)..<samples.lowerBound)
    var offset = cursor.offset &+ bytes
    var available = UInt64(cursor.samplesPerChunk) - skipped
    var taken = 0
    while true {
      let count = min(Int(clamping: available), samples.count - taken)
      let bytes = byteCount(of: taken..<(taken + count))
      let (end, overflow) = offset.addingReportingOverflow(bytes)
      guard !overflow, end <= track.reader.size || track.index.isExternal else { return false }
      if count > 0 {
        append(Chunk(offset: offset, count: bytes, samples: UInt64(count), description: cursor.descriptionIndex))
      }
      taken += count
      if taken == samples.count { return true }
      guard try cursor.advance() else { return false }
      (offset, available) = (cursor.offset, UInt64(cursor.samplesPerChunk))
    }
  }

  /// The bytes of some samples. Below 2^64, as both their number and their sizes are below 2^32.
  private func byteCount(of numbers: Range<Int>) -> UInt64 {
    let span = sizes.span
    var sum: UInt64 = 0
    for number in numbers { sum &+= UInt64(span.bigEndian(at: number &* 4, as: UInt32.self)) }
    return sum
  }

  /// A chunk directly after another one is a part of it.
  private mutating func append(_ chunk: Chunk) {
    if let last = chunks.last, last.offset + last.count == chunk.offset, last.description == chunk.description {
      chunks[chunks.count - 1].count += chunk.count
      chunks[chunks.count - 1].samples += chunk.samples
    } else {
      chunks.append(chunk)
    }
  }
}
