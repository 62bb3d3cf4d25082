/// What every WebVTT cue has ahead of it: the head of the text file that it was. `vlab` names where it came from.
///
/// Source: ISO/IEC 14496-30, 7.5.
public struct WebVTTTextBox: Box {
  /// UTF-8 to the end of the box: `WEBVTT` in `vttC`.
  public var bytes: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    if coder.isPrinting { return coder.remark("text", .text(text)) }
    try coder.rest("text", &bytes)
  }

  /// The bytes as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}
