/// Chapters, as Nero's programs began to keep them.
///
/// There is no published specification. Version 0 has a count of 8 bits; version 1 a reserved byte and one of 32, of
/// which most writers use the last byte only.
public struct ChapterListBox: Box {
  public var versionAndFlags = VersionAndFlags(version: 1)
  /// Kept as it is.
  public var reserved: UInt8 = 0
  /// The chapters, by start.
  public var chapters: [ChapterListEntry] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    if versionAndFlags.version == 0 {
      try code(by: UInt8.self, with: &coder)
    } else {
      if !coder.isPrinting { try coder.integer("reserved", &reserved) }
      try code(by: UInt32.self, with: &coder)
    }
  }

  private mutating func code<Count: FixedWidthInteger & BitwiseCopyable & Sendable>(
    by: Count.Type, with coder: inout FieldCoder
  ) throws(BoxError) {
    try coder.countedList("chapters", &chapters, by: by, minimumSize: 9, make: ChapterListEntry.init) {
      (coder, chapter) throws(BoxError) in
      try coder.integer("start", &chapter.start)
      try coder.pascalText("title", &chapter.title)
    }
  }
}

/// A chapter.
public struct ChapterListEntry: Sendable, Hashable {
  /// Where it begins, in units of 100 nanoseconds.
  public var start: UInt64 = 0
  /// What it is called; at most 255 bytes.
  public var title = BoxText()

  /// A chapter without a name at the start.
  public init() {}
}
