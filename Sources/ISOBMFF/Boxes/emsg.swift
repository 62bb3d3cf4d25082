/// An event that accompanies the media: an advertisement begins, a manifest has changed.
///
/// Source: ISO/IEC 23009-1, 5.10.3.3.
package struct EventMessageBox: Box {
  package var versionAndFlags = VersionAndFlags(version: 1)
  /// The kind of event.
  package var schemeIDURI = BoxText()
  /// Distinguishes events of the same kind.
  package var value = BoxText()
  /// Ticks per second.
  package var timescale: UInt32 = 1
  /// When it happens, in ticks: from the start of the presentation in version 1, of the segment in version 0.
  package var presentationTime: UInt64 = 0
  /// How long it lasts, in ticks; all ones if unknown.
  package var duration: UInt32 = 0
  /// Equal in repetitions of the same event.
  package var id: UInt32 = 0
  /// Data whose meaning depends on the kind.
  package var messageData: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    let isNew = versionAndFlags.version == 1
    if !isNew { try codeScheme(with: &coder) }
    try coder.integer("timescale", &timescale)
    try coder.integer("presentation_time", &presentationTime, wide: isNew)
    try coder.integer("event_duration", &duration)
    try coder.integer("id", &id)
    if isNew { try codeScheme(with: &coder) }
    try coder.rest("message_data", &messageData)
  }

  private mutating func codeScheme(with coder: inout FieldCoder) throws(BoxError) {
    try coder.text("scheme_id_uri", &schemeIDURI)
    try coder.text("value", &value)
  }
}
