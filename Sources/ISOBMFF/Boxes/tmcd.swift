/// Time code: hours, minutes, seconds and frames, as film and television count them.
///
/// Source: QuickTime File Format, Timecode Sample Description.
package struct TimecodeSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// Kept as is.
  package var reserved1: [UInt8] = []
  /// 1 drop frame, 2 wraps after 24 hours, 4 may be negative, 8 is a counter.
  package var flags: UInt32 = 0
  /// Ticks per second.
  package var timescale: UInt32 = 0
  /// Ticks per frame.
  package var frameDuration: UInt32 = 0
  /// Frames per second, rounded up.
  package var frameCount: UInt8 = 0
  /// Kept as is.
  package var reserved2: [UInt8] = []

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.reserved(&reserved1, count: 4)
    try coder.integer("flags", &flags)
    try coder.integer("timescale", &timescale)
    try coder.integer("frame_duration", &frameDuration)
    try coder.integer("number_of_frames", &frameCount)
    try coder.reserved(&reserved2, count: 1)
  }
}
