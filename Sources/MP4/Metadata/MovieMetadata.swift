public import MediaCore

/// What a movie says about itself: tags, cover art, chapters.
///
/// Four ways of writing tags are in use, often several in one file: iTunes items (`moov/udta/meta/ilst`), QuickTime
/// keys (`moov/meta`), QuickTime user data (`©nam` and its kin in `moov/udta`), and 3GPP assets (`titl`, `auth`).
public struct MovieMetadata: Sendable {
  /// Tags in file order; the same matter may come twice, in two ways of writing.
  public var tags: [Tag] = []
  /// Pictures: covers, as a rule.
  public var artwork: [Artwork] = []
  /// Chapters as Nero writes them, into `udta`; QuickTime's are a track, see `MP4Demuxer.chapters()`.
  public internal(set) var listedChapters: [Chapter] = []

  /// No metadata.
  public init() {}

  /// A tag.
  public struct Tag: Sendable, Hashable {
    /// What the file calls it: `©nam`, `com.apple.quicktime.make`, `com.apple.iTunes:iTunSMPB`.
    public let identifier: String
    /// What people call it: `title`; the identifier where there is no such word.
    public let name: String
    /// The value as text.
    public let value: String

    /// A tag to be written.
    ///
    /// - Parameters:
    ///   - identifier: four characters, as iTunes has them (`©nam`); a domain and a name (`com.apple.iTunes:ISRC`); a
    ///     QuickTime key (`com.apple.quicktime.make`); or one of the words that people use (`title`).
    ///   - value: the value as text; for `trkn` and `disk`, number and total: `3/12`.
    public init(_ identifier: String, _ value: String) {
      self.init(identifier: TagNames.identifier(identifier), value: value)
    }

    init(identifier: String, value: String) {
      self.identifier = identifier
      self.name = TagNames.name(identifier)
      self.value = value
    }
  }

  /// A picture, left where it is in the file.
  public struct Artwork: Sendable {
    /// `jpeg`, `png`, `bmp`, or `unknown`.
    public let format: String
    /// The picture's bytes.
    public let data: MediaData

    /// A picture from its parts.
    public init(format: String, data: MediaData) {
      self.format = format
      self.data = data
    }
  }

  /// The tag's value with the name that people use, or the identifier.
  public subscript(_ name: String) -> String? {
    tags.first { $0.name == name || $0.identifier == name }?.value
  }
}

/// A chapter of a movie.
public struct Chapter: Sendable, Hashable {
  /// When it begins.
  public let start: MediaTime
  /// Its title.
  public let title: String

  /// A chapter from its parts.
  public init(start: MediaTime, title: String) {
    self.start = start
    self.title = title
  }
}
