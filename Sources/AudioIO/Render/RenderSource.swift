internal import MediaCore
internal import Synchronization

/// The callback and its counters, as a device sees them.
///
/// `@unchecked Sendable`: what is not atomic belongs to the device, which asks from one thread at a time. Safe: the
/// callback only ever gets the memory that the device gives; whoever writes a callback is responsible for what it does
/// with that memory.
@safe
final class RenderSource: @unchecked Sendable {
  let format: AudioFormat
  private let callback: RenderCallback
  private let content = Atomic<Int>(0)
  private let rendered = Atomic<Int>(0)
  private let underruns = Atomic<Int>(0)
  private let silence = Atomic<Int>(0)
  private let finalFrame = Atomic<Int>(-1)
  private let state = Atomic<Int>(DeviceEnd.running.rawValue)
  /// Frames of silence since the last content.
  private let gap = Atomic<Int>(0)
  /// The bits of the requested volume.
  private let volumeBits = Atomic<UInt32>(Float(1).bitPattern)
  /// Called when the device takes no more.
  let onEnd = Lock<(@Sendable () -> Void)?>(nil)

  /// Frames of silence still to come before the callback's. Device's thread only.
  private var leadIn = 0
  /// Moves the volume to the requested one. Device's thread only.
  private var ramp: VolumeRamp
  /// Frames of silence that must be heard after the callback's last one.
  private let leadOut = Atomic<Int>(0)

  init(format: AudioFormat, _ callback: @escaping RenderCallback) {
    self.format = format
    unsafe self.callback = callback
    ramp = VolumeRamp(format: format)
  }

  /// The requested volume, 0 to 1; values outside are clamped, and NaN is silence. May be read and set on any thread.
  var volume: Float {
    get { Float(bitPattern: volumeBits.load(ordering: .relaxed)) }
    set { volumeBits.store((newValue.isNaN ? 0 : min(max(newValue, 0), 1)).bitPattern, ordering: .relaxed) }
  }

  /// Puts this many frames of silence before the sound, and lets as many be heard after it before it counts as over. To
  /// be called before the device starts.
  func setMargins(frames: Int) {
    leadIn = frames
    leadOut.store(frames, ordering: .relaxed)
  }

  /// Fills memory with the sound there is, then with silence. The device's side: no allocation, no lock, no waiting.
  ///
  /// - Returns: frames of content: fewer than fit on an underrun, and at the end.
  func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
    // Every part of the memory lies inside it: no part has more frames than there is room for.
    let bytesPerFrame = format.bytesPerFrame
    if leadIn > 0 {
      let silent = unsafe UnsafeMutableRawBufferPointer(rebasing: memory.prefix(leadIn * bytesPerFrame))
      unsafe silent.initializeMemory(as: UInt8.self, repeating: 0)
      leadIn -= silent.count / bytesPerFrame
      rendered.add(silent.count / bytesPerFrame, ordering: .releasing)
      guard silent.count < memory.count else { return 0 }
      return unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory[silent.count...]))
    }
    let room = memory.count / bytesPerFrame
    let isOver = isFinal
    let given = isOver ? Rendered(frames: 0) : unsafe callback(memory)
    let frames = min(max(given.frames, 0), room)
    unsafe ramp.apply(volume, to: UnsafeMutableRawBufferPointer(rebasing: memory[..<(frames * bytesPerFrame)]))
    // Zero is silence, of integers and of floats.
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[(frames * bytesPerFrame)...]).initializeMemory(
      as: UInt8.self, repeating: 0)
    let before = content.load(ordering: .relaxed)
    let total = rendered.load(ordering: .relaxed)
    if given.isLast { finalFrame.store(total + frames, ordering: .releasing) }
    // There is no underrun before the first frame: the feed has yet to begin.
    let silentSoFar = frames == 0 ? gap.load(ordering: .relaxed) : 0
    if frames < room, before + frames > 0, !given.isLast, !isOver {
      // However often the device asks meanwhile, silence in a row is one underrun.
      if silentSoFar == 0 { underruns.add(1, ordering: .relaxed) }
      silence.add(room - frames, ordering: .relaxed)
    }
    gap.store(frames < room ? room - frames + silentSoFar : 0, ordering: .relaxed)
    content.store(before + frames, ordering: .releasing)
    rendered.store(total + room, ordering: .releasing)
    return frames
  }

  /// Notes that the device takes no more; the first reason given stays.
  func end(_ reason: DeviceEnd) {
    _ = state.compareExchange(
      expected: DeviceEnd.running.rawValue, desired: reason.rawValue, ordering: .acquiringAndReleasing)
    onEnd.withLock { $0 }?()
  }

  var ending: DeviceEnd { DeviceEnd(rawValue: state.load(ordering: .acquiring)) ?? .running }
  var underrunCount: Int { underruns.load(ordering: .relaxed) }
  var silentFrames: Int { silence.load(ordering: .relaxed) }

  /// The frame of the content that is heard now, given how many frames the device has let be heard in total. Frames on
  /// their way are not heard yet; silence at their end is not content.
  func position(heard: Int64) -> Int64 {
    let pending = max(Int64(rendered.load(ordering: .acquiring)) - heard, 0)
    let pendingContent = max(pending - Int64(gap.load(ordering: .relaxed)), 0)
    return max(Int64(content.load(ordering: .acquiring)) - pendingContent, 0)
  }

  /// Whether the content has come to its end.
  var isFinal: Bool { finalFrame.load(ordering: .relaxed) >= 0 }

  /// Whether the last frame of the content has been heard, and the silence that is to follow it.
  func isOver(heard: Int64) -> Bool {
    let last = finalFrame.load(ordering: .acquiring)
    return last >= 0 && heard >= Int64(last + leadOut.load(ordering: .relaxed))
  }
}
