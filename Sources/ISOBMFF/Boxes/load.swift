/// Which part of a track to load before playback.
///
/// Source: QuickTime File Format, Track Load Settings Atoms.
package struct TrackLoadSettingsBox: Box {
  /// Start, in the movie's timescale; all ones for the whole track.
  package var preloadStartTime: UInt32 = .max
  /// Duration, in the movie's timescale; all ones for everything up to the end.
  package var preloadDuration: UInt32 = .max
  /// 1 always, 2 only if the track is enabled.
  package var preloadFlags: UInt32 = 0
  /// 0x20 double buffering, 0x100 best quality.
  package var defaultHints: UInt32 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("preload_start_time", &preloadStartTime)
    try coder.integer("preload_duration", &preloadDuration)
    try coder.integer("preload_flags", &preloadFlags)
    try coder.integer("default_hints", &defaultHints)
  }
}
