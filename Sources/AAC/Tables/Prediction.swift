/// Constants of the two predictors: AAC Main's, line by line from the two previous frames, and LTP's, from earlier
/// samples.
///
/// Source: ISO/IEC 14496-3, 4.6.6 and 4.6.7.
enum Prediction {
  /// Bands that AAC Main predicts, by sampling frequency index.
  static let maximumBands: [Int] = [33, 33, 38, 40, 40, 40, 41, 41, 37, 37, 37, 34, 34]
  /// Number of lines that have a predictor: no rate's bands go beyond.
  static let maximumLines = 672
  /// The decay of an estimate.
  static let alpha: Float = 0.90625
  /// The attenuation of the lattice.
  static let attenuation: Float = 0.953125
  /// Predictors are reset in turn, one of this many groups at a time.
  static let resetGroups = 30

  /// Gains of the long-term predictor.
  static let longTermGains: [Float] = [
    0.570829, 0.696616, 0.813004, 0.911304, 0.9849, 1.067894, 1.194601, 1.369533,
  ]
  /// Bands that the long-term predictor works on.
  static let maximumLongTermBands = 40
}
