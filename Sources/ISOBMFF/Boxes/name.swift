/// The name of a free-form metadata item: `iTunSMPB`, in an item of type `----`.
package struct MetadataNameBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The name, as UTF-8.
  package var name: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if coder.isPrinting { return coder.remark("name", .text(text)) }
    try coder.rest("name", &name)
  }

  /// The name as text.
  package var text: String { String(decoding: name, as: UTF8.self) }
}
