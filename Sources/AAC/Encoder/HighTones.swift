/// Finds tones above the highest frequency that is coded, so that they are coded all the same.
///
/// At low rates, most of what is above would take bits from what is heard better. Not so a loud tone: it takes a few lines,
/// and without it the sound is plainly another. A band holds tones if the energy of its lines is in few of them, frame
/// after frame: of noise, single lines are loud in one frame only, so that their means over time are all alike. Means also
/// do not fall each time the transform shows little of a tone, which depends on its phase: a tone that came and went would
/// be worse than none.
final class HighTones {
  /// Bands that begin above it are not looked at, in Hz.
  private static let highestFrequency = 20_000
  /// The part of a mean that remains in the next frame: it reaches back some 100 ms at 44.1 kHz.
  private static let memory: Float = 0.8
  /// The flatness of a band with tones, when it begins to count and as long as it does. Means of noise have some -0.2, a
  /// single tone less than -3.
  private static let flatness: (first: Float, later: Float) = (-1.6, -1)
  /// How loud it is relative to all lines that are coded: 40 dB below them, later 46.
  private static let loudness: (first: Float, later: Float) = (1e-4, 0.25e-4)

  private let offsets: [Int]
  /// Bands that are coded anyway.
  private let usual: Int
  /// Bands up to the highest one that holds tones, or those that are coded anyway.
  private(set) var bandCount: Int
  private var channels: [Channel]
  private var isFirst = true

  private struct Channel {
    /// The mean energy of all lines that are coded anyway.
    var total: Float = 0
    /// That of each line above, and whether each band above holds tones.
    var means: [Float]
    var isTonal: [Bool]
  }

  init(bands: BandTables, channels: Int) {
    let offsets = bands.long.offsets.map(Int.init)
    let end = offsets.dropLast().count { $0 * bands.sampleRate < HighTones.highestFrequency * 2048 }
    (self.offsets, usual, bandCount) = (offsets, bands.usedLong, bands.usedLong)
    let bandsAbove = max(0, end - usual)
    let channel = Channel(
      means: [Float](repeating: 0, count: offsets[usual + bandsAbove] - offsets[usual]),
      isTonal: [Bool](repeating: false, count: bandsAbove))
    self.channels = [Channel](repeating: channel, count: channels)
  }

  /// Follows the lines of the channels of a pair, or of one, in a frame with one long window.
  func follow(_ inputs: [ChannelAnalysis]) {
    for (index, input) in inputs.enumerated() {
      average(input.lines, in: &channels[index], memory: isFirst ? 0 : HighTones.memory)
      judge(&channels[index])
    }
    isFirst = false
    let last = channels.compactMap { $0.isTonal.lastIndex(of: true) }.max()
    bandCount = usual + (last ?? -1) + 1
  }

  /// Removes the lines of the bands above in which no channel has tones.
  func keep(_ lines: AlignedMemory<Float>) {
    for band in usual..<bandCount where !channels.contains(where: { $0.isTonal[band - usual] }) {
      lines.from(offsets[band]).update(repeating: 0, count: offsets[band + 1] - offsets[band])
    }
  }

  private func average(_ lines: AlignedMemory<Float>, in channel: inout Channel, memory: Float) {
    let first = offsets[usual]
    var total: Float = 0
    for line in 0..<first { total += lines[line] * lines[line] }
    channel.total = memory * channel.total + (1 - memory) * total
    for index in channel.means.indices {
      let line = first + index
      // Above the last line there is nothing.
      let after = line + 1 < lines.count ? lines[line + 1] : 0
      let energy = SpectralFlatness.energy(lines[line], before: lines[line - 1], after: after)
      channel.means[index] = memory * channel.means[index] + (1 - memory) * energy
    }
  }

  private func judge(_ channel: inout Channel) {
    for band in channel.isTonal.indices {
      let lines = offsets[usual + band] - offsets[usual]..<offsets[usual + band + 1] - offsets[usual]
      var flatness = SpectralFlatness()
      for line in lines { flatness.add(channel.means[line]) }
      let isTonal = channel.isTonal[band]
      channel.isTonal[band] =
        flatness.value < (isTonal ? HighTones.flatness.later : HighTones.flatness.first)
        && flatness.energy > channel.total * (isTonal ? HighTones.loudness.later : HighTones.loudness.first)
    }
  }
}
