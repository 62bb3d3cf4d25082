/// Descriptive data: a handler that gives its kind, then the boxes of that kind.
///
/// In ISO files version and flags come first, in QuickTime files they do not; the position of the handler distinguishes
/// them.
///
/// Source: ISO/IEC 14496-12, 8.11.1; QuickTime File Format, Metadata Atoms.
public struct MetaBox: Box {
  /// Whether version and flags are present.
  public var isFullBox = true
  public var versionAndFlags = VersionAndFlags()

  public static let hasChildren = true

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    if coder.isReading {
      isFullBox = coder.remaining >= 4 && !coder.peek(8).dropFirst(4).elementsEqual("hdlr".utf8)
    }
    if isFullBox { try coder.versionAndFlags(&versionAndFlags) }
  }
}
