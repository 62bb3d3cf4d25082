/// Finds tones above the highest frequency that is coded, so that they are coded all the same.
///
/// At low rates, most of what is above would take bits from what is heard better. A tone is different: it takes only a
/// few lines, and the sound plainly changes without it. A band holds tones if most of its energy is in a few lines,
/// frame after frame: lines of noise are loud in one frame only, so that their means over time are all alike. Nor do
/// means fall each time the transform shows little of a tone, which depends on its phase. A tone that came and went
/// would be worse than none, so one that is kept weighs more than other sounds: otherwise the search would leave it out
/// of some frames.
final class HighTones {
  /// Bands that begin above it are not looked at, in Hz.
  private static let highestFrequency = 20_000
  /// The part of a mean that remains in the next frame: it reaches back some 100 ms at 44.1 kHz.
  private static let memory: Float = 0.8
  /// The flatness of a band with tones, when it begins to count and as long as it does. Means of noise have some -0.2,
  /// a single tone less than -3.
  private static let flatness: (first: Float, later: Float) = (-1.6, -1)
  /// The least energy relative to that of noise which would be masked there.
  private static let audibility: (first: Float, later: Float) = (1, 0.5)
  /// The factor of weights in a band with tones.
  private static let weight: Float = 3

  private let bands: BandTables
  private let offsets: [Int]
  /// Bands that are coded anyway.
  private let usual: Int
  /// Bands up to the highest one that holds tones, or those that are coded anyway.
  private(set) var bandCount: Int
  private var channels: [Channel]
  private var isFirst = true

  /// A channel above the bands that are coded anyway.
  private struct Channel {
    /// The mean energy of each line.
    var energies: [Float]
    /// That of each band, relative to noise that would be masked.
    var audibilities: [Float]
    var isTonal: [Bool]
  }

  init(bands: BandTables, channels: Int) {
    self.bands = bands
    let offsets = bands.long.offsets.map(Int.init)
    let end = offsets.dropLast().count { $0 * bands.sampleRate < HighTones.highestFrequency * 2048 }
    (self.offsets, usual, bandCount) = (offsets, bands.used[0].long, bands.used[0].long)
    let count = max(0, end - usual)
    let channel = Channel(
      energies: [Float](repeating: 0, count: offsets[usual + count] - offsets[usual]),
      audibilities: [Float](repeating: 0, count: count), isTonal: [Bool](repeating: false, count: count))
    self.channels = [Channel](repeating: channel, count: channels)
  }

  /// Follows the channels of a pair, or one, in a frame with one long window.
  func follow(_ inputs: [ChannelAnalysis]) {
    for (index, input) in inputs.enumerated() {
      average(input, in: &channels[index], memory: isFirst ? 0 : HighTones.memory)
      judge(&channels[index])
    }
    isFirst = false
    let last = channels.compactMap { $0.isTonal.lastIndex(of: true) }.max()
    bandCount = usual + (last ?? -1) + 1
  }

  /// Keeps the upper bands in which a channel has tones, and removes the lines of the others.
  func keepTones(of spectrum: ChannelSpectrum) {
    for band in usual..<bandCount {
      if channels.contains(where: { $0.isTonal[band - usual] }) {
        spectrum.weights[band] *= HighTones.weight
      } else {
        spectrum.lines.from(offsets[band]).update(repeating: 0, count: offsets[band + 1] - offsets[band])
      }
    }
  }

  private func average(_ input: ChannelAnalysis, in channel: inout Channel, memory: Float) {
    let (lines, first) = (input.lines, offsets[usual])
    for index in channel.energies.indices {
      let line = first + index
      // Above the last line there is nothing.
      let after = line + 1 < lines.count ? lines[line + 1] : 0
      let energy = SpectralFlatness.energy(lines[line], before: lines[line - 1], after: after)
      channel.energies[index] = memory * channel.energies[index] + (1 - memory) * energy
    }
    for index in channel.audibilities.indices {
      let band = usual + index
      let energy = lines.from(offsets[band]).energy(count: offsets[band + 1] - offsets[band])
      let weight = unsafe BandTables.weight(input.currentWeights.start, bands.longShares[band])
      channel.audibilities[index] = memory * channel.audibilities[index] + (1 - memory) * energy * weight
    }
  }

  private func judge(_ channel: inout Channel) {
    for index in channel.isTonal.indices {
      let first = offsets[usual]
      var flatness = SpectralFlatness()
      for line in offsets[usual + index] - first..<offsets[usual + index + 1] - first {
        flatness.add(channel.energies[line])
      }
      let isTonal = channel.isTonal[index]
      channel.isTonal[index] =
        flatness.value < (isTonal ? HighTones.flatness.later : HighTones.flatness.first)
        && channel.audibilities[index] > (isTonal ? HighTones.audibility.later : HighTones.audibility.first)
    }
  }
}
