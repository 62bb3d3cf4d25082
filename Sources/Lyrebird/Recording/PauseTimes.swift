/// When a recording was paused, in nanoseconds of the device's clock: a pure value, without I/O.
///
/// Sound reaches the recorder some time after it was heard. So what is left out is not what arrives during a pause but
/// what was heard during it: frames are distinguished by their times.
struct PauseTimes: Sendable {
  /// Pauses that are over, in order.
  private var past: [Range<Int64>] = []
  /// When the pause that is not over began.
  private var begin: Int64?

  /// Whether it is paused now.
  var isPaused: Bool { begin != nil }

  /// Begins or ends a pause.
  mutating func set(_ isPaused: Bool, at time: Int64) {
    guard isPaused != self.isPaused else { return }
    if let begin, begin < time { past.append(begin..<time) }
    begin = isPaused ? time : nil
  }

  /// Which frames to keep of those that were heard from `time` on.
  ///
  /// Pauses that were over by then are forgotten: times only go forward.
  ///
  /// - Returns: ranges of frames, in order, none of them empty.
  mutating func kept(of frames: Int, from time: Int64, sampleRate: Int) -> [Range<Int>] {
    past.removeAll { $0.upperBound <= time }
    func frame(at moment: Int64) -> Int {
      let distance = (Double(moment) - Double(time)) / 1e9 * Double(sampleRate)
      return Int(min(max(distance.rounded(), 0), Double(frames)))
    }
    var kept: [Range<Int>] = []
    var start = 0
    for pause in past + (begin.map { [$0..<Int64.max] } ?? []) {
      let (from, to) = (frame(at: pause.lowerBound), frame(at: pause.upperBound))
      if from > start { kept.append(start..<from) }
      start = max(start, to)
    }
    if start < frames { kept.append(start..<frames) }
    return kept
  }
}
