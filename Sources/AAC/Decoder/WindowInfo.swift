/// How a channel's frame is divided into windows and bands, and which of it is predicted: `ics_info`.
///
/// Similar short windows share scalefactors: they form a group, whose bands hold lines of all its windows.
///
/// Source: ISO/IEC 14496-3, 4.4.2.1, table 4.6.
struct WindowInfo {
  var sequence = WindowSequence.onlyLong
  var shape = WindowShape.sine
  /// Bands that are coded: 0 to `bands.count`.
  var codedBands = 0
  /// Groups of windows, 1 to 8.
  var groups = 1
  /// Windows of each group; together 8, or 1 for a long window.
  var groupLengths = SIMD8<UInt8>(1, 0, 0, 0, 0, 0, 0, 0)
  /// Bands of the windows.
  var bands: StreamTables.Bands
  /// Lines of a window.
  var windowLength: Int
  /// The prediction data of AAC Main, if any.
  var prediction: MainPredictionInfo?
  /// `predictor_data_present`.
  var hasPredictionData = false
  /// The LTP data, if any.
  var longTerm: LongTermInfo?

  /// Distance between the side information of two groups: bands of a group are numbered from a multiple of it.
  var bandStride: Int { sequence == .eightShort ? 16 : 64 }

  /// A long window without any content.
  init(_ tables: StreamTables) {
    bands = tables.long
    windowLength = tables.frameLength
  }

  /// Reads `ics_info`.
  init(_ reader: inout PacketBitReader, _ tables: StreamTables) throws(PacketFault) {
    self.init(tables)
    if reader.flag() { throw .invalid("ics_reserved_bit", 1) }
    sequence = WindowSequence(rawValue: reader.bits(2)) ?? .onlyLong
    shape = reader.flag() ? .kaiserBessel : .sine
    if sequence == .eightShort {
      bands = tables.short
      windowLength = tables.frameLength / 8
      codedBands = reader.bits(4)
      readGrouping(reader.bits(7))
    } else {
      codedBands = reader.bits(6)
      hasPredictionData = reader.flag()
      if hasPredictionData { try readPrediction(&reader, tables) }
    }
    guard codedBands <= bands.count else { throw .invalid("max_sfb", codedBands) }
    if reader.isOverrun { throw .truncated("ics_info") }
  }

  /// A bit for each window but the first: whether it belongs to the group of the one before.
  private mutating func readGrouping(_ bits: Int) {
    for window in 0..<7 {
      if bits >> (6 - window) & 1 == 0 {
        groups += 1
        groupLengths[groups - 1] = 1
      } else {
        groupLengths[groups - 1] += 1
      }
    }
  }

  private mutating func readPrediction(_ reader: inout PacketBitReader, _ tables: StreamTables) throws(PacketFault) {
    switch tables.objectType {
    case 1: prediction = try MainPredictionInfo(&reader, bands: min(codedBands, tables.predictedBands))
    case 4: if reader.flag() { longTerm = LongTermInfo(&reader, codedBands: codedBands) }
    default: throw .invalid("predictor_data_present", 1)
    }
  }

  /// Calls `body` for each window's part of each coded band: the index of the band's side information, and its lines.
  @inline(__always)
  func forEachBand(_ body: (_ index: Int, _ start: Int, _ count: Int) -> Void) {
    var window = 0
    for group in 0..<groups {
      let length = Int(groupLengths[group])
      for band in 0..<codedBands {
        let (start, count) = bands.lines(band)
        for member in window..<(window + length) {
          body(group * bandStride + band, member * windowLength + start, count)
        }
      }
      window += length
    }
  }
}
