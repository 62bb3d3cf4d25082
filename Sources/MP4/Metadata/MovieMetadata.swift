public import MediaCore

/// What a movie says about itself: tags, cover art, chapters.
///
/// Four ways of writing tags are in use, often several in one file: iTunes items (`moov/udta/meta/ilst`), QuickTime
/// keys (`moov/meta`), QuickTime user data (`©nam` and the like in `moov/udta`), and 3GPP assets (`titl`, `auth`).
public struct MovieMetadata: Sendable {
  /// Tags in file order; the same information may occur twice, written in two ways.
  public var tags: [Tag] = []
  /// Images, normally covers.
  public var artwork: [Artwork] = []
  /// Chapters in Nero's format, in `udta`; QuickTime's are a track, see `MP4Demuxer.chapters()`.
  public internal(set) var listedChapters: [Chapter] = []

  /// No metadata.
  public init() {}

  /// A tag.
  public struct Tag: Sendable {
    /// The identifier in the file: `©nam`, `com.apple.quicktime.make`, `com.apple.iTunes:iTunSMPB`.
    public let identifier: String
    /// The common name: `title`; the identifier if there is none.
    public let name: String
    /// The value as text.
    public let value: String
    /// What is written instead of `identifier` and `value`, if no program would read these back as they are.
    let written: Written?

    /// How a tag that was read is written.
    enum Written: Sendable {
      /// As it was: the value is not text, and its description as text says less.
      case data(type: UInt32, bytes: [UInt8])
      /// As another item.
      case text(identifier: String, value: String)
    }

    /// Whether it says which frames are heard: see `GaplessText`.
    package var isGaplessText: Bool { identifier.hasSuffix("iTunSMPB") }

    /// A tag to be written.
    ///
    /// - Parameters:
    ///   - identifier: four characters, as in iTunes (`©nam`); a domain and a name (`com.apple.iTunes:ISRC`); a
    ///   QuickTime key (`com.apple.quicktime.make`); or a common name (`title`). A tag of any other name is not written;
    ///   `TagChanges` refuses it.
    ///   - value: the value as text; for `trkn` and `disk`, number and total: `3/12`.
    public init(_ identifier: String, _ value: String) {
      self.init(identifier: TagNames.identifier(identifier), value: value)
    }

    init(identifier: String, value: String, written: Written? = nil) {
      self.identifier = identifier
      self.written = written
      self.name = TagNames.name(identifier)
      self.value = value
    }
  }

  /// An image, still in the file.
  public struct Artwork: Sendable {
    /// `jpeg`, `png`, `bmp`, or `unknown`.
    public let format: String
    /// The image's bytes.
    public let data: MediaData

    /// An image from its parts.
    public init(format: String, data: MediaData) {
      self.format = format
      self.data = data
    }
  }

  /// The value of the tag `iTunSMPB`, whatever its domain: how much of the sound is heard.
  package var gaplessText: String? { tags.first(where: \.isGaplessText)?.value }

  /// The value of the tag with this common name or identifier.
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

/// Tags are equal if they have the same identifier and the same text.
extension MovieMetadata.Tag: Hashable {
  /// Whether both have the same identifier and the same text.
  public static func == (one: MovieMetadata.Tag, other: MovieMetadata.Tag) -> Bool {
    one.identifier == other.identifier && one.value == other.value
  }

  /// Hashes the identifier and the text.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(value)
  }
}
