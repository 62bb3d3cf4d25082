/// Samples of a track whose times the output's layout cannot hold.
///
/// A progressive index cannot step back in time, nor forward by more than 31 bits of ticks; an edit cannot delay by
/// more than 63 bits of the movie's ticks; a fragment cannot begin before time 0. Such a sample loses nothing but its
/// time.
public struct Retiming: Sendable, Hashable {
  /// The track's number.
  public internal(set) var trackID: UInt32 = 0
  /// Samples that are decoded at another time than before.
  public internal(set) var decodedAtAnotherTime: UInt64 = 0
  /// Samples that are shown at another time than before.
  public internal(set) var shownAtAnotherTime: UInt64 = 0

  /// Counts a sample.
  mutating func count(isDecodedAtAnotherTime: Bool, isShownAtAnotherTime: Bool) {
    if isDecodedAtAnotherTime { decodedAtAnotherTime += 1 }
    if isShownAtAnotherTime { shownAtAnotherTime += 1 }
  }

  /// Whether any sample has another time.
  var isNeeded: Bool { decodedAtAnotherTime > 0 || shownAtAnotherTime > 0 }
}

extension [Retiming] {
  /// Adds a track if any of its samples has another time.
  mutating func note(_ retiming: Retiming, trackID: UInt32) {
    guard retiming.isNeeded else { return }
    var retiming = retiming
    retiming.trackID = trackID
    append(retiming)
  }
}

extension Retiming: CustomStringConvertible {
  /// One line: which track, and how many samples.
  public var description: String {
    let samples = decodedAtAnotherTime == 1 ? "1 sample is" : "\(decodedAtAnotherTime) samples are"
    return "track \(trackID): \(samples) decoded, and \(shownAtAnotherTime) shown, at different times,"
      + " because this layout cannot express the original ones"
  }
}
