internal import MediaCore

/// The loudspeakers of a packet's channels: their number determines them, and the order of its elements.
///
/// Source: Apple Lossless Audio Codec, channel layouts.
enum ALACChannels {
  /// The layout for one channel, two, and so on; with eight, the last two are left and right of the centre.
  static let layouts: [ChannelLayout] = [
    .mono, .stereo, ChannelLayout(channels: 3), ChannelLayout(channels: 4), ChannelLayout(channels: 5),
    .surround5Point1, ChannelLayout(channels: 7), ChannelLayout(channels: 8, mask: 0xFF),
  ]

  /// For one channel, two, and so on, the elements of a packet: what is written before each, and how many channels it
  /// has.
  static let elements: [[(tag: UInt32, channels: Int)]] = [
    [single],
    [pair],
    [single, pair],
    [single, pair, single],
    [single, pair, pair],
    [single, pair, pair, lowFrequency],
    [single, pair, pair, single, lowFrequency],
    [single, pair, pair, pair, lowFrequency],
  ]

  private static let single: (tag: UInt32, channels: Int) = (0, 1)
  private static let pair: (tag: UInt32, channels: Int) = (1, 2)
  private static let lowFrequency: (tag: UInt32, channels: Int) = (3, 1)
  /// The tag that is written after the last element.
  static let end: UInt32 = 7

  /// For as many channels, the position in a WAVE frame of each channel of a packet. A packet has the centre first,
  /// then pairs from front to back, then single ones.
  static let positions: [[Int]] = [
    [0],
    [0, 1],
    [2, 0, 1],
    [2, 0, 1, 3],
    [2, 0, 1, 3, 4],
    [2, 0, 1, 4, 5, 3],
    [2, 0, 1, 4, 5, 6, 3],
    [2, 6, 7, 0, 1, 4, 5, 3],
  ]
}
