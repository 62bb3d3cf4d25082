internal import ISOBMFF
package import MediaCore

/// What a track says about itself in its movie, beside its samples, their times and where they are.
struct KeptTrackBoxes: Sendable {
  /// User data, which says what it is for (forced subtitles, a commentary, a description of the pictures), and its
  /// name; and QuickTime's apertures.
  var boxes: [BoxNode] = []
  /// The handler's own name: players show it where user data has none.
  var handlerName: String
  /// The handler as QuickTime writes it; `nil` for MP4.
  var handler: HandlerBox?
  /// The header of its kind of media, and QuickTime's handler of the data.
  var mediaHeaders: [BoxNode] = []

  /// - Parameter isQuickTime: whether the output is QuickTime.
  init(_ trak: BoxNode, isQuickTime: Bool) {
    boxes = trak.children(isQuickTime ? ["udta", "tapt"] : ["udta"])
    let handler = trak.first("mdia")?.child("hdlr", as: HandlerBox.self)
    handlerName = handler?.nameText ?? ""
    guard isQuickTime else { return }
    self.handler = handler
    mediaHeaders = trak.first("mdia", "minf")?.children(["smhd", "vmhd", "gmhd", "nmhd", "sthd", "hdlr"]) ?? []
  }
}

extension BoxNode {
  /// The children of these types that can be moved.
  fileprivate func children(_ types: Set<FourCC>) -> [BoxNode] {
    children.filter { types.contains($0.type) }.compactMap(\.movable)
  }

  /// The box without those in it that were not read, or that say where in the file something is.
  private var movable: BoxNode? {
    if case .deferred = content { return nil }
    guard !header.isCut, first("iloc") == nil else { return nil }
    var node = self
    node.children = children.compactMap(\.movable)
    return node
  }
}

extension MuxerTrack {
  /// Keeps what the track says about itself in its movie: what it is for, and its names.
  ///
  /// - Parameters:
  ///   - track: the track of the movie.
  ///   - isQuickTime: whether the output is QuickTime.
  package mutating func keepBoxes(of track: Track, in movie: MP4Demuxer, isQuickTime: Bool) {
    let trak = movie.movieTracks.first { $0.id == track.id }?.trak
    kept = trak.map { KeptTrackBoxes($0, isQuickTime: isQuickTime) }
  }
}
