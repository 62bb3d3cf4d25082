/// Codes one parameter's envelopes: as differences from band to band or from the envelope before, whichever takes fewer
/// bits.
///
/// Source: ISO/IEC 14496-3, 8.4.1, tables 8.3 and 8.4 (iid_data, icc_data).
struct PSRowCoder {
  private let books: PSBooks.Pair
  /// The steps of the last envelope that was sent.
  private var last: [Int]
  private var rows: [[Int]] = []
  private var isTimeCoded: [Bool] = []
  /// Number of bits.
  private(set) var bits = 0

  init(_ books: PSBooks.Pair, bands: Int) {
    self.books = books
    last = [Int](repeating: 0, count: bands)
  }

  /// Whether any envelope differs from what decoders have.
  var changes: Bool { rows.contains { $0 != last } }

  /// Chooses how the envelopes of a frame are coded.
  mutating func plan(_ rows: [[Int]], standsAlone: Bool) {
    self.rows = rows
    (isTimeCoded, bits) = ([], rows.count)
    var before = last
    for (index, row) in rows.enumerated() {
      let inFrequency = zip([0] + row, row).reduce(0) { $0 + (books.frequency.bits($1.1 - $1.0) ?? 0) }
      let inTime = zip(before, row).reduce(0) { $0 + (books.time.bits($1.1 - $1.0) ?? 0) }
      let isTime = inTime < inFrequency && !(standsAlone && index == 0)
      isTimeCoded.append(isTime)
      bits += isTime ? inTime : inFrequency
      before = row
    }
  }

  /// Sends nothing.
  mutating func clear() { (rows, isTimeCoded, bits) = ([], [], 0) }

  /// The frame is written: the next one refers to its last envelope.
  mutating func keep() { last = rows.last ?? last }

  /// Writes the envelopes.
  func write(to bits: inout PacketBitWriter) {
    var before = last
    for (row, isTime) in zip(rows, isTimeCoded) {
      bits.append(isTime ? 1 : 0, 1)
      for (from, value) in zip(isTime ? before : [0] + row, row) {
        (isTime ? books.time : books.frequency).write(value - from, to: &bits)
      }
      before = row
    }
  }
}
