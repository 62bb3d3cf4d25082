internal import MediaCore

/// A device that captures sound.
protocol CaptureBackend: AnyObject, Sendable {
  /// The format it delivers.
  var format: AudioFormat { get }
  /// Starts delivering into a queue, from a single thread.
  func start(_ queue: CaptureQueue) throws(AudioIOError)
  /// Stops. Once it returns the queue is no longer touched. May be called at any time, any number of times.
  func stop()
  /// Why a file failed, if that is why the device ended.
  var failure: (any MediaError)? { get }
}

extension CaptureBackend {
  /// There is no file.
  var failure: (any MediaError)? { nil }
}

/// A device that plays sound.
protocol RenderBackend: AnyObject, Sendable {
  /// Starts asking for sound, from a single thread.
  func start(_ source: RenderSource) throws(AudioIOError)
  /// Pauses or resumes; sound on its way to the loudspeaker is kept.
  func setPaused(_ isPaused: Bool)
  /// Stops. Once it returns the source is no longer asked. May be called at any time, any number of times.
  func stop()
  /// Frames heard since the start, silence included.
  var heardFrames: Int64 { get }
  /// Frames between us and the loudspeaker.
  var latencyFrames: Int { get }
  /// Why a file failed, if that is why the device ended.
  var failure: (any MediaError)? { get }
}

extension RenderBackend {
  /// There is no file.
  var failure: (any MediaError)? { nil }
}
