internal import ISOBMFF
internal import MediaCore

/// Puts tracks together from what a scan found.
struct MovieAssembly {
  private(set) var tracks: [Track] = []
  private(set) var indexes: [TrackIndex] = []
  let timescale: UInt32
  private(set) var duration: MediaTime

  init(_ found: ScannedMovie, moov: BoxNode, header: MovieHeaderBox?, reader: SourceReader) {
    timescale = max(header?.timescale ?? 1, 1)
    duration = MediaTime(value: 0, timescale: timescale)
    let file = reader.source.name
    let fragmentDefect = moov.first("mvex") == nil ? nil : found.fragments?.defect
    var described: Set<UInt32> = []
    let defaults = FragmentDefaults.byTrack(in: moov)
    for trak in moov.all("trak") {
      let builder = SampleTableBuilder(trak, reader: found.moovReader)
      var index = TrackIndex()
      index.table = builder.table
      // Of two tracks with the same number, fragments belong to the first.
      if described.insert(builder.id).inserted {
        index.fragments = found.fragments?.tracks[builder.id]
        index.fragmentDefaults = defaults[builder.id] ?? FragmentDefaults(nil)
      }
      index.isExternal = isExternal(trak)
      if let defect = builder.defect ?? fragmentDefect {
        index.defect = MP4Error(defect, file: file, trackID: builder.id)
      }
      let track = TrackBuilder(trak, index: index, movieTimescale: timescale).track
      indexes.append(index)
      tracks.append(track)
    }
    addUndescribed(found, described: described, defaults: defaults)
    duration = tracks.map(\.duration).max() ?? duration
    // The header's own word counts where it is longer: players show it.
    if let header, header.duration < UInt64(UInt32.max), let value = Int64(exactly: header.duration) {
      duration = max(duration, MediaTime(value: value, timescale: timescale))
    }
  }

  /// Fragments may hold samples of tracks that the movie header does not know: they are kept, as what they are.
  private mutating func addUndescribed(
    _ found: ScannedMovie, described: Set<UInt32>, defaults: [UInt32: FragmentDefaults]
  ) {
    guard let fragments = found.fragments else { return }
    for id in fragments.order where !described.contains(id) {
      var index = TrackIndex()
      index.fragments = fragments.tracks[id]
      index.fragmentDefaults = defaults[id] ?? FragmentDefaults(nil)
      var track = Track(id: id, kind: .other("????"), timescale: timescale)
      track.sampleCount = index.fragments?.sampleCount ?? 0
      indexes.append(index)
      tracks.append(track)
    }
  }

  /// Whether the track's data references lead out of the file: flag 1 says "in this file".
  private func isExternal(_ trak: BoxNode) -> Bool {
    guard let references = trak.first("mdia", "minf", "dinf", "dref")?.children else { return false }
    return references.contains { node in
      let payload = node.payload
      return payload.count >= 4 && payload[3] & 1 == 0
    }
  }
}

extension SampleTable {
  /// Bytes of all samples.
  func byteCount() throws(MP4Error) -> UInt64 {
    if let packing { return packing.byteCount(frames: sampleCount) }
    switch sizes {
    case .constant(let size): return UInt64(size) * sampleCount
    case .table(let location): return try location.sum()
    case .compact:
      var cursor = SizeCursor(sizes)
      var sum: UInt64 = 0
      for number in 0..<sampleCount { sum &+= UInt64(try cursor.size(at: number)) }
      return sum
    }
  }
}
