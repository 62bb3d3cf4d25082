// System calls about extended attributes; what `unsafe` stands for is said in System.swift.

internal import CLinux

extension System {
  /// The most bytes that the kernel lets the names of a file's attributes take, and the value of one.
  private static let maximumAttributeBytes = 64 << 10

  /// Gives an open file the attributes of another one, where the system lets us: those of users, and who else may use
  /// it. Those of the system itself depend on where a file was made.
  static func copyAttributes(of path: String, to file: FileDescriptor) {
    let names = unsafe attributeBytes { buffer in
      unsafe lyrebird_attribute_names(path, buffer.baseAddress, buffer.count)
    }
    for name in names.split(separator: 0) {
      let name = String(decoding: name, as: UTF8.self)
      guard name.hasPrefix("user.") || name == "system.posix_acl_access" else { continue }
      let value = unsafe attributeBytes { buffer in
        unsafe lyrebird_attribute(path, name, buffer.baseAddress, buffer.count)
      }
      _ = unsafe value.withUnsafeBytes { bytes in
        unsafe lyrebird_set_attribute(file.number, name, bytes.baseAddress, bytes.count)
      }
    }
  }

  /// The bytes that a call puts into a buffer; none if it fails.
  private static func attributeBytes(_ fill: (UnsafeMutableBufferPointer<CChar>) -> Int) -> [UInt8] {
    let bytes = unsafe [CChar](unsafeUninitializedCapacity: maximumAttributeBytes) { buffer, count in
      count = unsafe max(0, fill(buffer))
    }
    return bytes.map { UInt8(bitPattern: $0) }
  }
}
