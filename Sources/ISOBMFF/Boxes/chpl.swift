/// Chapters, in the format introduced by Nero's programs.
///
/// There is no published specification. Version 0 has an 8-bit count; version 1 a reserved byte and a 32-bit count, of
/// which most writers use the last byte only.
public struct ChapterListBox: Box {
  public var versionAndFlags = VersionAndFlags(version: 1)
  /// Kept as is.
  public var reserved: UInt8 = 0
  /// The chapters, in order of their starts.
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
  /// When it begins, in units of 100 nanoseconds.
  public var start: UInt64 = 0
  /// Its title; at most 255 bytes.
  public var title = BoxText()

  /// An untitled chapter at the start.
  public init() {}
}
