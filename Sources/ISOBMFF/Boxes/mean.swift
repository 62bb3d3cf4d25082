/// The domain of a free-form metadata item: `com.apple.iTunes`, in an item of type `----`.
package struct MetadataMeanBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The domain, as UTF-8.
  package var domain: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if coder.isPrinting { return coder.remark("domain", .text(text)) }
    try coder.rest("domain", &domain)
  }

  /// The domain as text.
  package var text: String { String(decoding: domain, as: UTF8.self) }
}
