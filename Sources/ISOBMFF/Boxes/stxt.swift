/// Text whose format is given by a MIME type: `stxt`, subtitles `sbtt` and metadata `mett`.
///
/// Source: ISO/IEC 14496-12, 12.5.3, 12.6.3 and 12.3.3.
package struct SimpleTextSampleEntry: SampleEntry {
  package var head = SampleEntryHead()
  /// How samples are compressed; empty if they are not.
  package var contentEncoding = BoxText()
  /// MIME type of the samples.
  package var mimeFormat = BoxText()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
    try coder.text("content_encoding", &contentEncoding)
    try coder.text("mime_format", &mimeFormat)
  }
}
