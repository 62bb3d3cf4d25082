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

  /// For as many channels, the position in a WAVE frame of each channel of a packet. A packet has the centre first, then
  /// pairs from front to back, then single ones.
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
