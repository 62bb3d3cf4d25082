internal import MediaCore

/// An entry of a table, with a fixed size.
package protocol TableEntry: Sendable, Hashable {
  /// Size of an entry in bytes.
  static var size: Int { get }

  /// Names of the columns, as in the standard.
  static var columns: [String] { get }

  /// Reads the entry at this byte offset. The caller has checked that it lies within the span.
  init(_ bytes: Span<UInt8>, at offset: Int)

  /// Appends the entry's bytes.
  func write(to bytes: inout [UInt8])

  /// The columns' values.
  var values: [Int64] { get }
}

/// A table kept as it is in the file, its entries decoded on demand.
///
/// Sample tables can have millions of entries: unpacking them into arrays of structures would multiply their size.
package struct PackedTable<Entry: TableEntry>: Sendable, Hashable {
  /// The entries, one after another.
  package private(set) var bytes: ArraySlice<UInt8>

  /// A table over bytes; an incomplete entry at the end is dropped.
  package init(bytes: ArraySlice<UInt8> = []) {
    self.bytes = bytes.prefix(bytes.count / Entry.size * Entry.size)
  }

  /// A table of these entries.
  // The compiler does not specialise another module's code by itself, and tables of numbers have millions of entries.
  @specialized(where Entry == UInt32, Entries == [UInt32])
  @specialized(where Entry == UInt64, Entries == [UInt64])
  package init<Entries: Sequence<Entry>>(_ entries: Entries) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.underestimatedCount * Entry.size)
    for entry in entries { entry.write(to: &bytes) }
    self.bytes = bytes[...]
  }

  /// Number of entries.
  package var count: Int { bytes.count / Entry.size }

  /// The entry at an index from 0 to `count` - 1, or `nil` outside that range.
  package subscript(index: Int) -> Entry? {
    guard index >= 0, index < count else { return nil }
    return Entry(bytes.span, at: index * Entry.size)
  }

  /// All entries. For small tables: it costs memory.
  package var entries: [Entry] {
    let span = bytes.span
    var entries: [Entry] = []
    entries.reserveCapacity(count)
    for index in 0..<count { entries.append(Entry(span, at: index * Entry.size)) }
    return entries
  }

  /// The first entries, for display.
  func preview() -> TablePreview {
    let shown = min(count, PackedTableLimits.previewRows)
    return TablePreview(
      columns: Entry.columns, rows: (0..<shown).compactMap { self[$0]?.values }, total: count)
  }
}

enum PackedTableLimits {
  /// How many rows of a table are shown: enough to see its nature, few enough to read.
  static let previewRows = 8
}

/// The first rows of a table.
public struct TablePreview: Sendable {
  /// Names of the columns.
  public let columns: [String]
  /// Values, row by row.
  public let rows: [[Int64]]
  /// Number of rows in the whole table.
  public let total: Int
}
