/// A sample entry of a kind that is not known: what all entries begin with, then bytes.
public struct GenericSampleEntry: SampleEntry {
  public var head = SampleEntryHead()
  /// What follows.
  public var data: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.rest("data", &data)
  }
}
