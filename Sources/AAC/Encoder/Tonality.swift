/// How much less noise tones mask than noise does.
///
/// Noise is audible at a lower level beside a tone than beside noise of the same energy, because noise beside noise
/// fluctuates in the same way. So where the lines around a partition are tones, noise may have a quarter of what the
/// model gives it. `SpectralFlatness` tells tones from noise; partitions overlap, so here it is taken from running
/// sums.
final class Tonality {
  /// The part of the masked noise that remains beside a pure tone: 6 dB less.
  private static let leastShare: Float = 0.25
  /// How far below 0 the flatness is where tones begin, and from there to a pure one: noise has some 0.9, a tone in the
  /// middle of its neighbours 3.
  private static let noise: Float = 1.3
  private static let range: Float = 1.5
  /// Lines around a partition that are looked at, too: a partition may be a single line.
  private static let reach = 3
  /// The reduction applies in full up to the first frequency, in Hz, and not at all from the second on: there the ear
  /// does not tell tones apart.
  private static let frequencies = 3000.0...6000

  /// How many partitions have a value, from the first on.
  let count: Int
  private let firstLine: [Int]
  /// The part of the masked noise that goes beside a pure tone in each partition.
  private let most: [Float]
  /// The part of the masked noise that remains in each partition.
  let shares: AlignedMemory<Float>
  /// Sums of lines' energies and of their logarithms, up to each line.
  private let energies: AlignedMemory<Float>
  private let logarithms: AlignedMemory<Float>

  /// - Parameters:
  ///   - firstLine: where each partition begins, and where the last one ends.
  ///   - spacing: the distance of lines in Hz.
  init(firstLine: [Int], spacing: Double) {
    let (full, none) = (Tonality.frequencies.lowerBound, Tonality.frequencies.upperBound)
    let fade = firstLine.dropLast().map { Float(((none - Double($0) * spacing) / (none - full)).clamped(to: 0...1)) }
    count = fade.count { $0 > 0 }
    (self.firstLine, most) = (firstLine, fade.map { (1 - Tonality.leastShare) * $0 })
    shares = AlignedMemory(count)
    (energies, logarithms) = (AlignedMemory(firstLine[count] + 1), AlignedMemory(firstLine[count] + 1))
  }

  /// Finds the tones among the energies of lines.
  func measure(_ power: AlignedMemory<Float>) {
    addUp(power)
    // Sums up to each line, and one more; as many of the others as partitions. Lines are limited to those there are.
    let (energies, logarithms) = unsafe (energies.start, logarithms.start)
    let (shares, last) = unsafe (shares.pointer(at: 0, count: count), firstLine[count])
    for partition in 0..<count {
      let from = max(firstLine[partition] &- Tonality.reach, 0)
      let end = min(firstLine[partition &+ 1] &+ Tonality.reach, last)
      let perLine = 1 / Float(end &- from)
      let mean = unsafe SpectralFlatness.logarithm((energies[end] - energies[from]) * perLine)
      let difference = unsafe mean - (logarithms[end] - logarithms[from]) * perLine
      let tone = ((difference - Tonality.noise) / Tonality.range).clamped(to: 0...1)
      unsafe shares[partition] = 1 - most[partition] * tone
    }
  }

  private func addUp(_ power: AlignedMemory<Float>) {
    let lines = unsafe power.pointer(at: 0, count: firstLine[count])
    // One more than lines.
    let (energies, logarithms) = unsafe (energies.start, logarithms.start)
    var (energy, logarithm): (Float, Float) = (0, 0)
    var line = 0
    while line < firstLine[count] {
      let x = unsafe lines[line] + 1
      energy += x
      logarithm += SpectralFlatness.logarithm(x)
      line &+= 1
      unsafe (energies[line], logarithms[line]) = (energy, logarithm)
    }
  }
}
