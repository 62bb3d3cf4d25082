/// What one protection system needs to obtain the keys.
///
/// Source: ISO/IEC 23001-7, 8.1.
package struct ProtectionSystemSpecificHeaderBox: Box {
  package var versionAndFlags = VersionAndFlags()
  /// The system: 16 bytes, a UUID.
  package var systemID: [UInt8] = Array(repeating: 0, count: 16)
  /// Identifiers of the keys concerned, 16 bytes each; since version 1.
  package var keyIDs: [[UInt8]] = []
  /// Data whose format the system defines.
  package var data: [UInt8] = []

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.versionAndFlags(&versionAndFlags, newest: 1)
    try coder.bytes("SystemID", &systemID, count: 16)
    if versionAndFlags.version > 0 {
      try coder.countedList("KID", &keyIDs, by: UInt32.self, minimumSize: 16, make: { [] }) {
        (coder, key) throws(BoxError) in try coder.bytes("", &key, count: 16)
      }
    }
    try coder.sizedBytes("Data", &data, by: UInt32.self)
  }
}
