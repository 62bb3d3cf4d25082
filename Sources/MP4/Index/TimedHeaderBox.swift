internal import ISOBMFF

/// A header box with times in 32 bits, or in 64 if its version is 1.
protocol TimedHeaderBox: Box {
  var versionAndFlags: VersionAndFlags { get set }
  var creationTime: UInt64 { get set }
  var modificationTime: UInt64 { get set }
  var duration: UInt64 { get set }
}

extension MovieHeaderBox: TimedHeaderBox {}
extension TrackHeaderBox: TimedHeaderBox {}
extension MediaHeaderBox: TimedHeaderBox {}

extension TimedHeaderBox {
  /// Sets the length in ticks, in 64 bits if it does not fit in 32: all ones would mean that it is not known.
  mutating func setDuration(_ ticks: UInt64) {
    duration = ticks
    if ticks >= UInt64(UInt32.max) { versionAndFlags.version = 1 }
  }

  /// Sets when the movie was made, in seconds since the beginning of 1904, in 64 bits if it does not fit in 32.
  mutating func setCreationTime(_ seconds: UInt64) {
    creationTime = seconds
    modificationTime = seconds
    if seconds > UInt64(UInt32.max) { versionAndFlags.version = 1 }
  }
}
