/// The name of a free-form metadata item: `iTunSMPB`, in an item of type `----`.
public struct MetadataNameBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The name, as UTF-8.
  public var name: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if coder.isPrinting { return coder.remark("name", .text(text)) }
    try coder.rest("name", &name)
  }

  /// The name as text.
  public var text: String { String(decoding: name, as: UTF8.self) }
}
