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
  /// Frames lost since the last fragment: the device's, and once it has ended the caller's.
  private let lost = Atomic<Int>(0)
  /// The device's.
  private var filter: TimestampFilter
  /// When the fragments fetched so far ended. The caller's.
  private var fetchedTime: Int64 = 0

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
      lost.add(frames, ordering: .relaxed)
      return
    }
    _ = sound.write(whole)
    let fragment = CollectionOfOne(Fragment(time: time, frames: frames, lost: lost.exchange(0, ordering: .relaxed)))
    _ = fragments.write(fragment.span)
    signal.give()
  }

  /// Notes that the device itself lost frames.
  func lose(frames: Int) {
    lost.add(frames, ordering: .relaxed)
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
  ///
  /// - Parameter isEnded: whether nothing more comes. Frames lost after the last fragment are then one without sound.
  func pop(isEnded: Bool) -> (samples: PCMBuffer.Samples, time: Int64, frames: Int, lost: Int)? {
    guard let fragment = popFragment() ?? (isEnded ? lastGap() : nil) else { return nil }
    fetchedTime = fragment.time + nanoseconds(fragment.frames)
    let samples = fragment.frames * format.channels
    let bytes =
      switch format.sampleFormat {
      case .int16: PCMBuffer.Samples.int16(popSamples(samples))
      case .int24, .int32, .float32: PCMBuffer.Samples.float32(popSamples(samples))
      }
    return (bytes, fragment.time, fragment.frames, fragment.lost)
  }

  private func popFragment() -> Fragment? {
    var oldest = CollectionOfOne(Fragment(time: 0, frames: 0, lost: 0))
    var place = oldest.mutableSpan
    return fragments.read(into: &place) == 1 ? oldest[0] : nil
  }

  private func lastGap() -> Fragment? {
    let lost = lost.exchange(0, ordering: .relaxed)
    return lost > 0 ? Fragment(time: fetchedTime + nanoseconds(lost), frames: 0, lost: lost) : nil
  }

  private func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) * 1e9 / Double(format.sampleRate)) }

  private func popSamples<Sample: BitwiseCopyable>(_ count: Int) -> [Sample] {
    // The array's own new memory, as bytes: as much of it becomes part of the array as was written.
    unsafe [Sample](unsafeUninitializedCapacity: count) { buffer, initialized in
      var bytes = unsafe UnsafeMutableRawBufferPointer(buffer).mutableBytes
      initialized = sound.read(into: &bytes) / MemoryLayout<Sample>.stride
    }
  }
}
