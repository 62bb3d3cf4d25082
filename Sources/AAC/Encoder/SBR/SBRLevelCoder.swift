/// Codes the rows of one kind of value of a channel, levels or noise floors, as differences in frequency or in time,
/// whichever takes fewer bits.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, tables 4.70, 4.72 and 4.73 (sbr_dtdf, sbr_envelope, sbr_noise).
struct SBRLevelCoder {
  /// One row: the values of an envelope, or of a noise floor.
  struct Row {
    var values: [Int]
    /// Whether its bands are those of high resolution.
    var isHigh: Bool
  }

  /// The rows of the frame.
  private(set) var rows: [Row] = []
  /// Whether each is coded as differences in time.
  private(set) var isTimeCoded: [Bool] = []
  private var books = SBRBooks.levels(isCoarse: false, isBalance: false)
  /// The row before the first one; `nil` if differences in time have nothing to refer to.
  private var last: Row?
  /// The kind of values in that row: steps in time are possible only between values of one kind.
  private var lastKind = -1
  private let oddBands: Int

  /// - Parameter highBands: the number of bands of high resolution.
  init(highBands: Int) { oddBands = highBands & 1 }

  /// Chooses how the rows of a frame are coded.
  ///
  /// - Parameters:
  ///   - rows: the values.
  ///   - books: their books.
  ///   - kind: a number for the unit of the values.
  ///   - standsAlone: whether the first one may not refer to the frame before.
  /// - Returns: the number of bits.
  mutating func plan(_ rows: [Row], _ books: SBRBooks.Pair, kind: Int, standsAlone: Bool) -> Int {
    self.rows = rows
    self.books = books
    if standsAlone || kind != lastKind { last = nil }
    lastKind = kind
    isTimeCoded = []
    var (before, total) = (last, 0)
    for row in rows {
      let inFrequency = frequencyBits(row)
      let inTime = before.flatMap { timeBits(row, after: $0) }
      isTimeCoded.append(inTime.map { $0 < inFrequency } ?? false)
      total += 1 + min(inTime ?? .max, inFrequency)
      before = row
    }
    return total
  }

  /// The frame is written: the next one refers to its last row.
  mutating func keep() { last = rows.last }

  private func frequencyBits(_ row: Row) -> Int {
    zip(row.values, row.values.dropFirst()).reduce(books.startBits) { $0 + (books.frequency.bits($1.1 - $1.0) ?? 0) }
  }

  private func timeBits(_ row: Row, after before: Row) -> Int? {
    var total = 0
    for band in row.values.indices {
      guard let bits = books.time.bits(row.values[band] - earlier(band, row, before)) else { return nil }
      total += bits
    }
    return total
  }

  /// The value of the row before that a difference in time refers to.
  private func earlier(_ band: Int, _ row: Row, _ before: Row) -> Int {
    if row.isHigh == before.isHigh { return before.values[band] }
    return before.values[row.isHigh ? (band + oddBands) / 2 : max(2 * band - oddBands, 0)]
  }

  /// Writes a flag for each row: sbr_dtdf().
  func writeDirections(to bits: inout PacketBitWriter) {
    for isTime in isTimeCoded { bits.append(isTime ? 1 : 0, 1) }
  }

  /// Writes the rows: sbr_envelope() or sbr_noise().
  func writeRows(to bits: inout PacketBitWriter) {
    var before = last
    for (row, isTime) in zip(rows, isTimeCoded) {
      if isTime, let before {
        for band in row.values.indices { books.time.write(row.values[band] - earlier(band, row, before), to: &bits) }
      } else {
        bits.append(row.values[0], books.startBits)
        for (value, next) in zip(row.values, row.values.dropFirst()) { books.frequency.write(next - value, to: &bits) }
      }
      before = row
    }
  }
}
