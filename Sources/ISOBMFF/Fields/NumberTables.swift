internal import MediaCore

/// Many tables are lists of single 32-bit numbers.
extension UInt32: TableEntry {
  public static var size: Int { 4 }
  public static var columns: [String] { [""] }

  public init(_ bytes: RawSpan, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(self)
  }

  public var values: [Int64] { [Int64(self)] }
}

/// Chunk offsets of large files are 64-bit numbers.
extension UInt64: TableEntry {
  public static var size: Int { 8 }
  public static var columns: [String] { [""] }

  public init(_ bytes: RawSpan, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(self)
  }

  public var values: [Int64] { [Int64(clamping: self)] }
}

/// Compact sample sizes are read byte by byte.
extension UInt8: TableEntry {
  public static var size: Int { 1 }
  public static var columns: [String] { [""] }

  public init(_ bytes: RawSpan, at offset: Int) {
    self = bytes.bigEndian(at: offset)
  }

  public func write(to bytes: inout [UInt8]) {
    bytes.append(self)
  }

  public var values: [Int64] { [Int64(self)] }
}
