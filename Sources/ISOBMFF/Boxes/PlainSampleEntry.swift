/// A sample entry without fields of its own: its configuration is in child boxes.
///
/// WebVTT `wvtt` (ISO/IEC 14496-30, 7.5), MPEG-4 streams `mp4s` (ISO/IEC 14496-14, 5.6), metadata by address `urim`
/// (ISO/IEC 14496-12, 12.3.3), timed metadata in boxes `mebx` (QuickTime File Format, Timed Metadata) and closed
/// captions `c608` and `c708`.
package struct PlainSampleEntry: SampleEntry {
  package var head = SampleEntryHead()

  package static let hasChildren = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try head.code(with: &coder)
  }
}
