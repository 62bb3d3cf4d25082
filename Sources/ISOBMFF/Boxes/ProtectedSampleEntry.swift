/// An encrypted sample entry of a track that is neither audio nor video: `enct`, `encm`, `encs`.
///
/// It begins with the fields of the original entry, whose type is known only from `frma` in `sinf`; so everything
/// before `sinf` is kept as bytes. Source: ISO/IEC 14496-12, 8.12.
package struct ProtectedSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// Fields of the original entry, and boxes before `sinf`.
  package var originalFields: [UInt8] = []

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    let left = Array(coder.peek(coder.remaining))
    let start = left.indices.first { $0 >= 4 && left[$0...].starts(with: "sinf".utf8) }.map { $0 - 4 }
    try coder.bytes("original_fields", &originalFields, count: start ?? 0)
  }
}
