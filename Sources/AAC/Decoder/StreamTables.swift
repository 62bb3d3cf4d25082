/// The tables' values for the sampling rate and frame length of one stream.
final class StreamTables {
  /// The bands of one kind of window.
  struct Bands {
    /// First line of each band, and after the last one the length of the window.
    let offsets: LookupTable<6, UInt16>
    /// Number of bands, at most 51 in a long window and 15 in a short one.
    let count: Int
    /// Bands from here on are not subject to temporal noise shaping.
    let noiseShapingLimit: Int

    init(_ bands: ScalefactorBands, noiseShapingLimit: Int) {
      let widths = zip(bands.offsets, bands.offsets.dropFirst()).map { Int($1) - Int($0) }
      precondition(widths.allSatisfy { (4...PacketBitReader.longestBand).contains($0) && $0 % 4 == 0 })
      offsets = LookupTable(bands.offsets)
      count = bands.count
      self.noiseShapingLimit = noiseShapingLimit
    }

    /// The lines of a band, 0 up to `count - 1`.
    @inline(__always)
    func lines(_ band: Int) -> (start: Int, count: Int) {
      (Int(offsets[band]), Int(offsets[band + 1]) &- Int(offsets[band]))
    }
  }

  let objectType: UInt8
  /// Samples per channel in a packet: 1024 or 960.
  let frameLength: Int
  let long: Bands
  let short: Bands
  /// Bands that AAC Main predicts.
  let predictedBands: Int
  /// Highest order of a noise shaping filter in a long window.
  let maximumOrder: Int

  init(_ configuration: AudioSpecificConfig, frameLength: Int) {
    let index = SamplingFrequency.tableIndex(of: configuration.sampleRate)
    objectType = configuration.objectType
    self.frameLength = frameLength
    predictedBands = Prediction.maximumBands[index]
    maximumOrder = objectType == 1 ? NoiseShaping.maximumOrderMain : NoiseShaping.maximumOrder
    (long, short) = StreamTables.bands[frameLength == 960 ? 1 : 0][index]
  }

  /// The bands of long and short windows by rate, for frames of 1024 and of 960 samples.
  private static let bands = [1024, 960].map { frameLength in
    NoiseShaping.maximumLongBands.indices.map { index in
      (
        long: Bands(
          ScalefactorBands(frequencyIndex: index, frameLength: frameLength, isShort: false),
          noiseShapingLimit: NoiseShaping.maximumLongBands[index]),
        short: Bands(
          ScalefactorBands(frequencyIndex: index, frameLength: frameLength, isShort: true),
          noiseShapingLimit: NoiseShaping.maximumShortBands[index])
      )
    }
  }
}

/// Why a packet cannot be decoded: it ends too early, or has an invalid value.
enum PacketFault: Error {
  /// The bytes end before the field does.
  case truncated(StaticString)
  /// The field has this value.
  case invalid(StaticString, Int)

  /// As an error of the library.
  func error(packet: UInt64?) -> AACError {
    switch self {
    case .truncated(let field): AACError(.truncated, field: "\(field)", packet: packet)
    case .invalid(let field, let value):
      AACError(.invalidValue(Int64(value)), field: "\(field)", packet: packet)
    }
  }
}
