// individual_channel_stream(): ISO/IEC 14496-3, 4.4.2.7, table 4.50, and the tables it refers to.
extension ChannelStream {
  /// Reads a channel's side information and its spectrum.
  ///
  /// - Parameter shared: the division into windows, if two channels share one.
  func read(
    _ reader: inout PacketBitReader, _ tables: StreamTables, _ spectral: SpectralReader, _ noise: inout NoiseSource,
    shared: WindowInfo?
  ) throws(PacketFault) {
    let globalGain = reader.bits(8)
    if let shared { info = shared } else { info = try WindowInfo(&reader, tables) }
    try readSections(&reader)
    try readScalefactors(&reader, globalGain: globalGain, spectral)
    let pulses = reader.flag() ? try PulseInfo(&reader, info) : nil
    noiseShaping = NoiseShapingInfo()
    if reader.flag() { try noiseShaping.read(&reader, info, maximumOrder: tables.maximumOrder) }
    if reader.flag() { throw .invalid("gain_control_data_present", 1) }
    try readSpectrum(&reader, spectral, &noise)
    if let pulses { pulses.apply(to: self) }
  }

  /// Which codebook each band uses: runs of bands, given by length and number.
  func readSections(_ reader: inout PacketBitReader) throws(PacketFault) {
    let width = info.sequence == .eightShort ? 3 : 5
    let escape = 1 << width - 1
    hasIntensity = false
    for group in 0..<info.groups {
      var band = 0
      while band < info.codedBands {
        let codebook = reader.bits(4)
        if codebook == Codebook.reserved { throw .invalid("sect_cb", codebook) }
        if codebook >= Codebook.intensityOutOfPhase { hasIntensity = true }
        var (length, part) = (0, 0)
        repeat {
          part = reader.bits(width)
          length += part
        } while part == escape && length <= info.codedBands
        // Zeros after the end would never stop: sections of length 0.
        if reader.isOverrun { throw .truncated("section_data") }
        guard length <= info.codedBands - band else { throw .invalid("sect_len", length) }
        let books = unsafe codebooks.pointer(at: group * info.bandStride + band, count: length)
        for index in 0..<length { unsafe books[index] = UInt8(truncatingIfNeeded: codebook) }
        band += length
      }
    }
  }

  /// Sums that are carried from band to band: only differences are sent.
  private struct Running {
    var scalefactor: Int
    var noise: Int
    var intensity = 0
    /// The first noise energy is not a difference.
    var hasNoise = false
  }

  /// As below, the cache is within the packet before each group, of which at most 51 differences of 19 bits follow.
  private func readScalefactors(
    _ reader: inout PacketBitReader, globalGain: Int, _ spectral: SpectralReader
  ) throws(PacketFault) {
    var cache = unsafe BitCache(reader)
    var running = Running(scalefactor: globalGain, noise: globalGain - Quantisation.noiseOffset)
    for group in 0..<info.groups {
      // The group's bands, which all loops over `codedBands` stay in.
      let (first, count) = (group * info.bandStride, info.codedBands)
      let books = unsafe codebooks.pointer(at: first, count: count)
      let gains = unsafe gains.pointer(at: first, count: count)
      for band in 0..<count {
        unsafe cache.refill()
        switch unsafe Int(books[band]) {
        case Codebook.zero: unsafe gains[band] = 0
        case Codebook.noise: unsafe gains[band] = readNoise(&cache, &running, spectral)
        case Codebook.intensity, Codebook.intensityOutOfPhase:
          running.intensity += spectral.scalefactorDifference(&cache)
          unsafe gains[band] = spectral.tables.gain(quarters: -min(max(running.intensity, -255), 255))
        default:
          running.scalefactor += spectral.scalefactorDifference(&cache)
          guard running.scalefactor & ~Quantisation.largestScalefactor == 0 else {
            throw .invalid("scalefactor", running.scalefactor)
          }
          unsafe gains[band] = spectral.tables.gain(quarters: running.scalefactor - Quantisation.scalefactorOffset)
        }
      }
      if cache.position(in: reader) > reader.count { throw .truncated("scale_factor_data") }
    }
    reader.skip(cache.position(in: reader) - reader.position)
  }

  @inline(__always)
  private func readNoise(_ cache: inout BitCache, _ running: inout Running, _ spectral: SpectralReader) -> Float {
    if running.hasNoise {
      running.noise += spectral.scalefactorDifference(&cache)
    } else {
      running.noise += Int(cache.bits &>> (64 - 9)) - Quantisation.noiseStartOffset
      cache.consume(9)
      running.hasNoise = true
    }
    return spectral.tables.gain(quarters: min(max(running.noise, -255), 255))
  }

  /// Bands are stored group by group; in a group, band by band, each for all its windows.
  ///
  /// The cache stays in this function, which the reader outlives, and is within the packet before each band: it begins
  /// there, and is checked after each.
  private func readSpectrum(
    _ reader: inout PacketBitReader, _ spectral: SpectralReader, _ noise: inout NoiseSource
  ) throws(PacketFault) {
    let spectrum = spectrum
    spectrum.clear()
    var cache = unsafe BitCache(reader)
    var window = 0
    for group in 0..<info.groups {
      let length = Int(info.groupLengths[group])
      let (side, bands) = (group * info.bandStride, info.codedBands)
      let books = unsafe codebooks.pointer(at: side, count: bands)
      let gains = unsafe gains.pointer(at: side, count: bands)
      for band in 0..<bands {
        let (codebook, gain) = unsafe (Int(books[band]), gains[band])
        if codebook == Codebook.zero || codebook > Codebook.noise { continue }
        let (start, count) = info.bands.lines(band)
        for member in window..<(window + length) {
          let first = member * info.windowLength + start
          if codebook == Codebook.noise {
            noise.fill(spectrum, from: first, count: count, amplitude: gain)
            continue
          }
          let isWhole = unsafe spectral.read(&cache, book: codebook, gain: gain, lines: count, to: spectrum, at: first)
          if cache.position(in: reader) > reader.count { throw .truncated("spectral_data") }
          if !isWhole { throw .invalid("hcod_esc", 0) }
        }
      }
      window += length
    }
    reader.skip(cache.position(in: reader) - reader.position)
  }
}
