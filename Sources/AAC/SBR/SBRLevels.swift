#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The levels of a channel's frame as energies, for each envelope and band.
///
/// Source: ISO/IEC 14496-3, 4.6.18.3.5.
struct SBRLevels {
  /// Energies by envelope and band, `SBRChannel.room` for each envelope.
  private(set) var energies: [Float]
  /// Energies of noise, relative to the sound, by noise floor and band, `SBRChannel.noiseRoom` for each.
  private(set) var noise: [Float]

  /// The levels of a channel on its own.
  init(_ channel: SBRChannel, _ bands: SBRBands) {
    self.init()
    let steps: Float = channel.isCoarse ? 1 : 0.5
    SBRLevels.forEachLevel(channel, bands) { to, from in
      energies[to] = SBRLevels.energy(Float(channel.levels[from]) * steps + 6)
    }
    SBRLevels.forEachNoise(channel, bands) { to, from in noise[to] = exp2(Float(6 - channel.noiseLevels[from])) }
  }

  /// The levels of a coupled pair: the left channel has twice the average of both, the right one the balance.
  static func coupled(_ left: SBRChannel, _ right: SBRChannel, _ bands: SBRBands) -> [SBRLevels] {
    var levels = [SBRLevels(), SBRLevels()]
    let (steps, centre): (Float, Float) = left.isCoarse ? (1, 12) : (0.5, 24)
    forEachLevel(left, bands) { to, from in
      let sum = energy(Float(left.levels[from]) * steps + 7)
      let ratio = exp2((centre - Float(right.levels[from])) * steps)
      (levels[0].energies[to], levels[1].energies[to]) = (sum / (1 + ratio), sum / (1 + ratio) * ratio)
    }
    forEachNoise(left, bands) { to, from in
      let sum = exp2(Float(7 - left.noiseLevels[from]))
      let ratio = exp2(Float(12 - right.noiseLevels[from]))
      (levels[0].noise[to], levels[1].noise[to]) = (sum / (1 + ratio), sum / (1 + ratio) * ratio)
    }
    return levels
  }

  /// A power of two. A value that only damaged data can have becomes 1, because its square would be infinite.
  private static func energy(_ exponent: Float) -> Float {
    let energy = exp2(exponent)
    return energy > 1e20 ? 1 : energy
  }

  private init() {
    energies = [Float](repeating: 0, count: SBRTimeGrid.maximum * SBRChannel.room)
    noise = [Float](repeating: 0, count: 2 * SBRChannel.noiseRoom)
  }

  /// Calls the closure with the index of each energy, and that of the channel's level, which has a row before.
  private static func forEachLevel(_ channel: SBRChannel, _ bands: SBRBands, _ body: (Int, Int) -> Void) {
    for (envelope, isHigh) in channel.grid.isHigh.enumerated() {
      for band in 0..<(bands.bands(isHigh: isHigh).count - 1) {
        let index = envelope * SBRChannel.room + band
        body(index, index + SBRChannel.room)
      }
    }
  }

  private static func forEachNoise(_ channel: SBRChannel, _ bands: SBRBands, _ body: (Int, Int) -> Void) {
    for floor in 0..<channel.grid.noiseCount {
      for band in 0..<(bands.noise.count - 1) {
        let index = floor * SBRChannel.noiseRoom + band
        body(index, index + SBRChannel.noiseRoom)
      }
    }
  }
}
