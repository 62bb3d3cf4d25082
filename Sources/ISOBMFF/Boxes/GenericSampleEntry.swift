/// A sample entry of unknown kind: the common fields, then bytes.
package struct GenericSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// The bytes after the common fields.
  package var data: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.rest("data", &data)
  }
}
