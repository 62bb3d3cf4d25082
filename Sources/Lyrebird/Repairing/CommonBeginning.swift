internal import MP4
internal import MediaCore

/// What the first bytes of a track's samples have in common: some tell what they are, and some how long.
struct CommonBeginning {
  /// The bytes with which all samples begin, four at most.
  private(set) var bytes: [UInt8] = []
  /// The four bytes that follow in all samples, if the first four are the sample's size: frames of ProRes have `icpf`
  /// there.
  private(set) var markBehindSize: UInt32?

  /// So many samples are compared, or all if there are fewer.
  private static let compared = 64
  private static let fewestCompared = 3
  private static let length = 4

  /// Compares samples of a track.
  ///
  /// - Throws: `SourceError` if reading fails.
  init(_ records: [SampleRecord], in reader: SourceReader) throws(SourceError) {
    guard records.count >= CommonBeginning.fewestCompared else { return }
    let length = CommonBeginning.length
    let step = (records.count + CommonBeginning.compared - 1) / CommonBeginning.compared
    var common: (first: [UInt8], second: [UInt8])?
    var haveSizes = true
    for index in stride(from: 0, to: records.count, by: step) {
      let record = records[index]
      let bytes = try reader.bytes(at: min(record.offset, reader.size), count: min(2 * length, record.size))
      let (first, second) = (Array(bytes.prefix(length)), Array(bytes.dropFirst(length)))
      if second.count == length {
        haveSizes = haveSizes && Int(first.span.bigEndian(at: 0, as: UInt32.self)) == record.size
      } else {
        haveSizes = false
      }
      let known = common ?? (first, second)
      common = (known.first.common(first), known.second.common(second))
    }
    bytes = common?.first ?? []
    if haveSizes, let second = common?.second, second.count == length {
      markBehindSize = second.span.bigEndian(at: 0)
    }
  }
}

extension [UInt8] {
  /// The bytes with which both begin.
  fileprivate func common(_ other: [UInt8]) -> [UInt8] { zip(self, other).prefix { $0 == $1 }.map(\.0) }
}
