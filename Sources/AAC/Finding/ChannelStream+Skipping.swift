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
    try skipScalefactors(&reader, globalGain: globalGain, spectral)
    if reader.flag() { _ = try PulseInfo(&reader, info) }
    if reader.flag() { try NoiseShapingInfo.skip(&reader, info, maximumOrder: tables.maximumOrder) }
    if reader.flag() { throw .invalid("gain_control_data_present", 1) }
    try skipSpectrum(&reader, spectral)
  }

  /// As below, the cache is within the packet before each group, of which at most 51 differences of 19 bits follow.
  private func skipScalefactors(
    _ reader: inout PacketBitReader, globalGain: Int, _ spectral: SpectralReader
  ) throws(PacketFault) {
    var cache = unsafe BitCache(reader)
    var (scalefactor, hasNoise) = (globalGain, false)
    for group in 0..<info.groups {
      let books = unsafe codebooks.pointer(at: group * info.bandStride, count: info.codedBands)
      for band in 0..<info.codedBands {
        let codebook = unsafe Int(books[band])
        if codebook == Codebook.zero { continue }
        unsafe cache.refill()
        if codebook == Codebook.noise, !hasNoise {
          cache.consume(9)
          hasNoise = true
          continue
        }
        let difference = spectral.scalefactorDifference(&cache)
        guard codebook < Codebook.noise else { continue }
        scalefactor += difference
        guard scalefactor & ~Quantisation.largestScalefactor == 0 else { throw .invalid("scalefactor", scalefactor) }
      }
      if cache.position(in: reader) > reader.count { throw .truncated("scale_factor_data") }
    }
    reader.skip(cache.position(in: reader) - reader.position)
  }

  /// The cache stays in this function, which the reader outlives, and is within the packet before each piece: it begins
  /// there, and is checked after each.
  private func skipSpectrum(_ reader: inout PacketBitReader, _ spectral: SpectralReader) throws(PacketFault) {
    var cache = unsafe BitCache(reader)
    for group in 0..<info.groups {
      let length = Int(info.groupLengths[group])
      let books = unsafe codebooks.pointer(at: group * info.bandStride, count: info.codedBands)
      var band = 0
      while band < info.codedBands {
        // Bands of one book that follow one another are one row of code words.
        let codebook = unsafe Int(books[band])
        let first = band
        repeat { band += 1 } while unsafe band < info.codedBands && Int(books[band]) == codebook
        if codebook == Codebook.zero || codebook >= Codebook.noise { continue }
        var lines = (Int(info.bands.offsets[band]) - Int(info.bands.offsets[first])) * length
        while lines > 0 {
          let count = min(lines, PacketBitReader.longestBand)
          let isWhole = unsafe spectral.skip(&cache, book: codebook, lines: count)
          if cache.position(in: reader) > reader.count { throw .truncated("spectral_data") }
          if !isWhole { throw .invalid("hcod_esc", 0) }
          lines -= count
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
