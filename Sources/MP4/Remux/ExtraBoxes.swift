internal import ISOBMFF
internal import MediaCore

/// Boxes other than index and media that an output takes over, and the file offsets in them and in the movie header.
///
/// The position of a box may carry meaning: Samsung's phones look for `sefd` at the very end of a file, and players of
/// AVIF for `meta` before the index. So what came before index and media still does, what came after them still does,
/// and everything else goes before the media. What a `meta` box finds by file offset (images, in AVIF and HEIF) is
/// carried over like samples.
struct ExtraBoxes {
  /// Where in the output a box goes.
  enum Part {
    /// Before index and media.
    case front
    /// Before the media.
    case middle
    /// After index and media.
    case back
  }

  private struct Extra {
    let header: BoxHeader
    /// Its content as a tree, if it holds file offsets.
    let tree: BoxNode?
  }

  /// Ranges of the source that hold items' data.
  let items: [(offset: UInt64, count: UInt64)]
  private let movie: MP4Demuxer
  private let parts: [Part: [Extra]]
  private let auxiliaryTracks: AuxiliaryTracks?

  /// - Throws: `MP4Error`: `.itemOutsideFile`, `.unreadableItems`, unless `recover` is set; `.source`.
  init(_ movie: MP4Demuxer, recover: Bool, summary: inout Remuxer.Summary) throws(MP4Error) {
    self.movie = movie
    let file = movie.reader.source.name
    var itemExtents = ItemExtents(size: movie.reader.size)
    var parts: [Part: [Extra]] = [:]
    itemExtents.add(movie.moov)
    for header in movie.extraBoxes {
      let tree = header.type == "meta" ? try ExtraBoxes.tree(header, of: movie) : nil
      if let tree { itemExtents.add(tree) }
      let isBehind = header.offset >= movie.content.upperBound
      let part = header.offset < movie.content.lowerBound ? Part.front : isBehind ? .back : .middle
      parts[part, default: []].append(Extra(header: header, tree: tree))
    }
    for code in itemExtents.defects {
      let error = MP4Error(code, file: file, path: "meta/iloc")
      guard recover else { throw error }
      summary.dropped.append(error)
    }
    items = itemExtents.extents
    self.parts = parts
    auxiliaryTracks = AuxiliaryTracks(movie.moov)
    if let auxiliaryTracks { note(auxiliaryTracks, in: &summary) }
  }

  /// The boxes in a `meta` box, if it finds items by file offset.
  private static func tree(_ header: BoxHeader, of movie: MP4Demuxer) throws(MP4Error) -> BoxNode? {
    var parser = BoxParser(movie.reader)
    do throws(BoxError) {
      let node = try parser.node(header)
      return node.first("iloc") == nil ? nil : node
    } catch {
      throw MP4Error(error, file: movie.reader.source.name)
    }
  }

  /// The offset of auxiliary tracks can be corrected if they lie entirely within one of the boxes.
  private func note(_ tracks: AuxiliaryTracks, in summary: inout Remuxer.Summary) {
    let isCarried = parts.values.joined().contains {
      $0.header.offset <= tracks.offset && tracks.offset < $0.header.end
    }
    if !isCarried || tracks.areInterleaved {
      summary.staleOffsets.append(.init(name: AuxiliaryTracks.offsetKey, offset: tracks.offset))
    }
  }

  // MARK: Laying out

  /// Bytes of the boxes in a part.
  func size(_ part: Part) -> UInt64 { parts[part, default: []].reduce(0) { $0 + size($1) } }

  private func size(_ extra: Extra) -> UInt64 {
    var plan = OutputPlan()
    append(extra, to: &plan)
    return plan.count
  }

  private func append(_ extra: Extra, to plan: inout OutputPlan) {
    if let tree = extra.tree {
      plan.append(tree, from: movie.reader)
    } else {
      plan.append(extra.header, from: movie.reader)
    }
  }

  /// The boxes of a part.
  ///
  /// - Parameter target: maps the offset of a byte of an item in the source to its offset in the output.
  /// - Throws: `MP4Error` `.itemTooFar`.
  func plan(_ part: Part, _ target: (UInt64) -> UInt64?) throws(MP4Error) -> OutputPlan {
    var plan = OutputPlan()
    for var extra in parts[part, default: []] {
      if var tree = extra.tree {
        try movie.moveItems(in: &tree, target)
        extra = Extra(header: extra.header, tree: tree)
      }
      append(extra, to: &plan)
    }
    return plan
  }

  /// Writes offsets in the output into a movie header.
  ///
  /// - Parameters:
  ///   - starts: where each part begins in the output.
  ///   - target: maps the offset of a byte of an item in the source to its offset in the output.
  /// - Throws: `MP4Error` `.itemTooFar`.
  func locate(in moov: inout BoxNode, _ starts: [Part: UInt64], _ target: (UInt64) -> UInt64?) throws(MP4Error) {
    try movie.moveItems(in: &moov, target)
    guard let auxiliaryTracks else { return }
    for (part, start) in starts {
      var start = start
      for extra in parts[part, default: []] {
        if extra.header.offset <= auxiliaryTracks.offset, auxiliaryTracks.offset < extra.header.end {
          moov.setAuxiliaryTracks(at: start + (auxiliaryTracks.offset - extra.header.offset))
        }
        start += size(extra)
      }
    }
  }
}

extension MP4Demuxer {
  fileprivate func moveItems(in tree: inout BoxNode, _ target: (UInt64) -> UInt64?) throws(MP4Error) {
    if let item = tree.moveItems(target) {
      throw MP4Error(.itemTooFar(item), file: reader.source.name, path: "meta/iloc")
    }
  }
}
