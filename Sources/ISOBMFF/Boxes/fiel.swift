/// Whether video is interlaced, and which field comes first.
///
/// Source: QuickTime File Format, Field Handling.
package struct FieldHandlingBox: Box {
  /// 1 for progressive frames, 2 for fields.
  package var fieldCount: UInt8 = 1
  /// 1 or 9 the top field first, 6 or 14 the bottom one, 0 unknown.
  package var fieldOrdering: UInt8 = 0

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.integer("field_count", &fieldCount)
    try coder.integer("field_ordering", &fieldOrdering)
  }
}
