/// Finds the first track with a number in a list of tracks.
///
/// A movie may have thousands of tracks, so the numbers are sorted for a binary search. Most movies have two, and for
/// one of these a dictionary would take a tenth of all the instructions that `lyrebird info` needs: its first use in a
/// program makes the runtime build its types.
struct TrackLookup: Sendable {
  /// The tracks' numbers in the upper 32 bits, their indices in the lower, ascending.
  private let entries: [UInt64]

  init(_ ids: [UInt32]) {
    var entries: [UInt64] = []
    entries.reserveCapacity(ids.count)
    for index in ids.indices { entries.append(UInt64(ids[index]) << 32 | UInt64(index)) }
    entries.sort()
    self.entries = entries
  }

  /// The index of the first track with this number.
  subscript(id: UInt32) -> Int? {
    let least = UInt64(id) << 32
    let first = entries.partitionPoint { $0 < least }
    guard first < entries.count, entries[first] >> 32 == id else { return nil }
    return Int(entries[first] & 0xFFFF_FFFF)
  }
}
