internal import MediaCore

/// A position among a track's samples: those of the movie header first, then those of the fragments.
///
/// A cursor is a small value. Copying it makes a second, independent reader; a failed read leaves it where it was, so
/// the read can be repeated.
struct SampleCursor: Sendable {
  private let index: SampleIndex
  /// Size of the file in bytes.
  private let size: UInt64
  private var table: SampleTableCursor
  private var isTableDone = false
  private var fragments: FragmentCursor?

  init(_ index: SampleIndex, reader: SourceReader) {
    self.index = index
    size = reader.size
    table = SampleTableCursor(index.table)
    fragments = index.fragments.map { FragmentCursor($0, defaults: index.fragmentDefaults, reader: reader) }
  }

  /// Number of the sample that `next()` delivers.
  var nextNumber: UInt64 { isTableDone ? fragments?.number ?? table.number : table.number }

  /// The next sample, or `nil` after the last.
  ///
  /// - Throws: `MP4Error`: for a sample that is not entirely in the file, and, after the last good one, for what is
  ///   wrong with the index.
  // Inlined, as is what it calls: copying the record on return would take longer than finding it.
  @inline(__always)
  mutating func next() throws(MP4Error) -> SampleRecord? {
    if let sample = try nextInIndex() {
      let (end, overflow) = sample.offset.addingReportingOverflow(UInt64(sample.size))
      guard !overflow, end <= size || index.isExternal else {
        let isFar = overflow || sample.offset > Int64.max
        let missing = isFar ? UInt64.max : end - max(size, sample.offset)
        throw MP4Error(
          .sampleOutsideFile(number: sample.number, missingBytes: missing), offset: isFar ? nil : sample.offset)
      }
      return sample
    }
    if let defect = index.defect { throw defect }
    return nil
  }

  @inline(__always)
  private mutating func nextInIndex() throws(MP4Error) -> SampleRecord? {
    if !isTableDone {
      if let sample = try table.next() { return sample }
      isTableDone = true
    }
    return try fragments?.next()
  }

  /// Seeks to a sample by number, from 0.
  ///
  /// - Returns: whether there is such a sample.
  mutating func seek(to target: UInt64) throws(MP4Error) -> Bool {
    if try table.seek(to: target, in: index.table) {
      isTableDone = false
      return true
    }
    isTableDone = true
    return try fragments?.seek(to: target) ?? false
  }
}
