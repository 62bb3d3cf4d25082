internal import MediaCore
internal import Synchronization

/// The queue from a device's thread to the thread that consumes its sound: two rings, one for the sound, one for the
/// time and length of each piece of it.
///
/// `@unchecked Sendable`: what is marked as the device's is only touched by the device's thread, and the device calls
/// from one thread at a time.
final class CaptureQueue: @unchecked Sendable {
  private struct Fragment: BitwiseCopyable {
    /// When its first frame was heard, in nanoseconds of the device's clock.
    var time: Int64
    var frames: Int
    /// Frames missing between the previous fragment and this one.
    var lost: Int
  }

  let format: AudioFormat
  private let sound: RingBuffer<UInt8>
  private let fragments = RingBuffer<Fragment>(atLeast: 1024)
  private let signal = Signal()
  private let state = Atomic<Int>(DeviceEnd.running.rawValue)
  // The device's.
  private var filter: TimestampFilter
  private var lost = 0

  /// Seconds of sound that may wait to be fetched: enough for a busy computer to catch up.
  private static let seconds = 2

  init(format: AudioFormat) {
    self.format = format
    sound = RingBuffer(atLeast: format.sampleRate * format.bytesPerFrame * CaptureQueue.seconds)
    filter = TimestampFilter(sampleRate: format.sampleRate)
  }

  // MARK: The device's side: no allocation, no lock, no waiting.

  /// Takes frames. Those that do not fit are lost, and counted.
  func deliver(_ bytes: RawSpan, measured: Int64) {
    let frames = bytes.byteCount / format.bytesPerFrame
    guard frames > 0 else { return }
    let time = filter.time(measured: measured, frames: frames)
    let whole = bytes.extracting(0..<(frames * format.bytesPerFrame))
    guard fragments.writableCount > 0, sound.writableCount >= whole.byteCount else {
      lost += frames
      return
    }
    _ = sound.write(whole)
    let fragment = CollectionOfOne(Fragment(time: time, frames: frames, lost: lost))
    _ = fragments.write(fragment.span)
    lost = 0
    signal.give()
  }

  /// Notes that the device itself lost frames.
  func lose(frames: Int) {
    lost += frames
    filter.skip(frames: frames)
  }

  /// Notes that nothing more will come; the first reason given stays. May be called from any thread.
  func end(_ reason: DeviceEnd) {
    _ = state.compareExchange(
      expected: DeviceEnd.running.rawValue, desired: reason.rawValue, ordering: .acquiringAndReleasing)
    signal.give()
  }

  // MARK: The caller's side.

  /// Why nothing more comes. Read before the rings, so that everything delivered until then is in them.
  var ending: DeviceEnd { DeviceEnd(rawValue: state.load(ordering: .acquiring)) ?? .running }

  func wait(within limit: Duration) { _ = signal.take(within: limit) }

  /// The oldest fragment, or `nil` where there is none.
  func pop() -> (samples: PCMBuffer.Samples, time: Int64, frames: Int, lost: Int)? {
    var oldest = CollectionOfOne(Fragment(time: 0, frames: 0, lost: 0))
    var place = oldest.mutableSpan
    guard fragments.read(into: &place) == 1 else { return nil }
    let fragment = oldest[0]
    let samples = fragment.frames * format.channels
    let bytes =
      switch format.sampleFormat {
      case .int16: PCMBuffer.Samples.int16(popSamples(samples))
      case .int24, .int32, .float32: PCMBuffer.Samples.float32(popSamples(samples))
      }
    return (bytes, fragment.time, fragment.frames, fragment.lost)
  }

  private func popSamples<Sample: BitwiseCopyable>(_ count: Int) -> [Sample] {
    // The array's own new memory, as bytes: as much of it becomes part of the array as was written.
    unsafe [Sample](unsafeUninitializedCapacity: count) { buffer, initialized in
      var bytes = unsafe UnsafeMutableRawBufferPointer(buffer).mutableBytes
      initialized = sound.read(into: &bytes) / MemoryLayout<Sample>.stride
    }
  }
}
