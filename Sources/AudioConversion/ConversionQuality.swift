/// How good a conversion of the sampling rate is.
///
/// Nyquist means half of the lower of the two rates: what can be heard at both.
public enum ConversionQuality: Sendable, Hashable, CaseIterable {
  /// For files: images and aliases 120 dB below the sound or lower, from Nyquist on; flat within 0.01 dB up to 0.92 of
  /// Nyquist, which is 20.3 kHz at 44.1 kHz.
  case best
  /// For a device, at less than half the work and the delay: images and aliases 96 dB below the sound, which is what 16
  /// bits hold; flat within 0.05 dB up to 0.85 of Nyquist, which is 18.7 kHz at 44.1 kHz.
  case live

  /// How far the filter with the narrow transition lowers frequencies beyond Nyquist, in dB: as far as is promised, and
  /// a little further, because coefficients are rounded.
  var attenuation: Double {
    switch self {
    case .best: 126
    case .live: 98
    }
  }

  /// How far the other filters of a conversion in several stages lower them, in dB: so far that they add nothing to
  /// what the narrow one leaves. They have few taps, so it costs next to nothing.
  var wideAttenuation: Double { attenuation + 16 }

  /// The frequency up to which the response is flat, as a part of Nyquist.
  ///
  /// The best grade has the response of libsoxr at its default precision of 20 bits, measured through noise, so that
  /// the results of both can be compared up to the end: of white noise they differ by less than a thousandth.
  var passBand: Double {
    switch self {
    case .best: 0.925
    case .live: 0.85
    }
  }

  /// The frequency from which nothing is left, as a part of Nyquist.
  var stopBand: Double {
    switch self {
    case .best: 0.9985
    case .live: 1
    }
  }
}
