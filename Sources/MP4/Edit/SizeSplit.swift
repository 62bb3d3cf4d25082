internal import ISOBMFF
package import MediaCore

/// Divides a movie into stretches that are files of a limited size.
///
/// A piece's size is known before it is written. So where pieces end is estimated from the sizes of samples, and then
/// moved until the planned file fits.
package struct SizeSplit {
  private let whole: MovieClip
  private var options = MovieEditor.Options()
  /// Times at which pieces may begin: sync samples of the pictures, or packets of sound.
  private var places: [MediaTime] = []
  /// Bytes of all samples before each place, with what the index takes for them.
  private var sums: [UInt64] = []

  /// About what the index takes for a sample.
  private static let entrySize: UInt64 = 6

  /// - Parameters:
  ///   - clip: all of the movie.
  ///   - selection: the tracks that pieces will have.
  /// - Throws: `MP4Error`: what is wrong with the index.
  package init(_ clip: MovieClip, _ selection: TrackSelection) throws(MP4Error) {
    options.tracks = selection
    // Once, and not for each size that is asked for.
    var whole = clip
    whole.movie = try clip.movie.inOneIndex().0
    self.whole = whole
    let tracks = whole.movie.movieTracks.filter { selection.contains($0.description) }
    let main =
      tracks.first { $0.description.kind == .video && $0.hasSamples }
      ?? tracks.first { $0.description.kind == .audio && $0.hasSamples }
    guard let main else { throw MP4Error(.nothingToWrite, file: whole.movie.reader.source.name) }
    var samples = main.samples()
    let mainOrigin = PresentationOrigin(main)
    while let record = try samples.nextRecord() {
      if record.isSync { places.append(mainOrigin.time(of: record)) }
    }
    places.sort()
    // The first piece begins where the movie does, even if nothing is shown yet.
    places = [.zero] + places.dropFirst().filter { $0 > .zero && $0 < whole.movie.shownDuration }
    var bytes = [UInt64](repeating: 0, count: places.count)
    for track in tracks {
      var samples = track.samples()
      let origin = PresentationOrigin(track)
      while let record = try samples.nextRecord() {
        let time = origin.time(of: record)
        let index = max(places.partitionPoint { $0 <= time } - 1, 0)
        bytes[index] &+= UInt64(record.size) + SizeSplit.entrySize
      }
    }
    sums = [0]
    for count in bytes { sums.append(sums[sums.count - 1] &+ count) }
  }

  /// Where pieces of at most so many bytes begin.
  ///
  /// - Parameters:
  ///   - limit: in bytes.
  ///   - progress: called for each piece with the share that is done, 0 to 1.
  /// - Throws: `MP4Error`: `.pieceTooLarge` where even the shortest piece is larger; whatever `progress` throws.
  package func starts(_ limit: UInt64, _ progress: (Double) throws -> Void) throws -> [MediaTime] {
    var starts: [MediaTime] = []
    var first = 0
    // What a piece has besides samples: tags, covers, descriptions.
    let smallest = try size(0, 1)
    let base = smallest > sums[1] ? smallest - sums[1] : 0
    while first < places.count {
      try progress(Double(first) / Double(places.count))
      starts.append(places[first])
      let room = limit > base ? limit - base : 0
      let (most, isAll) = sums[first].addingReportingOverflow(room)
      let fitting = (isAll ? sums.count : sums.partitionPoint { $0 <= most }) - 1
      var end = min(max(fitting, first + 1), places.count)
      while true {
        let count = try size(first, end)
        if count <= limit { break }
        guard end > first + 1 else { throw tooLarge(first, count) }
        // By as much as it is too large, and at least by one.
        let excess = UInt64(end - first).multipliedReportingOverflow(by: count - limit).partialValue / max(count, 1)
        end = max(end - max(Int(clamping: excess), 1), first + 1)
      }
      first = end
    }
    return starts
  }

  /// The size of a piece from one place to another.
  private func size(_ first: Int, _ end: Int) throws(MP4Error) -> UInt64 {
    var clip = whole
    (clip.start, clip.end) = (places[first], end < places.count ? places[end] : nil)
    return try MovieEditor(clip, to: "", options: options).plannedSize
  }

  private func tooLarge(_ first: Int, _ count: UInt64) -> MP4Error {
    MP4Error(
      .pieceTooLarge(seconds: places[first].since(.zero, in: 1, rounding: .down).value, bytes: count),
      file: whole.movie.reader.source.name)
  }
}

/// Where a track's presentation begins, for all of its samples: a track may have as many edits as samples.
private struct PresentationOrigin {
  private let start: Int64
  private let delay: MediaTime
  private let timescale: UInt32

  init(_ track: MovieTrack) {
    let edits = track.description.edits
    (start, delay) = (edits.firstShown?.mediaTime?.value ?? 0, edits.delayTime)
    timescale = track.description.timescale
  }

  /// When a sample is shown, if the first edit that shows something shows it.
  func time(of record: SampleRecord) -> MediaTime {
    delay + MediaTime(value: max(record.presentationTime.saturatingSubtract(start), 0), timescale: timescale)
  }
}
