internal import ISOBMFF
public import MediaCore

extension MP4Demuxer {
  /// When a picture, or a frame of sound, is shown.
  ///
  /// - Parameters:
  ///   - number: its index among the frames shown, in presentation order, from 0.
  ///   - track: a track of the movie.
  ///   - sampleRate: frames a second of sound as it is decoded; by default, what its description says. For HE-AAC this
  ///     may be the core's rate, half the output rate.
  /// - Returns: its time in the presentation; `nil` if fewer are shown.
  /// - Throws: `MP4Error`: what is wrong with the index.
  public func presentationTime(
    ofFrame number: UInt64, in track: Track, sampleRate: Int? = nil
  ) throws(MP4Error) -> MediaTime? {
    if let format = track.audioFormat {
      let start = try startTime(of: track)
      let rate = UInt32(clamping: sampleRate ?? Int(format.sampleRate.rounded()))
      let time = start + MediaTime(value: Int64(clamping: number), timescale: rate)
      return time < track.duration ? time : nil
    }
    var times: [Int64] = []
    var samples = self.samples(of: track)
    while let record = try samples.nextRecord() { times.append(record.presentationTime) }
    times.sort()
    return track.presentationTime(ofPicture: number, shownAt: times)
  }

  /// When the first frame of a track's sound is heard: later than the beginning of the movie if the track has an empty
  /// edit, or if its first sample comes later than that of another track, as it may in fragments.
  ///
  /// - Parameter track: a track of the movie.
  /// - Returns: its time in the presentation.
  /// - Throws: `MP4Error` `.source` if reading fails.
  package func startTime(of track: Track) throws(MP4Error) -> MediaTime {
    // Elsewhere each track begins with its first sample, which need not be looked for.
    guard layout == .fragmented, var wait = try wait(of: track), wait > .zero else { return track.edits.delayTime }
    // Fragments that were taken from a broadcast count from its beginning; players begin with the first of them.
    var earliest = wait
    for other in tracks where other.kind == .audio || other.kind == .video {
      earliest = min(earliest, try self.wait(of: other) ?? wait)
    }
    wait -= earliest
    return track.edits.delayTime + wait
  }

  /// How much later than the media's beginning, or than the first edit has it, the first sample of a track is shown;
  /// `nil` if there is none, or the index is damaged.
  private func wait(of track: Track) throws(MP4Error) -> MediaTime? {
    var samples = self.samples(of: track)
    let first: SampleRecord?
    do throws(MP4Error) {
      first = try samples.nextRecord()
    } catch {
      if case .source = error.code { throw error }
      return nil
    }
    guard let first else { return nil }
    let shown = track.edits.firstShown?.mediaTime?.value ?? 0
    return MediaTime(value: max(first.presentationTime.saturatingSubtract(shown), 0), timescale: track.timescale)
  }
}

extension Track {
  /// When a picture is shown.
  ///
  /// - Parameters:
  ///   - number: its number among those that the edits show.
  ///   - times: when each picture is shown in the media, in ascending order.
  fileprivate func presentationTime(ofPicture number: UInt64, shownAt times: [Int64]) -> MediaTime? {
    guard !edits.isEmpty else {
      return number < times.count ? MediaTime(value: times[Int(number)], timescale: timescale) : nil
    }
    var (left, position) = (number, MediaTime.zero)
    for edit in edits {
      defer { position = position + edit.duration }
      guard let start = edit.mediaTime?.value else { continue }
      let length = edit.duration.since(.zero, in: timescale, rounding: .up).value
      let end = length > 0 ? start.saturatingAdd(length) : .max
      // The one that is on the screen when the edit begins may have begun before.
      let first = max(times.partitionPoint { $0 <= start } - 1, 0)
      let count = max(times.partitionPoint { $0 < end } - first, 0)
      guard left >= count else {
        let offset = max(times[first + Int(left)].saturatingSubtract(start), 0)
        return position + MediaTime(value: offset, timescale: timescale)
      }
      left -= UInt64(count)
    }
    return nil
  }
}
