internal import ISOBMFF
internal import MediaCore

extension MP4Demuxer {
  /// The movie box with other track boxes, without `mvex`, and with the `pssh` boxes found in fragments.
  ///
  /// If two tracks have the same number, the second gets one of its own, by which this reader knows it. Fragments name
  /// their tracks by number alone.
  ///
  /// - Parameter replacement: the box that replaces the track's; `nil` leaves the track out.
  func movieBox(replacingTracks replacement: (MovieTrack, BoxNode) -> BoxNode?) -> BoxNode {
    var described = describedTracks.makeIterator()
    var result = moov
    var given: UInt32?
    result.children = moov.children.compactMap { node in
      switch node.type {
      case "trak":
        guard let track = described.next() else { return nil }
        guard node.trackNumber != track.id else { return replacement(track, node) }
        given = max(given ?? 0, track.id)
        return replacement(track, node.numbered(track.id))
      case "mvex": return nil
      default: return node
      }
    }
    if let given { result.reserveTrackNumber(given) }
    let known = Set(moov.all("pssh").map(\.payload))
    result.children += fragmentKeys.filter { !known.contains($0.payload) }
    return result
  }
}

extension BoxNode {
  /// The number that a track's box states; 0, which no track should have, where it states none.
  var trackNumber: UInt32 { child("tkhd", as: TrackHeaderBox.self)?.trackID ?? 0 }

  /// A track's box with another number.
  fileprivate func numbered(_ id: UInt32) -> BoxNode {
    var header = child("tkhd", as: TrackHeaderBox.self) ?? TrackHeaderBox()
    header.trackID = id
    var trak = self
    let place = children.firstIndex { $0.type == "tkhd" } ?? 0
    trak.children.removeAll { $0.type == "tkhd" }
    trak.children.insert(BoxNode("tkhd", header), at: place)
    return trak
  }

  /// Makes sure that the next track which is added to a movie gets a higher identifier than this one.
  mutating func reserveTrackNumber(_ id: UInt32) {
    change("mvhd") { $0.edit(MovieHeaderBox.self) { $0.reserve(trackID: id) } }
  }
}
