/// Time code: hours, minutes, seconds and frames, as film and television count them.
///
/// Source: QuickTime File Format, Timecode Sample Description.
public struct TimecodeSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// Kept as is.
  public var reserved1: [UInt8] = []
  /// 1 drop frame, 2 wraps after 24 hours, 4 may be negative, 8 is a counter.
  public var flags: UInt32 = 0
  /// Ticks per second.
  public var timescale: UInt32 = 0
  /// Ticks per frame.
  public var frameDuration: UInt32 = 0
  /// Frames per second, rounded up.
  public var frameCount: UInt8 = 0
  /// Kept as is.
  public var reserved2: [UInt8] = []

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.reserved(&reserved1, count: 4)
    try coder.integer("flags", &flags)
    try coder.integer("timescale", &timescale)
    try coder.integer("frame_duration", &frameDuration)
    try coder.integer("number_of_frames", &frameCount)
    try coder.reserved(&reserved2, count: 1)
  }
}
