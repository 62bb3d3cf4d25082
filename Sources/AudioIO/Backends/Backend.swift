internal import MediaCore

/// A device that gives sound.
protocol CaptureBackend: AnyObject, Sendable {
  /// What it gives.
  var format: AudioFormat { get }
  /// Begins to deliver into a queue, from one thread.
  func start(_ queue: CaptureQueue) throws(AudioIOError)
  /// Ends that: when it returns the queue is not touched any more. Works at any time, any number of times.
  func stop()
}

/// A device that takes sound.
protocol RenderBackend: AnyObject, Sendable {
  /// Begins to ask for sound, from one thread.
  func start(_ source: RenderSource) throws(AudioIOError)
  /// Holds, or goes on; what lies between us and the loudspeaker is kept.
  func setPaused(_ isPaused: Bool)
  /// Ends it: when it returns the source is not asked any more. Works at any time, any number of times.
  func stop()
  /// Frames heard since the start, silence included.
  var heardFrames: Int64 { get }
  /// Frames between us and the loudspeaker.
  var latencyFrames: Int { get }
}
