package import MediaCore

/// Which specifications the file follows: `ftyp` for a file, `styp` for a segment.
///
/// Source: ISO/IEC 14496-12, 4.3 and 8.16.2.
package struct FileTypeBox: Box {
  /// The best use of the file: `isom`, `M4A `, `qt  `.
  package var majorBrand: FourCC = "isom"
  /// Informative version of the major brand.
  package var minorVersion: UInt32 = 0
  /// Every specification that the file conforms to.
  package var compatibleBrands = PackedTable<BrandEntry>()

  package init() {}

  package mutating func code(with coder: inout FieldCoder) throws(BoxError) {
    try coder.fourCC("major_brand", &majorBrand)
    try coder.integer("minor_version", &minorVersion)
    let count = coder.isReading ? coder.remaining / BrandEntry.size : compatibleBrands.count
    if coder.isPrinting {
      coder.remark("compatible_brands", .text(brands.map(\.description).joined(separator: ", ")))
    } else {
      try coder.table("compatible_brands", &compatibleBrands, count: UInt64(count))
    }
  }

  /// The compatible brands, in file order.
  package var brands: [FourCC] { compatibleBrands.entries.map(\.brand) }
}

/// One compatible brand.
package struct BrandEntry: TableEntry {
  /// The brand.
  package var brand: FourCC

  package static let size = 4
  package static let columns = ["brand"]

  /// An entry for a brand.
  package init(_ brand: FourCC) {
    self.brand = brand
  }

  package init(_ bytes: Span<UInt8>, at offset: Int) {
    brand = FourCC(bytes.bigEndian(at: offset))
  }

  package func write(to bytes: inout [UInt8]) {
    bytes.appendBigEndian(brand.rawValue)
  }

  package var values: [Int64] { [Int64(brand.rawValue)] }
}
