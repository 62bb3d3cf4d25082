package import MediaCore

/// The names of metadata items: an item's type in `ilst` is the number of its name here, counted from 1.
///
/// Source: QuickTime File Format, Metadata Item Keys Atom.
package struct MetadataItemKeysBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The names.
  package var keys: [MetadataKey] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags)
    try coder.countedList("entries", &keys, by: UInt32.self, minimumSize: 8, make: MetadataKey.init) {
      (coder, key) throws(BoxError) in try key.code(with: &coder)
    }
  }
}

/// The name of a metadata item.
package struct MetadataKey: Sendable, Hashable {
  /// How the name is to be interpreted: `mdta` for names such as `com.apple.quicktime.make`.
  package var namespace: FourCC = "mdta"
  /// The name.
  package var value: [UInt8] = []

  /// A nameless key.
  package init() {}

  /// The name as text.
  package var text: String { String(decoding: value, as: UTF8.self) }

  mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    var size = UInt32(clamping: value.count &+ 8)
    if !coder.isPrinting { try coder.integer("key_size", &size) }
    guard size >= 8 else { throw BoxError(.invalidValue(Int64(size)), field: "key_size") }
    try coder.fourCC("key_namespace", &namespace)
    if coder.isPrinting { return coder.remark("key_value", .text(text)) }
    try coder.bytes("key_value", &value, count: Int(size) - 8)
  }
}
