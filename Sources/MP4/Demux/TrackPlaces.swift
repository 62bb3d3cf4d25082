/// Where in a list of tracks the first one of each number is.
///
/// A movie may have thousands of tracks, so a list is sorted and searched by halves; most have two, for which a hash
/// table would take longer to make than all that is ever looked up in it.
struct TrackPlaces: Sendable {
  /// The tracks' numbers, each with its place below it, ascending.
  private let entries: [UInt64]

  init(_ ids: [UInt32]) {
    var entries: [UInt64] = []
    entries.reserveCapacity(ids.count)
    for place in ids.indices { entries.append(UInt64(ids[place]) << 32 | UInt64(place)) }
    entries.sort()
    self.entries = entries
  }

  /// The place of the first track with a number.
  subscript(id: UInt32) -> Int? {
    let least = UInt64(id) << 32
    let first = entries.partitionPoint { $0 < least }
    guard first < entries.count, entries[first] >> 32 == id else { return nil }
    return Int(entries[first] & 0xFFFF_FFFF)
  }
}
