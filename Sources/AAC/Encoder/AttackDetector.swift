#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Finds attacks: sudden sounds, before which a long window would spread its noise where nothing masks it.
///
/// The sound is high-passed, as attacks are broadband and lasting tones mostly low, and its energy in blocks of 128
/// samples, one for each short window, is compared with that of earlier blocks. A sound that swells out of a gap
/// within some 15 ms is an attack too: it masks what comes only a few milliseconds before it.
struct AttackDetector {
  /// Samples per block.
  static let blockLength = 128
  /// The increase in energy that makes an attack.
  let ratio: Float
  /// The part of the average that remains in the next block: it falls by half a decibel a millisecond, about as fast as
  /// what a sound masks after its end.
  private let memory: Float
  /// `ratio` where windows are as short as at 32 kHz or more.
  private static let usualRatio: Float = 20
  /// Energy of a block, in 16-bit units, below which nothing is an attack: ten units in every sample.
  private static let floor = Float(blockLength) * 100
  /// The part of a block's energy that the average has at least, so that an attack that lasts several blocks is one
  /// attack: to be another, the next block must usually have six times as much.
  private static let leastShare: Float = 0.3

  /// How many blocks back the gap lies out of which a sound swells.
  private static let gap = 4..<7
  /// How many times the energy of each block of the gap makes an attack.
  private static let swell: Float = 30

  private var average: Float = 0
  /// The energies of the last blocks, the newest first. Infinite before the first block, so that no gap is seen there.
  private var earlier = [Float](repeating: .infinity, count: AttackDetector.gap.upperBound)
  /// Blocks since the last attack began, counted as far back as the gap reaches.
  private var age = AttackDetector.gap.upperBound

  /// - Parameter sampleRate: in Hz. At low rates a window lasts longer, and would spread the noise of weaker attacks,
  ///   too, where it is heard. Blocks also last longer, and a short attack is a smaller part of one.
  init(sampleRate: Int) {
    ratio = AttackDetector.usualRatio * min(Float(sampleRate) / 32_000, 1)
    memory = powf(0.7, 44_100 / Float(sampleRate))
  }

  /// Analyses 1024 new samples.
  ///
  /// - Parameters:
  ///   - samples: also read from two samples before the first one.
  ///   - energies: where the energy of each block goes.
  ///   - firstBlock: the first of the eight blocks in which an attack counts.
  /// - Returns: whether there is an attack.
  mutating func scan(_ samples: MemoryPart<Float>, energies: MemoryPart<Float>, from firstBlock: Int) -> Bool {
    var found = false
    for block in 0..<8 {
      let energy = AttackDetector.energy(samples + block * AttackDetector.blockLength)
      energies.memory[energies.index + block] = energy
      if energy > AttackDetector.floor, energy > ratio * average || swells(to: energy) {
        if block >= firstBlock { found = true }
        age = 0
      }
      average = max(memory * average + (1 - memory) * energy, energy * AttackDetector.leastShare)
      earlier.removeLast()
      earlier.insert(energy, at: 0)
      age = min(age + 1, AttackDetector.gap.upperBound)
    }
    return found
  }

  /// Whether a sound that now has this energy came out of a gap, with no attack since.
  private func swells(to energy: Float) -> Bool {
    age >= AttackDetector.gap.upperBound
      && AttackDetector.gap.allSatisfy { energy > AttackDetector.swell * earlier[$0 - 1] }
  }

  /// Energy of the second difference, a high-pass with 12 dB per octave.
  private static func energy(_ samples: MemoryPart<Float>) -> Float {
    // Two samples more than the block has, before it.
    let start = unsafe (samples + -2).pointer(count: blockLength + 2) + 2
    var sum = SIMD8<Float>()
    var at = 0
    while at < blockLength {
      let source = unsafe UnsafeRawPointer(start + at)
      let x = unsafe source.loadUnaligned(as: SIMD8<Float>.self)
      let y = unsafe (source - 4).loadUnaligned(as: SIMD8<Float>.self)
      let z = unsafe (source - 8).loadUnaligned(as: SIMD8<Float>.self)
      let difference = (x - y) - (y - z)
      sum += difference * difference
      at &+= 8
    }
    return sum.total
  }
}
