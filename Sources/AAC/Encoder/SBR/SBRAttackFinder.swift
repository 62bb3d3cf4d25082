/// Finds attacks in the high band of a channel, which decide where its envelopes begin.
struct SBRAttackFinder {
  /// Time slots that an attack is compared with: those before it.
  private static let memory = 6
  /// The increase in energy that makes an attack.
  private static let ratio: Float = 4
  /// Energy of a subband's samples below which nothing is an attack.
  private static let floor: Float = 4000

  /// Energies of the time slots: the last ones of the frame before, and those of this one.
  private var energies = [Float](repeating: 0, count: memory + SBRTimeGrid.slots)

  /// - Parameters:
  ///   - subbands: of the frame.
  ///   - bands: what SBR describes.
  /// - Returns: the time slot with the first attack, and how strong it is; `nil` if there is none.
  mutating func find(_ subbands: SubbandSamples, _ bands: SBRBands) -> (slot: Int, strength: Float)? {
    let memory = SBRAttackFinder.memory
    for slot in 0..<memory { energies[slot] = energies[SBRTimeGrid.slots + slot] }
    for slot in 0..<SBRTimeGrid.slots {
      var sum: Float = 0
      for band in bands.first..<(bands.first + bands.count) {
        unsafe sum += subbands.row(band).energy(2 * slot..<2 * slot + 2)
      }
      energies[memory + slot] = sum
    }
    let least = SBRAttackFinder.floor * Float(bands.count)
    for slot in 0..<SBRTimeGrid.slots {
      let before = energies[slot..<slot + memory].reduce(0, +) / Float(memory)
      let energy = energies[memory + slot]
      if energy > least, energy > SBRAttackFinder.ratio * before { return (slot, energy / (before + 1)) }
    }
    return nil
  }
}
