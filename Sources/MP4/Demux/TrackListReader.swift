internal import ISOBMFF
internal import MediaCore

/// Reads the tracks of a movie from the boxes that a scan found.
struct TrackListReader {
  private(set) var tracks: [MovieTrack] = []
  let timescale: UInt32
  private(set) var duration: MediaTime
  private(set) var shownDuration: MediaTime

  /// - Throws: `MP4Error` `.source`.
  init(_ found: ScannedMovie, moov: BoxNode, header: MovieHeaderBox?, reader: SourceReader) throws(MP4Error) {
    timescale = max(header?.timescale ?? 1, 1)
    duration = MediaTime(value: 0, timescale: timescale)
    shownDuration = duration
    let file = reader.source.name
    let fragments = found.fragments
    let defaults = FragmentDefaults.byTrack(in: moov)
    let hasFragments = moov.first("mvex") != nil
    var numbers = TrackNumbers(moov, fragments: fragments?.order ?? [])
    for (trackIndex, trak) in moov.all("trak").enumerated() {
      let tableReader = SampleTableReader(trak, reader: found.moovReader, mediaSize: reader.size)
      let (id, isFirst) = numbers.number(for: tableReader.id, at: trackIndex)
      // Of two tracks with the same number, fragments belong to the first.
      let ownFragments = isFirst ? fragments?.track(id: id) : nil
      let fragmentDefect = hasFragments || ownFragments != nil ? fragments?.defect : nil
      let index = SampleIndex(
        table: tableReader.table, fragments: ownFragments, fragmentDefaults: defaults[id],
        defect: (tableReader.defect ?? fragmentDefect).map { MP4Error($0, file: file, trackID: id) },
        isExternal: trak.isExternalTrack)
      var track = try TrackReader(trak, index: index, movieTimescale: timescale).track
      track.id = id
      tracks.append(
        MovieTrack(description: track, trak: trak, index: index, reader: reader, moovReader: found.moovReader))
    }
    addUndescribed(found, described: numbers.described, defaults: defaults, reader: reader)
    // A time code or a list of chapters may be longer than what is seen and heard.
    let shown = tracks.filter { [.audio, .video, .text].contains($0.description.kind) }
    duration = tracks.map(\.description.duration).max() ?? duration
    shownDuration = shown.map(\.description.duration).max() ?? duration
    // The duration in the header applies where it is longer: players show it.
    if let header, header.duration != UInt64(UInt32.max), header.duration != .max,
      let value = Int64(exactly: header.duration)
    {
      duration = max(duration, MediaTime(value: value, timescale: timescale))
    }
  }

  /// Fragments may hold samples of tracks that the movie header does not know: they are kept, as tracks of unknown
  /// kind.
  private mutating func addUndescribed(
    _ found: ScannedMovie, described: TrackLookup, defaults: [UInt32: FragmentDefaults], reader: SourceReader
  ) {
    guard let fragments = found.fragments else { return }
    for id in fragments.order where described[id] == nil {
      let index = SampleIndex(
        fragments: fragments.track(id: id), fragmentDefaults: defaults[id],
        defect: fragments.defect.map { MP4Error($0, file: reader.source.name, trackID: id) })
      var track = Track(id: id, kind: .other("????"), timescale: timescale)
      track.sampleCount = index.fragments?.sampleCount ?? 0
      tracks.append(
        MovieTrack(description: track, trak: nil, index: index, reader: reader, moovReader: found.moovReader))
    }
  }
}

/// Gives each track a unique number: its own, unless an earlier track has it.
private struct TrackNumbers {
  /// The tracks in the movie header by number.
  let described: TrackLookup
  private let all: [UInt32]
  /// Numbers that are no longer available; `nil` until a track needs another number.
  private var taken: Set<UInt32>?
  private var nextFree: UInt32 = 1

  init(_ moov: BoxNode, fragments: [UInt32]) {
    let ids = moov.all("trak").map(\.trackNumber)
    described = TrackLookup(ids)
    all = ids + fragments
  }

  /// - Parameter trackIndex: which of the movie header's tracks it is.
  mutating func number(for id: UInt32, at trackIndex: Int) -> (id: UInt32, isFirst: Bool) {
    if described[id] == trackIndex { return (id, true) }
    if taken == nil { taken = Set(all) }
    while taken?.contains(nextFree) == true { nextFree += 1 }
    taken?.insert(nextFree)
    return (nextFree, false)
  }
}

extension SampleTable {
  /// Total size of all samples in bytes.
  func byteCount() throws(MP4Error) -> UInt64 {
    if let packing { return packing.byteCount(frames: sampleCount) }
    return try sizes.byteCount(of: 0..<sampleCount)
  }
}

extension SampleTable.Sizes {
  /// Total size of some samples in bytes. The caller has bounded their numbers by the table.
  func byteCount(of numbers: Range<UInt64>) throws(MP4Error) -> UInt64 {
    switch self {
    case .constant(let size): return UInt64(size) &* UInt64(numbers.count)
    case .table(let location): return try location.sum(of: Int(numbers.lowerBound)..<Int(numbers.upperBound))
    case .compact:
      var cursor = SizeCursor(self)
      var sum: UInt64 = 0
      for number in numbers { sum &+= UInt64(try cursor.size(at: number)) }
      return sum
    }
  }
}
