/// Whether video is interlaced, and which field comes first.
///
/// Source: QuickTime File Format, Field Handling.
public struct FieldHandlingBox: Box {
  /// 1 for progressive frames, 2 for fields.
  public var fieldCount: UInt8 = 1
  /// 1 or 9 the top field first, 6 or 14 the bottom one, 0 unknown.
  public var fieldOrdering: UInt8 = 0

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("field_count", &fieldCount)
    try coder.integer("field_ordering", &fieldOrdering)
  }
}
