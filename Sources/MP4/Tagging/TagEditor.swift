internal import ISOBMFF
internal import MediaCore

/// Makes changes of tags in the tree of a movie header.
///
/// Tags are in item lists (`ilst`), of which a movie may have several: iTunes' in `udta/meta`, QuickTime's in `meta`,
/// there numbered by a list of keys. Older ones are texts in `udta`. A tag that is there keeps its place.
struct TagEditor {
  /// The movie header.
  private(set) var moov: BoxNode

  init(_ moov: BoxNode) {
    self.moov = moov
  }

  /// Makes the changes, in order.
  ///
  /// - Throws: `MP4Error` `.source` where a cover cannot be read.
  mutating func apply(_ changes: TagChanges) throws(MP4Error) {
    for change in changes.changes {
      switch change {
      case .set(let target, let values): set(target, values)
      case .add(let target, let value): add(target, value)
      case .remove(let target): remove { target.matches($0) }
      case .removeAll:
        remove { !TagEditor.isTechnical($0) }
        try setCovers([])
      case .setCovers(let pictures): try setCovers(pictures)
      case .addCover(let picture): try addCover(picture)
      case .creationTime(let seconds): setCreationTime(seconds)
      }
    }
  }

  /// What is written as a tag, but says how the movie is to be played.
  private static func isTechnical(_ identifier: String) -> Bool {
    identifier == MetadataBuilder.gaplessTag || identifier.hasPrefix("auxiliary.")
  }

  // MARK: Texts

  private mutating func set(_ target: TagTarget, _ values: [String]) {
    moov.removeUserData { target.matches($0) }
    // One item and one key: few programs read both.
    var (isSet, kinds) = (false, Set<Bool>())
    moov.changeItemLists { meta in
      meta.replaceItems { identifier, isKey in
        guard target.matches(identifier) else { return .keep }
        guard kinds.insert(isKey).inserted else { return .remove }
        isSet = true
        return .replace(isKey ? nil : target.identifier, values)
      }
    }
    if !isSet { insert(target, values) }
  }

  private mutating func add(_ target: TagTarget, _ value: String) {
    var isAdded = false
    moov.changeItemLists { meta in
      meta.replaceItems { identifier, _ in
        guard !isAdded, target.matches(identifier) else { return .keep }
        isAdded = true
        return .add(value)
      }
    }
    if !isAdded { insert(target, [value]) }
  }

  private mutating func remove(_ isMeant: (String) -> Bool) {
    moov.removeUserData(isMeant)
    moov.changeItemLists { meta in
      meta.replaceItems { identifier, _ in isMeant(identifier) ? .remove : .keep }
    }
    moov.removeEmptyItemLists()
  }

  private mutating func insert(_ target: TagTarget, _ values: [String]) {
    if target.isKey {
      moov.insertIntoKeyedList(target.identifier, values)
    } else if let item = MetadataBuilder.item(target.identifier, TagValue.isText(target) ? values : [values[0]]) {
      moov.insertItem(item)
    }
  }

  // MARK: Covers

  private mutating func setCovers(_ pictures: [MovieMetadata.Artwork]) throws(MP4Error) {
    var values: [BoxNode] = []
    for picture in pictures { values.append(try MetadataBuilder.picture(picture)) }
    var isSet = values.isEmpty
    moov.changeItemLists { meta in
      meta.change("ilst") { list in
        list.children = list.children.compactMap { item in
          guard item.type == "covr" else { return item }
          guard !isSet else { return nil }
          isSet = true
          return BoxNode("covr", children: values)
        }
      }
    }
    if !isSet { moov.insertItem(BoxNode("covr", children: values)) }
    moov.removeEmptyItemLists()
  }

  private mutating func addCover(_ picture: MovieMetadata.Artwork) throws(MP4Error) {
    let value = try MetadataBuilder.picture(picture)
    var isAdded = false
    moov.changeItemLists { meta in
      meta.change("ilst") { list in
        guard !isAdded, let index = list.children.lastIndex(where: { $0.type == "covr" }) else { return }
        isAdded = true
        list.children[index].children.append(value)
      }
    }
    if !isAdded { moov.insertItem(BoxNode("covr", children: [value])) }
  }

  // MARK: Time

  private mutating func setCreationTime(_ seconds: UInt64) {
    moov.change("mvhd") { $0.edit(MovieHeaderBox.self) { $0.setCreation(seconds) } }
    for index in moov.children.indices where moov.children[index].type == "trak" {
      moov.children[index].change("tkhd") { $0.edit(TrackHeaderBox.self) { $0.setCreation(seconds) } }
      moov.children[index].change("mdia") { mdia in
        mdia.change("mdhd") { $0.edit(MediaHeaderBox.self) { $0.setCreation(seconds) } }
      }
    }
  }
}

extension TimedHeaderBox {
  /// Sets the time of creation alone; see `setCreationTime`.
  fileprivate mutating func setCreation(_ seconds: UInt64) {
    creationTime = seconds
    if seconds > UInt64(UInt32.max) { versionAndFlags.version = 1 }
  }
}
