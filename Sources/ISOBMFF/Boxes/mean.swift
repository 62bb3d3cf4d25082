/// The domain of a free-form metadata item: `com.apple.iTunes`, in an item of type `----`.
public struct MetadataMeanBox: Box {
  public var versionAndFlags = VersionAndFlags()
  /// The domain, as UTF-8.
  public var domain: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    if coder.isPrinting { return coder.remark("domain", .text(text)) }
    try coder.rest("domain", &domain)
  }

  /// The domain as text.
  public var text: String { String(decoding: domain, as: UTF8.self) }
}
