/// The bounds of the difference between decode and composition times in a track.
///
/// Source: ISO/IEC 14496-12, 8.6.1.4.
package struct CompositionToDecodeBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// Ticks to add to composition times so that none is before its decoding time.
  package var compositionToDTSShift: Int64 = 0
  /// The smallest composition offset, in ticks.
  package var leastDecodeToDisplayDelta: Int64 = 0
  /// The largest composition offset, in ticks.
  package var greatestDecodeToDisplayDelta: Int64 = 0
  /// The smallest composition time, in ticks.
  package var compositionStartTime: Int64 = 0
  /// When the last sample shown ends, in ticks; 0 if unknown.
  package var compositionEndTime: Int64 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    let wide = versionAndFlags.version == 1
    try coder.integer("compositionToDTSShift", &compositionToDTSShift, wide: wide)
    try coder.integer("leastDecodeToDisplayDelta", &leastDecodeToDisplayDelta, wide: wide)
    try coder.integer("greatestDecodeToDisplayDelta", &greatestDecodeToDisplayDelta, wide: wide)
    try coder.integer("compositionStartTime", &compositionStartTime, wide: wide)
    try coder.integer("compositionEndTime", &compositionEndTime, wide: wide)
  }
}
