package import MediaCore

/// The kind of content in a track or in a metadata box.
///
/// Source: ISO/IEC 14496-12, 8.4.3; QuickTime File Format, Handler Reference Atoms.
package struct HandlerBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// QuickTime's component type, `mhlr` or `dhlr`; otherwise 0.
  package var preDefined = FourCC(0)
  /// `soun`, `vide`, `text`, `meta` and so on.
  package var handlerType: FourCC = "soun"
  /// Kept as is: QuickTime's manufacturer, flags and mask.
  package var reserved: [UInt8] = []
  /// A human-readable name: ends with a zero byte in MP4, begins with its length in QuickTime.
  package var name: [UInt8] = []
  /// Whether the reserved fields and the name are present: some files end before them.
  package var hasName = true

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.fourCC("pre_defined", &preDefined)
    try coder.fourCC("handler_type", &handlerType)
    guard coder.isPresent(&hasName, bytes: 12) else { return }
    try coder.reserved(&reserved, count: 12)
    if coder.isPrinting { return coder.remark("name", .text(nameText)) }
    try coder.rest("name", &name)
  }

  /// The name as text, in either format.
  package var nameText: String {
    var bytes = name[...]
    if let length = bytes.first, Int(length) == bytes.count - 1, length != 0 { bytes = bytes.dropFirst() }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
