/// An event that accompanies the media: an advertisement begins, a manifest has changed.
///
/// Source: ISO/IEC 23009-1, 5.10.3.3.
public struct EventMessageBox: Box {
  public var versionAndFlags = VersionAndFlags(version: 1)
  /// The kind of event.
  public var schemeIDURI = BoxText()
  /// Distinguishes events of the same kind.
  public var value = BoxText()
  /// Ticks per second.
  public var timescale: UInt32 = 1
  /// When it happens, in ticks: from the start of the presentation in version 1, of the segment in version 0.
  public var presentationTime: UInt64 = 0
  /// How long it lasts, in ticks; all ones if unknown.
  public var duration: UInt32 = 0
  /// Equal in repetitions of the same event.
  public var id: UInt32 = 0
  /// Data whose meaning depends on the kind.
  public var messageData: [UInt8] = []

  public init() {}

  public mutating func code(with coder: inout FieldCoder) throws(BoxError) {
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
