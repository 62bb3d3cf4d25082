/// The bounds of the difference between decode and composition times in a track.
///
/// Source: ISO/IEC 14496-12, 8.6.1.4.
public struct CompositionToDecodeBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// Ticks to add to composition times so that none is before its decoding time.
  public var compositionToDTSShift: Int64 = 0
  /// The smallest composition offset, in ticks.
  public var leastDecodeToDisplayDelta: Int64 = 0
  /// The largest composition offset, in ticks.
  public var greatestDecodeToDisplayDelta: Int64 = 0
  /// The smallest composition time, in ticks.
  public var compositionStartTime: Int64 = 0
  /// When the last sample shown ends, in ticks; 0 if unknown.
  public var compositionEndTime: Int64 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    let wide = versionAndFlags.version == 1
    try coder.integer("compositionToDTSShift", &compositionToDTSShift, wide: wide)
    try coder.integer("leastDecodeToDisplayDelta", &leastDecodeToDisplayDelta, wide: wide)
    try coder.integer("greatestDecodeToDisplayDelta", &greatestDecodeToDisplayDelta, wide: wide)
    try coder.integer("compositionStartTime", &compositionStartTime, wide: wide)
    try coder.integer("compositionEndTime", &compositionEndTime, wide: wide)
  }
}
