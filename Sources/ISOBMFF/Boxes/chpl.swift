/// Chapters, in the format introduced by Nero's programs.
///
/// There is no published specification. Version 0 has an 8-bit count; version 1 a reserved byte and a 32-bit count, of
/// which most writers use the last byte only.
package struct ChapterListBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// Kept as is.
  package var reserved: UInt8 = 0
  /// The chapters, in order of their starts.
  package var chapters: [ChapterListEntry] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
package struct ChapterListEntry: Sendable, Hashable {
  /// When it begins, in units of 100 nanoseconds.
  package var start: UInt64 = 0
  /// Its title; at most 255 bytes.
  package var title = BoxText()

  /// An untitled chapter at the start.
  package init() {}
}
