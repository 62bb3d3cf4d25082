/// Loudspeakers, by their bits in the mask of a `ChannelLayout`.
///
/// Source: `dwChannelMask` of WAVEFORMATEXTENSIBLE.
package enum Loudspeaker {
  /// Front left.
  package static let left: UInt32 = 0x1
  /// Front right.
  package static let right: UInt32 = 0x2
  /// Front centre.
  package static let center: UInt32 = 0x4
  /// Low frequencies.
  package static let lowFrequency: UInt32 = 0x8
  /// Back left.
  package static let backLeft: UInt32 = 0x10
  /// Back right.
  package static let backRight: UInt32 = 0x20
  /// Between the front left one and the centre.
  package static let leftOfCenter: UInt32 = 0x40
  /// Between the front right one and the centre.
  package static let rightOfCenter: UInt32 = 0x80
  /// Back centre.
  package static let backCenter: UInt32 = 0x100
  /// At the left side.
  package static let sideLeft: UInt32 = 0x200
  /// At the right side.
  package static let sideRight: UInt32 = 0x400
  /// Front left, above the listener.
  package static let topFrontLeft: UInt32 = 0x1000
  /// Front right, above the listener.
  package static let topFrontRight: UInt32 = 0x4000
}
