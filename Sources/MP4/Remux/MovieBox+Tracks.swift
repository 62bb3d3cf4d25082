internal import ISOBMFF
internal import MediaCore

extension MP4Demuxer {
  /// The movie box with other track boxes, and without the box that says that fragments follow.
  ///
  /// - Parameter replacement: the box that replaces the track's; `nil` leaves the track out.
  func movieBox(replacingTracks replacement: (MovieTrack, BoxNode) -> BoxNode?) -> BoxNode {
    var described = describedTracks.makeIterator()
    var result = moov
    result.children = moov.children.compactMap { node in
      switch node.type {
      case "trak": described.next().flatMap { replacement($0, node) }
      case "mvex": nil
      default: node
      }
    }
    return result
  }
}
