internal import ISOBMFF
internal import MediaCore

/// Builds the sample tables of a track that counts frames of PCM as samples. There are millions of them, but the tables
/// only have to state how many there are, and where.
struct FrameTableBuilder {
  private let packing: SampleTable.Packing
  /// The size of each sample as the source states it, which may be 1 whatever the size is.
  private let statedSize: UInt32
  private var chunks: [(offset: UInt64, frames: UInt64, description: Int)] = []
  private var times: [TimeToSampleEntry] = []
  private var firstTime: Int64?
  private var duration: UInt64 = 0

  /// - Parameter track: the track of the source; `nil` is returned if its samples are ordinary ones.
  init?(_ track: MovieTrack) {
    guard let packing = track.index.table.packing, case .constant(let size) = track.index.table.sizes else {
      return nil
    }
    (self.packing, statedSize) = (packing, size)
  }

  /// Adds those frames of a piece that a range of numbers covers: whole packets of them.
  ///
  /// - Returns: the bytes that they take.
  mutating func add(_ piece: SampleRecord, _ range: Range<UInt64>) -> (offset: UInt64, count: UInt64) {
    let perPacket = UInt64(max(packing.frames, 1))
    let count = UInt64(piece.size) / UInt64(max(packing.bytes, 1)) * perPacket
    let first = min(range.lowerBound.subtracting(piece.number) / perPacket * perPacket, count)
    let end = max(min((range.upperBound.subtracting(piece.number)).roundedUp(to: perPacket), count), first)
    let frames = end - first
    guard frames > 0 else { return (piece.offset, 0) }
    let ticks = piece.duration / Int64(clamping: max(count, 1))
    if firstTime == nil { firstTime = piece.decodeTime.saturatingAdd(Int64(clamping: first) * ticks) }
    let offset = piece.offset + packing.byteCount(frames: first)
    if let last = chunks.last, last.offset + packing.byteCount(frames: last.frames) == offset,
      last.description == piece.descriptionIndex, packing.byteCount(frames: last.frames) < FrameTableBuilder.chunkSize
    {
      chunks[chunks.count - 1].frames += frames
    } else {
      chunks.append((offset, frames, piece.descriptionIndex))
    }
    let delta = UInt32(clamping: max(ticks, 0))
    duration += frames * UInt64(delta)
    if let last = times.last, last.sampleDelta == delta, UInt64(last.sampleCount) + frames <= UInt64(UInt32.max) {
      times[times.count - 1].sampleCount += UInt32(frames)
    } else {
      times.append(TimeToSampleEntry(sampleCount: UInt32(clamping: frames), sampleDelta: delta))
    }
    return (offset, packing.byteCount(frames: frames))
  }

  /// Chunks are no longer than this, so that a player need not read far ahead.
  private static let chunkSize: UInt64 = 256 << 10

  func finished() -> BuiltTrackTables {
    var timeBox = TimeToSampleBox()
    timeBox.runs = PackedTable(times)
    var sizeBox = SampleSizeBox()
    let frames = chunks.reduce(0) { $0 + $1.frames }
    (sizeBox.sampleSize, sizeBox.sampleCount) = (statedSize, UInt32(clamping: frames))
    let map = SampleToChunkBox(chunks.lazy.map { ($0.frames, $0.description) })
    return BuiltTrackTables(
      boxes: [BoxNode("stts", timeBox), BoxNode("stsc", map), BoxNode("stsz", sizeBox)],
      chunkOffsets: chunks.map(\.offset), duration: duration, sampleCount: frames, firstTime: firstTime ?? 0,
      firstShown: 0, lastShownEnd: Int64(clamping: duration), retiming: Retiming())
  }
}

extension UInt64 {
  /// The difference, or 0 where it would be negative.
  fileprivate func subtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
