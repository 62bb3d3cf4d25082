package import MediaCore
internal import Synchronization
internal import PCM

/// A loudspeaker without hardware: takes sound at the clock's pace, and keeps it in a file or drops it.
final class VirtualRenderer: RenderBackend {
  private let file: VirtualFile?
  /// Whether the file ends with this device.
  private let isFinishing: Bool
  private let format: AudioFormat
  private let clock: any DeviceClock
  private let periodFrames: Int
  private let running = Lock<(timer: any DeviceTimer, source: RenderSource)?>(nil)
  private let isPaused = Atomic<Bool>(false)
  private let taken = Atomic<Int>(0)

  init(file: VirtualFile?, isFinishing: Bool, format: AudioFormat, options: AudioOptions, clock: any DeviceClock) {
    self.file = file
    self.isFinishing = isFinishing
    self.format = format
    self.clock = clock
    periodFrames = VirtualPeriod.frames(options, format)
  }

  func start(_ source: RenderSource) throws(AudioIOError) {
    let memory = Memory(count: periodFrames * format.bytesPerFrame)
    let started = clock.every(VirtualPeriod.nanoseconds(periodFrames, format)) { [self] _ in
      guard !isPaused.load(ordering: .relaxed), source.ending == .running else { return }
      // The memory lives as long as this closure.
      let content = unsafe source.fill(memory.bytes)
      // The file ends with the sound; a gap in the sound is written as silence.
      let kept = source.isFinal ? content : periodFrames
      taken.add(periodFrames, ordering: .releasing)
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[..<(kept * format.bytesPerFrame)])
      if let file, unsafe file.append(bytes) != .running { source.end(.fileFailed) }
    }
    running.withLock { $0 = (started, source) }
  }

  func setPaused(_ isPaused: Bool) { self.isPaused.store(isPaused, ordering: .relaxed) }

  func stop() {
    let running = running.withLock { running in
      defer { running = nil }
      return running
    }
    running?.timer.stop()
    if isFinishing, let file, file.finish() == .fileFailed { running?.source.end(.fileFailed) }
  }

  /// The period taken last is still being played.
  var heardFrames: Int64 { Int64(max(taken.load(ordering: .acquiring) - periodFrames, 0)) }
  var latencyFrames: Int { periodFrames }
  var failure: (any MediaError)? { file?.failure }
}

/// A WAVE file that is written to by a device's thread and finished by its owner.
package final class VirtualFile: Sendable {
  private let writer: Lock<WAVWriter>
  private let failed = Lock<(any MediaError)?>(nil)
  private let format: AudioFormat
  private let device: DeviceName

  /// The file of a device, written by several renderers in turn; `nil` for other devices.
  ///
  /// - Throws: `AudioIOError` `.file`.
  package convenience init?(of device: DeviceName, format: AudioFormat) throws(AudioIOError) {
    guard let path = device.file else { return nil }
    try self.init(path: path, format: format, device: device)
  }

  /// Finishes the file, which then has its name.
  ///
  /// - Throws: `AudioIOError` `.file`.
  package func end() throws(AudioIOError) {
    if let error = finish().error(device: device, failure: failure) { throw error }
  }

  init(path: String, format: AudioFormat, device: DeviceName) throws(AudioIOError) {
    self.format = format
    self.device = device
    do {
      let writer = try WAVWriter(path: path, format: format)
      self.writer = Lock(writer)
    } catch {
      throw AudioIOError(error, device: device)
    }
  }

  /// Why it failed.
  var failure: (any MediaError)? { failed.withLock { $0 } }

  /// Writes whole frames, aligned as their samples need.
  ///
  /// - Returns: `.running`, or `.fileFailed`.
  func append(_ bytes: UnsafeRawBufferPointer) -> DeviceEnd {
    writer.withLock { writer in
      do {
        switch format.sampleFormat {
        case .int16: try unsafe writer.append(bytes.bindMemory(to: Int16.self).span)
        case .int24, .int32, .float32: try unsafe writer.append(bytes.bindMemory(to: Float.self).span)
        }
        return .running
      } catch {
        failed.withLock { $0 = error as? any MediaError }
        return .fileFailed
      }
    }
  }

  /// - Returns: `.finished` if the file now has its name, or `.fileFailed`.
  func finish() -> DeviceEnd {
    writer.withLock { writer in
      do {
        try writer.finish()
        return .finished
      } catch {
        failed.withLock { $0 = $0 ?? error as? any MediaError }
        return .fileFailed
      }
    }
  }
}
