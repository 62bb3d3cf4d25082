internal import MediaCore
internal import Synchronization

/// What a render callback gave.
public struct Rendered: Sendable, BitwiseCopyable {
  /// Frames written, from the beginning of the memory on.
  public var frames: Int
  /// Whether they are the last ones.
  public var isLast: Bool

  /// So many frames, the last ones or not.
  @inlinable
  public init(frames: Int, isLast: Bool = false) {
    self.frames = frames
    self.isLast = isLast
  }
}

/// Gives a device sound when it asks for it.
///
/// Called on the device's thread with memory for whole frames of interleaved samples in the renderer's format. It must
/// come back at once: allocate nothing, take no lock, wait for nothing. If it writes fewer frames than there is room
/// for, silence is played for the rest, which counts as an underrun unless they were the last.
public typealias RenderCallback = @Sendable (UnsafeMutableRawBufferPointer) -> Rendered

/// The callback and what is counted around it: what a device asks.
///
/// `@unchecked Sendable`: what is not atomic is the device's, which asks from one thread at a time.
final class RenderSource: @unchecked Sendable {
  let format: AudioFormat
  private let callback: RenderCallback
  private let content = Atomic<Int>(0)
  private let rendered = Atomic<Int>(0)
  private let underruns = Atomic<Int>(0)
  private let silence = Atomic<Int>(0)
  private let finalFrame = Atomic<Int>(-1)
  private let state = Atomic<Int>(DeviceEnd.running.rawValue)
  /// Silence since the last content.
  private let gap = Atomic<Int>(0)
  /// The bits of the volume that is wanted.
  private let volumeBits = Atomic<UInt32>(Float(1).bitPattern)
  /// Told when the device takes no more.
  let onEnd = Lock<(@Sendable () -> Void)?>(nil)

  /// Frames of silence that are still to come ahead of the callback's: the device's.
  private var leadIn = 0
  /// How the volume gets to where it is wanted: the device's.
  private var ramp: VolumeRamp
  /// Frames of silence that have to be heard behind the callback's last one.
  private let leadOut = Atomic<Int>(0)

  init(format: AudioFormat, _ callback: @escaping RenderCallback) {
    self.format = format
    self.callback = callback
    ramp = VolumeRamp(format: format)
  }

  /// How loud the sound is to be, 0 to 1; what lies outside is taken as the nearest of these, and NaN as silence. Any
  /// thread may ask and say so.
  var volume: Float {
    get { Float(bitPattern: volumeBits.load(ordering: .relaxed)) }
    set { volumeBits.store((newValue.isNaN ? 0 : min(max(newValue, 0), 1)).bitPattern, ordering: .relaxed) }
  }

  /// Has so many frames of silence go ahead of the sound, and as many be heard behind it before it counts as over.
  /// Before the device starts.
  func setMargins(frames: Int) {
    leadIn = frames
    leadOut.store(frames, ordering: .relaxed)
  }

  /// Fills memory: with what there is, then with silence. The device's side: no allocation, no lock, no waiting.
  ///
  /// - Returns: frames that belong to the content: fewer than there is room for on an underrun, and at the end.
  func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
    let bytesPerFrame = format.bytesPerFrame
    if leadIn > 0 {
      let silent = UnsafeMutableRawBufferPointer(rebasing: memory.prefix(leadIn * bytesPerFrame))
      silent.initializeMemory(as: UInt8.self, repeating: 0)
      leadIn -= silent.count / bytesPerFrame
      rendered.add(silent.count / bytesPerFrame, ordering: .releasing)
      guard silent.count < memory.count else { return 0 }
      return fill(UnsafeMutableRawBufferPointer(rebasing: memory[silent.count...]))
    }
    let room = memory.count / bytesPerFrame
    let isOver = isFinal
    let given = isOver ? Rendered(frames: 0) : callback(memory)
    let frames = min(max(given.frames, 0), room)
    ramp.apply(volume, to: UnsafeMutableRawBufferPointer(rebasing: memory[..<(frames * bytesPerFrame)]))
    // Zero is silence, of integers and of floats.
    UnsafeMutableRawBufferPointer(rebasing: memory[(frames * bytesPerFrame)...]).initializeMemory(
      as: UInt8.self, repeating: 0)
    let before = content.load(ordering: .relaxed)
    let total = rendered.load(ordering: .relaxed)
    if given.isLast { finalFrame.store(total + frames, ordering: .releasing) }
    // Before the first frame nothing runs under: the feed has yet to begin.
    if frames < room, before + frames > 0, !given.isLast, !isOver {
      underruns.add(1, ordering: .relaxed)
      silence.add(room - frames, ordering: .relaxed)
    }
    gap.store(frames < room ? room - frames + (frames == 0 ? gap.load(ordering: .relaxed) : 0) : 0, ordering: .relaxed)
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

  /// The frame of the content that is heard, when the device says how many frames it has let be heard in all: those
  /// on their way are not heard yet, but of them the silence at the end is no content.
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
