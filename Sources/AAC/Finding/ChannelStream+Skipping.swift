// individual_channel_stream() without its samples: ISO/IEC 14496-3, 4.4.2.7, table 4.50.
extension ChannelStream {
  /// Moves past a channel's side information and its spectrum, which are checked as `read` does.
  ///
  /// - Parameter shared: the division into windows, if two channels share one.
  func skip(
    _ reader: inout PacketBitReader, _ tables: StreamTables, _ spectral: SpectralReader, shared: WindowInfo?
  ) throws(PacketFault) {
    let globalGain = reader.bits(8)
    if let shared { info = shared } else { info = try WindowInfo(&reader, tables) }
    try readSections(&reader)
    try readScalefactors(&reader, globalGain: globalGain, spectral)
    if reader.flag() { _ = try PulseInfo(&reader, info) }
    if reader.flag() { try NoiseShapingInfo.skip(&reader, info, maximumOrder: tables.maximumOrder) }
    if reader.flag() { throw .invalid("gain_control_data_present", 1) }
    try skipSpectrum(&reader, spectral)
  }

  /// The cache stays in this function, which the reader outlives, and is within the packet before each band: it begins
  /// there, and is checked after each.
  private func skipSpectrum(_ reader: inout PacketBitReader, _ spectral: SpectralReader) throws(PacketFault) {
    var cache = unsafe BitCache(reader)
    for group in 0..<info.groups {
      let length = Int(info.groupLengths[group])
      let bands = info.codedBands
      let books = unsafe codebooks.pointer(at: group * info.bandStride, count: bands)
      for band in 0..<bands {
        let codebook = unsafe Int(books[band])
        if codebook == Codebook.zero || codebook >= Codebook.noise { continue }
        let count = info.bands.lines(band).count
        for _ in 0..<length {
          let isWhole = unsafe spectral.skip(&cache, book: codebook, lines: count)
          if cache.position(in: reader) > reader.count { throw .truncated("spectral_data") }
          if !isWhole { throw .invalid("hcod_esc", 0) }
        }
      }
    }
    reader.skip(cache.position(in: reader) - reader.position)
  }
}

extension NoiseShapingInfo {
  /// Moves past `tns_data`, which is checked as `read` does.
  static func skip(_ reader: inout PacketBitReader, _ info: WindowInfo, maximumOrder: Int) throws(PacketFault) {
    let isShort = info.sequence == .eightShort
    for _ in 0..<info.sequence.windowCount {
      let count = reader.bits(isShort ? 1 : 2)
      guard count > 0 else { continue }
      let resolution = 3 + reader.bits(1)
      for _ in 0..<count {
        reader.skip(isShort ? 4 : 6)
        let order = reader.bits(isShort ? 3 : 5)
        guard order > 0 else { continue }
        guard order <= (isShort ? NoiseShaping.maximumShortOrder : maximumOrder) else {
          throw .invalid("tns_order", order)
        }
        reader.skip(1)
        let width = resolution - reader.bits(1)
        reader.skip(order * width)
      }
    }
    if reader.isOverrun { throw .truncated("tns_data") }
  }
}
