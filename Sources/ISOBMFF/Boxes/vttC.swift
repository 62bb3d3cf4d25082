/// What precedes the cues in WebVTT: the header of the original text file. `vlab` names the source of the file.
///
/// Source: ISO/IEC 14496-30, 7.5.
package struct WebVTTTextBox: Box {
  /// UTF-8 to the end of the box: `WEBVTT` in `vttC`.
  package var bytes: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    if coder.isPrinting { return coder.remark("text", .text(text)) }
    try coder.rest("text", &bytes)
  }

  /// The bytes as text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
