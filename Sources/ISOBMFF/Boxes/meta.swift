/// Descriptive data: a handler that gives its kind, then the boxes of that kind.
///
/// In ISO files version and flags come first, in QuickTime files they do not; the position of the handler distinguishes
/// them.
///
/// Source: ISO/IEC 14496-12, 8.11.1; QuickTime File Format, Metadata Atoms.
package struct MetaBox: Box {
  /// Whether version and flags are present.
  package var isFullBox = true
  package var versionAndFlags = VersionAndFlags()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    if coder.isReading {
      isFullBox = coder.remaining >= 4 && !coder.peek(8).dropFirst(4).elementsEqual("hdlr".utf8)
    }
    if isFullBox { try coder.versionAndFlags(&versionAndFlags) }
  }
}
