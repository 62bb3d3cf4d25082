internal import MediaCore

/// Many tables are lists of single 32-bit numbers.
extension UInt32: TableEntry {
  package static var size: Int { 4 }
  package static var columns: [String] { [""] }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(self)
  }

  package var values: [Int64] { [Int64(self)] }
}

/// Chunk offsets of large files are 64-bit numbers.
extension UInt64: TableEntry {
  package static var size: Int { 8 }
  package static var columns: [String] { [""] }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(self)
  }

  package var values: [Int64] { [Int64(clamping: self)] }
}

/// Compact sample sizes are read byte by byte.
extension UInt8: TableEntry {
  package static var size: Int { 1 }
  package static var columns: [String] { [""] }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.append(self)
  }

  package var values: [Int64] { [Int64(self)] }
}
