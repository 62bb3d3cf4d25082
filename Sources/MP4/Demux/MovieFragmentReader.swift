internal import ISOBMFF
internal import MediaCore

/// Reads the movie fragments of a file, one `moof` box after another, into a list of track fragments for each track.
///
/// Only the file offset and the totals of each `traf` are kept, forty bytes; cursors read the boxes again when they get
/// there. Fragments without a `tfdt` begin where the previous one ended.
struct MovieFragmentReader {
  /// What a track's fragments need to know from the movie header.
  struct Start {
    /// When the first fragment begins, unless it says so itself: when the movie header's own samples end.
    var time: Int64 = 0
    /// How many samples the movie header has.
    var samples: UInt64 = 0
  }

  private let defaults: [UInt32: FragmentDefaults]
  /// What is known about each track: those in the movie header, and those that occur in fragments only.
  private var tracks: [TrackFragmentList] = []
  private var trackIndices: [UInt32: Int] = [:]
  /// Track numbers in the order in which fragments mentioned them.
  private(set) var order: [UInt32] = []
  /// Why the index ends before the file does: after a broken fragment, positions are not known.
  private(set) var defect: BoxError?
  /// How many more samples without fields of their own the file can have: nothing in the index bounds their number.
  private var bareRoom: UInt64
  private let mediaSize: UInt64
  private var undescribedTracks = 0
  /// Each different `pssh` box. Where keys change, fragments have their own.
  private(set) var keys: [BoxNode] = []
  private var knownKeys: Set<ArraySlice<UInt8>> = []

  /// The most empty samples without fields of their own, in a run and in the file: a day of one per second.
  static let maximumEmptySamples: UInt64 = 100_000
  /// The most tracks in fragments that the movie header does not know.
  static let maximumUndescribedTracks = 1000
  /// The most `pssh` boxes that are kept, and the largest of them in bytes.
  private static let maximumKeys = 1000
  private static let maximumKeySize: UInt64 = 16 << 10

  /// - Parameter mediaSize: size in bytes of the file that holds the samples.
  init(defaults: [UInt32: FragmentDefaults], mediaSize: UInt64) {
    self.defaults = defaults
    bareRoom = mediaSize &+ MovieFragmentReader.maximumEmptySamples
    self.mediaSize = mediaSize
  }

  /// Whether this track is known.
  func knows(_ id: UInt32) -> Bool { trackIndices[id] != nil }

  /// Makes a track known.
  mutating func describe(_ id: UInt32, startingAt start: Start) {
    var track = TrackFragmentList()
    if start.samples > 0 {
      track.endTime = start.time
      track.sampleCount = start.samples
      track.firstTime = 0
    }
    trackIndices[id] = tracks.count
    tracks.append(track)
  }

  /// The fragments of the track with this number, or `nil` if there are none.
  func track(id: UInt32) -> TrackFragmentList? {
    guard let trackIndex = trackIndices[id], !tracks[trackIndex].entries.isEmpty else { return nil }
    return tracks[trackIndex]
  }

  /// The fragments of a track that were added since the last call, or `nil` if there are none. Those of all tracks are
  /// forgotten, as those of an endless movie would add up.
  mutating func takeFragments(of id: UInt32) -> TrackFragmentList? {
    let found = track(id: id)
    for index in tracks.indices { tracks[index].entries.removeAll(keepingCapacity: true) }
    order.removeAll(keepingCapacity: true)
    return found
  }

  /// Ends the index before a fragment that cannot be read.
  mutating func refuse(_ moof: BoxHeader, _ code: BoxError.Code) {
    defect = defect ?? BoxError(code, path: "moof", offset: moof.offset)
  }

  /// Adds the samples of a fragment, given the payload of its `moof` box.
  mutating func add(_ moof: BoxHeader, payload: ArraySlice<UInt8>) {
    guard !moof.isCut else { return refuse(moof, .truncated) }
    var dataEnd = moof.offset
    var fileOffset = moof.payloadOffset
    // Matched rather than compared, which would copy the error.
    while case nil = defect,
      let box = BoxHeader(payload.dropFirst(Int(fileOffset - moof.payloadOffset)), at: fileOffset, limit: moof.end)
    {
      if box.type == "traf" {
        let body = payload.dropFirst(Int(box.payloadOffset - moof.payloadOffset)).prefix(Int(box.payloadSize))
        let content = TrackFragmentContent(body, offset: box.payloadOffset)
        if let header = content.header {
          dataEnd = add(content, header: header, box: box, moof: moof, dataEnd: dataEnd)
        }
        if case nil = defect, let found = content.defect { defect = found }
      } else if box.type == "pssh" {
        addKey(payload.dropFirst(Int(box.payloadOffset - moof.payloadOffset)).prefix(Int(box.payloadSize)))
      }
      fileOffset = box.end
    }
  }

  private mutating func addKey(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= MovieFragmentReader.maximumKeySize, keys.count < MovieFragmentReader.maximumKeys else {
      return
    }
    // A copy, as a slice would keep the whole fragment's header.
    let bytes = Array(bytes)[...]
    guard knownKeys.insert(bytes).inserted else { return }
    keys.append(BoxNode(header: BoxHeader(type: "pssh"), content: .opaque(bytes)))
  }

  /// - Returns: where the data of these samples ends, from which the next `traf` may count.
  private mutating func add(
    _ content: TrackFragmentContent, header: TrackFragmentHeaderBox, box: BoxHeader, moof: BoxHeader, dataEnd: UInt64
  ) -> UInt64 {
    typealias Flag = TrackFragmentHeaderBox.Flag
    let id = header.trackID
    guard let trackIndex = trackIndices[id] ?? indexOfUndescribed(id) else {
      refuse(moof, .tooManyBoxes)
      return dataEnd
    }
    if tracks[trackIndex].entries.isEmpty { order.append(id) }
    var base = dataEnd
    if header.has(Flag.baseDataOffset) {
      base = header.baseDataOffset
    } else if header.has(Flag.defaultBaseIsMoof) {
      base = moof.offset
    }
    let time = content.baseDecodeTime ?? tracks[trackIndex].endTime
    var cursor = TrackFragmentCursor(
      content, header: header, defaults: defaults[id] ?? FragmentDefaults(nil), base: base, decodeTime: time)
    let (count, bytes) = countSamples(&cursor, in: box, startingAt: time)
    tracks[trackIndex].append(
      TrackFragment(
        offset: box.offset, size: UInt32(clamping: box.end - box.offset), isAnnotated: content.isAnnotated,
        sampleCount: count, base: base, decodeTime: time, firstSample: tracks[trackIndex].sampleCount),
      bytes: bytes, endTime: cursor.decodeTime, shownEnd: cursor.lastShownEnd)
    return cursor.position
  }

  /// - Returns: the index of a track that the movie header does not know, or `nil` if there are too many of them.
  private mutating func indexOfUndescribed(_ id: UInt32) -> Int? {
    undescribedTracks += 1
    guard undescribedTracks <= MovieFragmentReader.maximumUndescribedTracks else { return nil }
    describe(id, startingAt: Start())
    return trackIndices[id]
  }

  /// Counts the samples that can be read, and notes why there are fewer than claimed.
  private mutating func countSamples(
    _ cursor: inout TrackFragmentCursor, in box: BoxHeader, startingAt time: Int64
  ) -> (count: UInt32, bytes: UInt64) {
    var count: UInt32 = 0
    var bytes: UInt64 = 0
    do throws(MP4Error) {
      while true {
        if let run = cursor.runTotals() {
          if let size = run.bareSize {
            let room = room(for: run.count, of: size, after: count)
            if UInt64(run.count) > room {
              defect = BoxError(
                .countExceedsBox(claimed: UInt64(run.count), room: room), path: "moof/traf/trun",
                field: "sample_count", offset: box.offset)
              return (count + UInt32(room), bytes &+ room &* UInt64(size))
            }
            bareRoom -= UInt64(run.count)
          }
          guard run.count <= .max - count else { return (count, bytes) }
          if cursor.skip(run) {
            count += run.count
            bytes &+= run.bytes
            continue
          }
        }
        guard count < .max, let sample = try cursor.next() else { return (count, bytes) }
        count += 1
        bytes &+= UInt64(sample.size)
      }
    } catch {
      defect = BoxError(.invalidValue(time), path: "moof/traf", field: "base_media_decode_time", offset: box.offset)
      return (count, bytes)
    }
  }

  /// How many samples of a bare run there can be: as many as fit in the file, or a limited number of empty ones.
  private func room(for claimed: UInt32, of size: UInt32, after count: UInt32) -> UInt64 {
    let empty = UInt64(claimed) <= MovieFragmentReader.maximumEmptySamples ? UInt64(claimed) : 0
    let own = size == 0 ? empty : mediaSize / UInt64(size)
    return min(own, bareRoom, UInt64(UInt32.max - count))
  }
}
