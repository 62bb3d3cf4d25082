/// A sample entry of unknown kind: the common fields, then bytes.
public struct GenericSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// The bytes after the common fields.
  public var data: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.rest("data", &data)
  }
}
