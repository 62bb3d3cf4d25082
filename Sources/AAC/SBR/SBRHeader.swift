/// The settings of an SBR layer, which it sends once in a while; they hold until it sends others.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8, table 4.63 (sbr_header).
struct SBRHeader {
  /// The fields that frequency bands follow from: when one of them changes, the tool starts anew.
  struct Spectrum: Equatable {
    /// `bs_start_freq`: where the master table begins, 0 to 15.
    var start = 0
    /// `bs_stop_freq`: where it ends, 0 to 15.
    var stop = 0
    /// `bs_xover_band`: the band of the master table where SBR takes over from the core, 0 to 7.
    var crossover = 0
    /// `bs_freq_scale`: 0 for bands of equal width, otherwise 12, 10 or 8 of them an octave.
    var scale = 2
    /// `bs_alter_scale`: wider bands at the top.
    var isAltered = true
    /// `bs_noise_bands`: noise bands an octave, 0 to 3.
    var noiseBands = 2
  }

  var spectrum = Spectrum()
  /// `bs_amp_res`: levels in steps of 3 dB, not 1.5.
  var isCoarse = false
  /// `bs_limiter_bands`: 0 for one band, 1 to 3 for 1.2, 2 or 3 of them an octave.
  var limiterBands = 2
  /// `bs_limiter_gains`: 0 to 3 for at most -3, 0, 3 dB above the average gain, or any.
  var limiterGain = 2
  /// `bs_interpol_freq`: energies are measured in each subband, not in each band.
  var isInterpolated = true
  /// `bs_smoothing_mode` 0: gains change over four slots, not at once.
  var isSmoothed = false

  /// The settings that hold where a header sends no others.
  init() {}

  /// Reads a header.
  init(_ reader: inout PacketBitReader) {
    isCoarse = reader.flag()
    (spectrum.start, spectrum.stop, spectrum.crossover) = (reader.bits(4), reader.bits(4), reader.bits(3))
    reader.skip(2)
    let (hasSpectrum, hasLimiter) = (reader.flag(), reader.flag())
    if hasSpectrum {
      (spectrum.scale, spectrum.isAltered, spectrum.noiseBands) = (reader.bits(2), reader.flag(), reader.bits(2))
    }
    if hasLimiter {
      (limiterBands, limiterGain) = (reader.bits(2), reader.bits(2))
      (isInterpolated, isSmoothed) = (reader.flag(), !reader.flag())
    }
  }

  /// Writes a header, all of it.
  func write(to bits: inout PacketBitWriter) {
    bits.append(isCoarse ? 1 : 0, 1)
    bits.append(spectrum.start, 4)
    bits.append(spectrum.stop, 4)
    bits.append(spectrum.crossover, 3)
    bits.append(0, 2)
    bits.append(3, 2)
    bits.append(spectrum.scale, 2)
    bits.append(spectrum.isAltered ? 1 : 0, 1)
    bits.append(spectrum.noiseBands, 2)
    bits.append(limiterBands, 2)
    bits.append(limiterGain, 2)
    bits.append(isInterpolated ? 1 : 0, 1)
    bits.append(isSmoothed ? 0 : 1, 1)
  }
}
