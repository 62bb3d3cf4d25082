/// What a render callback delivered.
public struct Rendered: Sendable, BitwiseCopyable {
  /// Frames written, from the start of the memory.
  public var frames: Int
  /// Whether they are the last ones.
  public var isLast: Bool

  /// A number of frames, the last ones or not.
  @inlinable
  public init(frames: Int, isLast: Bool = false) {
    self.frames = frames
    self.isLast = isLast
  }
}

/// Delivers sound to a device on demand.
///
/// Called on the device's thread with memory for whole frames of interleaved samples in the renderer's format. It must
/// return at once: allocate nothing, take no lock, wait for nothing. If it writes fewer frames than fit, silence is
/// played for the rest, which counts as an underrun unless they were the last.
public typealias RenderCallback = @Sendable (UnsafeMutableRawBufferPointer) -> Rendered
