internal import ISOBMFF
public import MediaCore

extension MP4Demuxer {
  /// When a picture, or a frame of sound, is shown.
  ///
  /// - Parameters:
  ///   - number: its number among those that are shown, in the order in which they are, from 0.
  ///   - track: a track of the movie.
  /// - Returns: its time in the presentation; `nil` if there are not so many.
  /// - Throws: `MP4Error`: what is wrong with the index.
  public func presentationTime(ofFrame number: UInt64, in track: Track) throws(MP4Error) -> MediaTime? {
    if let format = track.audioFormat {
      let start = track.edits.delay.reduce(MediaTime.zero) { $0 + $1.duration }
      let rate = UInt32(clamping: Int64(format.sampleRate.rounded()))
      let time = start + MediaTime(value: Int64(clamping: number), timescale: rate)
      return time < start + track.duration ? time : nil
    }
    var times: [Int64] = []
    var samples = self.samples(of: track)
    while let record = try samples.nextRecord() { times += track.shownTimes(of: record) }
    times.sort()
    return number < times.count ? MediaTime(value: times[Int(number)], timescale: track.timescale) : nil
  }
}

extension Track {
  /// When a sample begins to be shown, in ticks of the track from the start of the presentation: once for each edit that
  /// shows it.
  fileprivate func shownTimes(of record: SampleRecord) -> [Int64] {
    guard !edits.isEmpty else { return [record.presentationTime] }
    var result: [Int64] = []
    var position = MediaTime.zero
    for edit in edits {
      let start = position.since(.zero, in: timescale).value
      position = position + edit.duration
      guard let first = edit.mediaTime?.value else { continue }
      let end = position.since(.zero, in: timescale).value
      let offset = max(record.presentationTime.saturatingSubtract(first), 0)
      let isOver = record.presentationTime.saturatingAdd(record.duration) <= first
      let time = start.saturatingAdd(offset)
      if !isOver, edit.duration.value == 0 || time < end { result.append(time) }
    }
    return result
  }
}
