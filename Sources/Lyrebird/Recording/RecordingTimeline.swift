internal import MediaCore

/// The time of a recording: that of the capture, minus what was heard in pauses. A pure value, without I/O.
///
/// What is kept of a sample keeps its distance from what came before, so that a gap in the capture stays a gap; frames
/// of a pause leave none.
struct RecordingTimeline: Sendable {
  private var pauses = PauseTimes()
  /// The frame of the capture after the last one seen.
  private var captured: Int64 = 0
  /// Frames of the capture that were heard in pauses.
  private var pausedFrames: Int64 = 0

  /// Whether it is paused now.
  var isPaused: Bool { pauses.isPaused }

  /// Begins or ends a pause; the time is the device's, in nanoseconds.
  mutating func setPaused(_ isPaused: Bool, at time: Int64) { pauses.set(isPaused, at: time) }

  /// The part of a sample that was heard outside of pauses, at its time in the recording.
  ///
  /// - Parameters:
  ///   - sample: captured sound; frames lost before it are the gap to the previous sample.
  ///   - hostTime: when its first frame was heard, in nanoseconds.
  /// - Returns: stretches of frames, in order. The last one is empty if only lost frames remain outside of pauses: it
  ///   then says how far the recording goes.
  mutating func place(_ sample: PCMSample, hostTime: Int64) -> [PCMSample] {
    let rate = sample.payload.format.sampleRate
    let lost = Int(max(sample.firstFrame.saturatingSubtract(captured), 0))
    let gap = Int64(clamping: Int128(lost) * 1_000_000_000 / Int128(max(rate, 1)))
    let missing = pauses.kept(of: lost, from: hostTime.saturatingSubtract(gap), sampleRate: rate)
      .reduce(0) { $0 + $1.count }
    let kept = pauses.kept(of: sample.payload.frameCount, from: hostTime, sampleRate: rate)
    captured = sample.endFrame
    pausedFrames = pausedFrames.saturatingAdd(Int64(lost - missing))
    var start = sample.firstFrame.saturatingSubtract(pausedFrames)
    var (placed, left): ([PCMSample], Int) = ([], sample.payload.frameCount)
    for range in kept {
      placed.append(PCMSample(sample.payload.slice(range), at: start))
      start = start.saturatingAdd(Int64(range.count))
      left -= range.count
    }
    pausedFrames = pausedFrames.saturatingAdd(Int64(left))
    if placed.isEmpty, missing > 0 { placed.append(PCMSample(sample.payload.prefix(0), at: start)) }
    return placed
  }
}
