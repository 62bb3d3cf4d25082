internal import ISOBMFF
internal import MediaCore

/// Builds the index of a fragmented movie, one `moof` box after another.
///
/// Only the place and the totals of each `traf` are kept, forty bytes of them; cursors read the boxes again when they
/// get there. Fragments without a `tfdt` begin where the one before ended.
struct FragmentIndexer {
  private let defaults: [UInt32: FragmentDefaults]
  /// When the first fragment begins and how many samples come before it, for tracks with samples in the `moov`.
  private let start: [UInt32: (time: Int64, samples: UInt64)]
  private(set) var tracks: [UInt32: FragmentIndex] = [:]
  /// Samples that runs may still claim without a field for each.
  private var bareSamplesLeft: UInt64
  /// Track numbers in the order in which fragments mentioned them.
  private(set) var order: [UInt32] = []
  /// Why the index ends before the file does: what is behind a broken fragment cannot be told.
  private(set) var defect: BoxError?

  /// Samples that runs may claim without a field for each, in all fragments together. Sixteen bytes could claim four
  /// billion: but each sample has a byte in the file, unless it is empty, and of those this many are enough.
  private static let maximumBareSamples: UInt64 = 100_000

  init(
    defaults: [UInt32: FragmentDefaults], start: [UInt32: (time: Int64, samples: UInt64)], sourceSize: UInt64
  ) {
    self.defaults = defaults
    self.start = start
    bareSamplesLeft = max(sourceSize, FragmentIndexer.maximumBareSamples)
  }

  /// Adds the samples of a fragment, given the payload of its `moof` box.
  mutating func add(_ moof: BoxHeader, payload: ArraySlice<UInt8>) {
    guard defect == nil else { return }
    guard !moof.isCut else {
      defect = BoxError(.truncated, path: "moof", offset: moof.offset)
      return
    }
    do throws(BoxError) {
      var dataEnd = moof.offset
      var place = moof.payloadOffset
      while let box = BoxHeader(payload.dropFirst(Int(place - moof.payloadOffset)), at: place, limit: moof.end) {
        if box.type == "traf" {
          let body = payload.dropFirst(Int(box.payloadOffset - moof.payloadOffset)).prefix(Int(box.payloadSize))
          if let content = try TrackFragmentContent(body, offset: box.payloadOffset) {
            dataEnd = try add(content, box: box, moof: moof, dataEnd: dataEnd)
          }
        }
        place = box.end
      }
    } catch {
      defect = error
    }
  }

  /// - Returns: where the data of these samples ends, which is what the next `traf` may count from.
  private mutating func add(_ content: TrackFragmentContent, box: BoxHeader, moof: BoxHeader, dataEnd: UInt64)
    throws(BoxError) -> UInt64
  {
    typealias Flag = TrackFragmentHeaderBox.Flag
    try countBareSamples(of: content, in: box)
    let id = content.header.trackID
    if tracks[id] == nil {
      order.append(id)
      tracks[id] = FragmentIndex()
      tracks[id]?.endTime = start[id]?.time ?? 0
      tracks[id]?.sampleCount = start[id]?.samples ?? 0
    }
    guard var track = tracks[id] else { return dataEnd }
    // Taken out while it grows, so that the array is not copied.
    tracks[id]?.fragments = []
    defer { tracks[id] = track }

    var base = dataEnd
    if content.header.has(Flag.baseDataOffset) {
      base = content.header.baseDataOffset
    } else if content.header.has(Flag.defaultBaseIsMoof) {
      base = moof.offset
    }
    let time = content.baseDecodeTime ?? track.endTime
    var cursor = TrackFragmentCursor(
      content, defaults: defaults[id] ?? FragmentDefaults(nil), base: base, decodeTime: time)
    var count: UInt32 = 0
    do throws(MP4Error) {
      while let sample = try cursor.next() {
        count += 1
        track.byteCount &+= UInt64(sample.size)
      }
    } catch {
      throw BoxError(.invalidValue(time), path: "moof/traf", field: "base_media_decode_time", offset: box.offset)
    }
    track.fragments.append(
      TrackFragment(
        offset: box.offset, size: UInt32(clamping: box.end - box.offset), sampleCount: count, base: base,
        decodeTime: time, firstSample: track.sampleCount))
    track.firstTime = track.firstTime ?? time
    track.sampleCount += UInt64(count)
    track.endTime = cursor.decodeTime
    return cursor.position
  }

  private mutating func countBareSamples(of content: TrackFragmentContent, in box: BoxHeader) throws(BoxError) {
    for run in content.runs where run.entrySize == 0 {
      let count = UInt64(run.sampleCount)
      guard count <= bareSamplesLeft else {
        throw BoxError(
          .countExceedsBox(claimed: count, room: bareSamplesLeft), path: "moof/traf/trun", field: "sample_count",
          offset: box.offset)
      }
      bareSamplesLeft -= count
    }
  }
}
