#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// How much noise the sound of a frame masks.
///
/// The ear sums energy over critical bands (a Bark each), and a tone also stimulates the neighbouring bands, less with
/// distance: 27 dB per Bark below it, some 10 above. Noise that stays 4 to 9 dB below this spread energy (up to 6 dB
/// more beside tones, see `Tonality`), or below the threshold in quiet, is hardly heard. The search for scalefactors
/// needs the reciprocal: how much a unit of noise energy in a line counts, summed over quarters of a Bark.
///
/// Source of the model: ITU-R BS.1387, 2.1 (excitation, threshold in quiet) and 4.3 (noise-to-mask ratio).
final class MaskingModel {
  /// Energy of a sine of full scale, summed over the lines it excites, in spectra of 16-bit samples.
  private static let fullScale = exp2(50.0) / 1.5
  /// The assumed playback level of such a sine, in dB.
  private static let fullScaleLevel = 92.0
  /// Width of the bands in which noise is judged, in Bark.
  static let judgedWidth = 0.25

  /// How much less noise is masked than in the loudest partition where `favourLoud` changes nothing: 40 dB, as a
  /// difference of bit patterns of floats.
  private static let unchanged = Int32(4 * log2(10.0) * 0x1p23)

  /// Number of lines in a spectrum.
  let lineCount: Int
  /// Number of partitions: quarters of a Bark, or single lines where these are wider.
  let partitionCount: Int
  private let firstLine: [Int]
  /// The part of a neighbour's energy that reaches a partition, from below and from above.
  private let decayUp: AlignedMemory<Float>
  private let decayDown: AlignedMemory<Float>
  /// Scales a partition's energy to what spreads from it over a judged band.
  private let spread: AlignedMemory<Float>
  /// The part of the spread energy that noise may have without being heard: 4 to 9 dB below it.
  private let offset: AlignedMemory<Float>
  private let quiet: AlignedMemory<Float>
  private let power: AlignedMemory<Float>
  private let energy: AlignedMemory<Float>
  private let excitation: AlignedMemory<Float>
  /// Only for long windows; short ones cannot tell tones apart.
  private let tonality: Tonality?

  init(sampleRate: Int, lineCount: Int) {
    self.lineCount = lineCount
    let spacing = Double(sampleRate) / 2 / Double(lineCount)
    var first = [0]
    for line in 1..<lineCount
    where
      MaskingModel.bark(Double(line) * spacing) - MaskingModel.bark(Double(first[first.count - 1]) * spacing)
      >= MaskingModel.judgedWidth
    {
      first.append(line)
    }
    firstLine = first + [lineCount]
    partitionCount = first.count
    let count = first.count
    decayUp = AlignedMemory(count)
    decayDown = AlignedMemory(count)
    spread = AlignedMemory(count)
    offset = AlignedMemory(count)
    quiet = AlignedMemory(count)
    power = AlignedMemory(lineCount + 8)
    energy = AlignedMemory(count)
    excitation = AlignedMemory(count)
    tonality = lineCount == 1024 ? Tonality(firstLine: firstLine, spacing: spacing) : nil
    fillTables(spacing)
  }

  private func fillTables(_ spacing: Double) {
    // Short windows hold an eighth of the sound, and their transform is scaled down by another eighth.
    let energyScale = Double((1024 / lineCount) * (1024 / lineCount))
    for p in 0..<partitionCount {
      let (low, high) = (Double(firstLine[p]) * spacing, Double(firstLine[p + 1]) * spacing)
      let centre = max((low + high) / 2, 20)
      let width = MaskingModel.bark(high) - MaskingModel.bark(low)
      let up = 10 + 230 / centre
      let area = 10 / 2.302585 * (1 / 27 + 1 / up)
      // A partition wider than a judged band spreads its energy over several of them already.
      spread[p] = Float(min(MaskingModel.judgedWidth / area, MaskingModel.judgedWidth / width))
      let next = p + 1 < partitionCount ? Double(firstLine[p + 1] + firstLine[p + 2]) / 2 * spacing : high
      let distance = MaskingModel.bark(next) - MaskingModel.bark(centre)
      if p + 1 < partitionCount { decayUp[p + 1] = Float(pow(10, -up * distance / 10)) }
      decayDown[p] = Float(pow(10, -27 * distance / 10))
      let z = MaskingModel.bark(centre)
      offset[p] = Float(pow(10, -((z <= 12 ? 3 : 0.25 * z) + MaskingModel.tilt(centre)) / 10))
      let level = pow(10, (MaskingModel.quietLevel(centre) - MaskingModel.fullScaleLevel) / 10)
      quiet[p] = Float(level * MaskingModel.fullScale / energyScale)
    }
  }

  /// How much less noise than by the model there may be at low frequencies, in dB: 6 up to 400 Hz, 2 from 1 to 1.5 kHz,
  /// none from 3.7 kHz on. Voices and strings, whose harmonics the ear tells apart there, need less noise than one that
  /// hears bands alone would allow; and so few lines take few bits.
  private static func tilt(_ frequency: Double) -> Double {
    2 * ((17 - bark(frequency)) / 6).clamped(to: 0...1) + 4 * ((1000 - frequency) / 600).clamped(to: 0...1)
  }

  /// Hz to Bark. Source: ITU-R BS.1387, 2.1.4 (after Schroeder).
  static func bark(_ frequency: Double) -> Double { 7 * asinh(frequency / 650) }

  /// The threshold in quiet in dB. Source: ITU-R BS.1387, 2.1.3 (after Terhardt).
  private static func quietLevel(_ frequency: Double) -> Double {
    let kHz = frequency / 1000
    let level = 3.64 * pow(kHz, -0.8) - 6.5 * exp(-0.6 * (kHz - 3.3) * (kHz - 3.3)) + 1e-3 * pow(kHz, 4)
    return min(level, 90)
  }

  /// The weight of noise in each partition: the reciprocal of the masked noise in a judged band.
  ///
  /// All tables have a value for each partition, and partitions together are the lines.
  func weights(of lines: MemoryPart<Float>, to weights: MemoryPart<Float>) {
    measurePower(lines)
    sumPartitions()
    tonality?.measure(power)
    // Taken here, as the compiler cannot know that writing partitions does not change them.
    let (count, weights) = unsafe (partitionCount, weights.pointer(count: partitionCount))
    let (energy, excitation) = unsafe (energy.start, excitation.start)
    let (decayUp, decayDown) = unsafe (decayUp.start, decayDown.start)
    var carried: Float = 0
    var p = 0
    while p < count {
      // Nothing is carried to the first one.
      unsafe carried = carried * decayUp[p] + energy[p]
      unsafe excitation[p] = carried
      p &+= 1
    }
    carried = 0
    let (share, offset, quiet) = unsafe (Float(lineCount) / 1024, offset.start, quiet.start)
    p = count &- 1
    while p >= 0 {
      // The rising sum already includes the partition's own energy.
      unsafe carried *= decayDown[p]
      unsafe weights[p] = (excitation[p] + carried) * offset[p]
      unsafe carried += energy[p]
      p &-= 1
    }
    if let tonality { for p in 0..<tonality.count { unsafe weights[p] *= tonality.shares[p] } }
    for p in 0..<count { unsafe weights[p] = share / (weights[p] + quiet[p]) }
  }

  /// Lowers the weights of soft partitions and raises those of loud ones, so that each is the reciprocal of the masked
  /// noise to the power of 13/14.
  ///
  /// Noise that exceeds what is masked by the same ratio is heard less in a soft part of the spectrum than in a loud
  /// one. Where `unchanged` less noise is masked than in the loudest partition, a weight stays as it is: so about as many
  /// bits are worth their price as with the weights before.
  static func favourLoud(_ weights: MemoryPart<Float>, count: Int) {
    let weights = unsafe weights.pointer(count: count)
    // The bit pattern of a positive float, taken as a number, is its logarithm to a twelfth.
    var least = Int32.max
    for p in 0..<count { least = unsafe min(least, Int32(bitPattern: weights[p].bitPattern)) }
    let middle = least &+ unchanged
    for p in 0..<count {
      let logarithm = unsafe Int32(bitPattern: weights[p].bitPattern)
      unsafe weights[p] = Float(bitPattern: UInt32(bitPattern: logarithm &- (logarithm &- middle) / 14))
    }
  }

  /// Adds up the power of each partition's lines.
  private func sumPartitions() {
    let (power, energy, spread) = unsafe (power.start, energy.start, spread.start)
    var line = 0
    for p in 0..<partitionCount {
      let end = firstLine[p + 1]
      // Four sums, as each addition waits for the one before it.
      var (sum0, sum1, sum2, sum3): (Float, Float, Float, Float) = (0, 0, 0, 0)
      while line &+ 4 <= end {
        unsafe (sum0, sum1) = (sum0 + power[line], sum1 + power[line &+ 1])
        unsafe (sum2, sum3) = (sum2 + power[line &+ 2], sum3 + power[line &+ 3])
        line &+= 4
      }
      while line < end {
        unsafe sum0 += power[line]
        line &+= 1
      }
      unsafe energy[p] = (sum0 + sum1 + sum2 + sum3) * spread[p]
    }
  }

  /// Energies of lines, freed of most of the influence of a tone's phase: with the difference of a line's neighbours,
  /// which approximates a sine transform at that line.
  private func measurePower(_ lines: MemoryPart<Float>) {
    // As many lines as powers; those at both ends lack a neighbour.
    let (lines, power) = unsafe (lines.pointer(count: lineCount), power.pointer(at: 0, count: lineCount))
    unsafe power[0] = lines[0] * lines[0] + lines[1] * lines[1]
    var k = 1
    while k < lineCount - 1 {
      let difference = unsafe lines[k &+ 1] - lines[k &- 1]
      unsafe power[k] = 0.5 * (lines[k] * lines[k] + difference * difference)
      k &+= 1
    }
    unsafe power[lineCount - 1] = lines[lineCount - 1] * lines[lineCount - 1]
  }

  /// Which partitions a range of lines is in, and what part of the lines is in each.
  func shares(of lines: Range<Int>) -> [(partition: Int, part: Float)] {
    (0..<partitionCount).compactMap { p in
      let common = lines.clamped(to: firstLine[p]..<firstLine[p + 1]).count
      return common == 0 ? nil : (p, Float(common) / Float(lines.count))
    }
  }
}
