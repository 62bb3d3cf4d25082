internal import MP4
internal import MediaCore

/// The clock of a track: when its next sample is decoded and shown.
struct PatternTiming {
  private let track: PatternTrack
  private let order: PictureTimes?
  private var time: Int64
  private let whole: MediaTime
  private var number = 0

  /// The clock of a track of a movie that lasts `whole`.
  init(_ track: PatternTrack, order: PictureTimes?, start: Int64, whole: MediaTime) {
    (self.track, self.order, time, self.whole) = (track, order, start, whole)
  }

  /// The times of the next sample.
  mutating func next(_ sample: PatternSample) -> SampleTiming {
    let duration = track.duration(of: sample, at: time, whole: whole)
    defer {
      time = time.saturatingAdd(duration)
      number += 1
    }
    var shown = time
    if let order, order.places.indices.contains(number) {
      shown += Int64(order.places[number] - number + order.delay) * duration
    }
    return SampleTiming(
      decodeTime: time, presentationTime: shown, duration: duration, timescale: track.track.timescale)
  }
}
