internal import ISOBMFF
internal import MediaCore

/// What is to be changed about the tags of a movie; see `Tagger`.
///
///     var changes = TagChanges()
///     try changes.set("title", to: "Dawn")
///     try changes.add("artist", "A second singer")
///     try changes.remove("comment")
///
/// Changes take effect in the order they are made in. A tag is named in one of these ways:
///
/// - by its common name (`title`, `album artist`; see `MovieMetadata.Tag.commonNames`), in any case, also with hyphens.
///   This means all tags of that name, however they are written: a title may be there as an iTunes item, as a QuickTime
///   key and as user data.
/// - by the four characters of an iTunes item: `©nam`;
/// - by the domain and name of a free-form item: `com.apple.iTunes:ISRC`;
/// - by a QuickTime key: `com.apple.quicktime.make`.
public struct TagChanges: Sendable {
  /// A change.
  enum Change: Sendable {
    case set(TagTarget, [String])
    case add(TagTarget, String)
    case remove(TagTarget)
    case removeAll
    case setCovers([MovieMetadata.Artwork])
    case addCover(MovieMetadata.Artwork)
    /// In seconds since the beginning of 1904.
    case creationTime(UInt64)
  }

  /// The changes, in the order of their effect.
  private(set) var changes: [Change] = []

  /// No changes.
  public init() {}

  /// Whether nothing is to be changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// Gives a tag one or several values, instead of those it has.
  ///
  /// - Parameters:
  ///   - name: the tag.
  ///   - values: texts; `3/12` for `track` and `disc`, numbers or `yes` and `no` for items that are numbers.
  /// - Throws: `TagError`: `.unknownName`; `.badValue`; `.oneValueOnly` for several values of what is no text.
  public mutating func set(_ name: String, to values: String...) throws(TagError) {
    try set(name, to: values)
  }

  /// Gives a tag one or several values, instead of those it has.
  ///
  /// - Throws: `TagError`: `.unknownName`; `.badValue`, also if there are no values; `.oneValueOnly`.
  public mutating func set(_ name: String, to values: [String]) throws(TagError) {
    let target = try TagTarget(name)
    guard !values.isEmpty else { throw TagError(.badValue("", wants: TagValue.wants(target)), name: name) }
    guard values.count == 1 || TagValue.isText(target) else { throw TagError(.oneValueOnly, name: name) }
    var checked: [String] = []
    for value in values { checked.append(try TagValue.checked(value, of: target, name: name)) }
    changes.append(.set(target, checked))
  }

  /// Gives a tag another value, beside those it has. What is no text, such as the number of a track, has one value
  /// only, which is replaced.
  ///
  /// - Throws: `TagError`: `.unknownName`, `.badValue`.
  public mutating func add(_ name: String, _ value: String) throws(TagError) {
    let target = try TagTarget(name)
    let value = try TagValue.checked(value, of: target, name: name)
    changes.append(TagValue.isText(target) ? .add(target, value) : .set(target, [value]))
  }

  /// Removes a tag with all its values. It need not be there.
  ///
  /// - Throws: `TagError` `.unknownName`.
  public mutating func remove(_ name: String) throws(TagError) {
    changes.append(.remove(try TagTarget(name)))
  }

  /// Removes all tags and covers. Chapters stay, as does what says how to play the movie: where its sound begins
  /// (`iTunSMPB`), and where other tracks lie in the file (`auxiliary.tracks`).
  public mutating func removeAll() {
    changes.append(.removeAll)
  }

  /// Replaces all covers; without any, removes them.
  ///
  /// - Throws: `TagError` `.notAPicture`.
  public mutating func setCovers(_ pictures: [MovieMetadata.Artwork]) throws(TagError) {
    for picture in pictures where picture.format == "unknown" { throw TagError(.notAPicture, name: "") }
    changes.append(.setCovers(pictures))
  }

  /// Adds a cover after those there are.
  ///
  /// - Throws: `TagError` `.notAPicture`.
  public mutating func addCover(_ picture: MovieMetadata.Artwork) throws(TagError) {
    guard picture.format != "unknown" else { throw TagError(.notAPicture, name: "") }
    changes.append(.addCover(picture))
  }

  /// Sets when the movie was made, in its header and in all tracks.
  ///
  /// - Parameter seconds: since the beginning of 1970, UTC.
  /// - Throws: `TagError` `.badTime`: from 1970 to 9999 can be written.
  public mutating func setCreationTime(_ seconds: Int64) throws(TagError) {
    guard let time = MovieHeaderBox.since1904(seconds) else { throw TagError(.badTime(seconds), name: "") }
    changes.append(.creationTime(time))
  }
}

extension MovieMetadata.Artwork {
  /// A cover from the bytes of a picture; its first bytes tell its format, `unknown` for all but JPEG, PNG and BMP.
  public init(_ bytes: [UInt8]) {
    let format =
      if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        "jpeg"
      } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        "png"
      } else if bytes.starts(with: Array("BM".utf8)) {
        "bmp"
      } else {
        "unknown"
      }
    self.init(format: format, data: .bytes(bytes[...]))
  }
}
