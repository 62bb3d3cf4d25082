#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Describes the high band of one element, a channel or a pair, in the few numbers from which a decoder makes one of
/// copies of the low band: how loud each band is in each stretch of time, how noisy, and where these stretches begin.
///
/// Source: ISO/IEC 14496-3, 4.4.2.8 and 4.6.18.
final class SBREncoder {
  let inputs: [SBRInput]
  private let tools: SBREncoderTools
  private let header: SBRHeader
  private let bands: SBRBands
  private var finders: [SBRAttackFinder]
  private let estimators: [SBRNoiseEstimator]
  private var levels: [SBRLevelCoder]
  private var noise: [SBRLevelCoder]
  private let buffer = AlignedMemory<UInt8>(2048)
  /// Where the frame before ended, in time slots of this one.
  private var start = 0
  private var frames = 0

  /// Frames from one header to the next, where a decoder can begin: half a second at 44.1 kHz.
  private static let headerInterval = 10

  init(channels: Int, plan: SBRPlan, tools: SBREncoderTools) {
    self.tools = tools
    (header, bands) = (plan.header, plan.bands)
    inputs = (0..<channels).map { _ in SBRInput() }
    finders = (0..<channels).map { _ in SBRAttackFinder() }
    estimators = (0..<channels).map { _ in SBRNoiseEstimator(bands: plan.bands) }
    levels = (0..<channels).map { _ in SBRLevelCoder(highBands: plan.bands.high.count - 1) }
    noise = levels
  }

  /// Takes the samples that all inputs are full of.
  func take(cores: [ChannelAnalysis]) {
    for (input, core) in zip(inputs, cores) { input.take(tools, core: core) }
  }

  /// Describes the frame of the packet that is coded next.
  ///
  /// - Parameter limit: the number of bits above which the frame is described as simply as possible.
  /// - Returns: the bytes of extension_payload().
  func describe(limit: Int) -> [UInt8] {
    let estimates = zip(estimators, inputs).map { $0.estimate($1.current) }
    let hasHeader = frames % SBREncoder.headerInterval == 0
    frames += 1
    var plan = nextPlan()
    var frame = values(plan, estimates, standsAlone: hasHeader)
    if frame.bits > min(limit, SBREncoder.largestPayload) {
      plan = SBRFramePlan(simplestFrom: start)
      frame = values(plan, estimates, standsAlone: hasHeader)
    }
    start = plan.end - SBRTimeGrid.slots
    (levels, noise) = (frame.levels, frame.noise)
    var bits = PacketBitWriter(buffer)
    bits.append(RawDataBlock.replicationType, 4)
    bits.append(hasHeader ? 1 : 0, 1)
    if hasHeader { header.write(to: &bits) }
    write(frame.values, plan, estimates.map(\.harmonics), to: &bits)
    for channel in inputs.indices {
      levels[channel].keep()
      noise[channel].keep()
    }
    return bits.finish()
  }

  /// Bits of levels and noise that surely fit, with all else, in a fill element of 269 bytes.
  private static let largestPayload = 1800

  /// The values of a frame and how they are coded: of a pair, together or apart, whichever takes fewer bits.
  private func values(
    _ plan: SBRFramePlan, _ estimates: [SBRNoiseEstimator.Estimate], standsAlone: Bool
  ) -> Coded {
    let energies = zip(inputs, estimates).map { input, estimate in
      (0..<plan.count).map { envelope in measure(input.current, plan, envelope, estimate.harmonics) }
    }
    let isCoarse = header.isCoarse && !plan.isSingle
    let separate = code(
      SBRValues(separate: energies, estimates, plan, isCoarse: isCoarse), plan, isCoarse: isCoarse,
      standsAlone: standsAlone)
    guard inputs.count == 2 else { return separate }
    let coupled = code(
      SBRValues(coupled: energies, estimates, plan, isCoarse: isCoarse), plan, isCoarse: isCoarse,
      standsAlone: standsAlone)
    return coupled.bits < separate.bits ? coupled : separate
  }

  private typealias Coded = (values: SBRValues, levels: [SBRLevelCoder], noise: [SBRLevelCoder], bits: Int)

  /// Chooses how values are coded, and how many bits that takes.
  private func code(_ values: SBRValues, _ plan: SBRFramePlan, isCoarse: Bool, standsAlone: Bool) -> Coded {
    var (levels, noise, bits) = (self.levels, self.noise, 2 * values.inversion.joined().count)
    for channel in inputs.indices {
      let isBalance = values.isCoupled && channel == 1
      let unit = values.isCoupled ? 1 + channel : 0
      bits += levels[channel].plan(
        values.levels[channel], .levels(isCoarse: isCoarse, isBalance: isBalance), kind: 2 * unit + (isCoarse ? 1 : 0),
        standsAlone: standsAlone)
      bits += noise[channel].plan(
        values.noise[channel], .noise(isBalance: isBalance), kind: unit, standsAlone: standsAlone)
    }
    if !values.isCoupled, inputs.count == 2 { bits += plan.bits }
    return (values, levels, noise, bits)
  }

  private func nextPlan() -> SBRFramePlan {
    var attack: (slot: Int, strength: Float)?
    for channel in inputs.indices {
      guard let found = finders[channel].find(inputs[channel].current, bands) else { continue }
      if found.strength > attack?.strength ?? 0 { attack = found }
    }
    if let attack { return SBRFramePlan(start: start, attack: attack.slot) }
    return SBRFramePlan(start: start, isSplit: changes)
  }

  /// Whether the second half of the frame differs much from the first.
  private var changes: Bool {
    var (sum, count): (Float, Float) = (0, 0)
    for input in inputs {
      for (from, to) in zip(bands.low, bands.low.dropFirst()) {
        var (first, second): (Float, Float) = (1000, 1000)
        for band in from..<to {
          unsafe first += input.current.row(band).energy(0..<16)
          unsafe second += input.current.row(band).energy(16..<32)
        }
        sum += abs(log2f(first / second))
        count += 1
      }
    }
    return sum > SBREncoder.splitChange * count
  }

  /// Mean change of levels within a frame, in steps of 3 dB, above which it has two envelopes.
  private static let splitChange: Float = 0.7

  /// The mean energy of the samples in each band of an envelope; that of the tone where a decoder adds one.
  private func measure(
    _ subbands: SubbandSamples, _ plan: SBRFramePlan, _ envelope: Int, _ harmonics: [Bool]
  ) -> [Float] {
    let borders = bands.bands(isHigh: plan.isHigh[envelope])
    let slots = 2 * plan.borders[envelope]..<2 * plan.borders[envelope + 1]
    return zip(borders, borders.dropFirst()).map { from, to in
      var (sum, largest): (Float, Float) = (0, 0)
      for band in from..<to {
        let energy = unsafe subbands.row(band).energy(slots)
        sum += energy
        largest = max(largest, energy)
      }
      let hasTone = zip(bands.high, harmonics).contains { $0 >= from && $0 < to && $1 }
      return (hasTone ? largest : sum / Float(to - from)) / Float(slots.count)
    }
  }

  // MARK: Writing

  /// sbr_single_channel_element() or sbr_channel_pair_element().
  private func write(
    _ values: SBRValues, _ plan: SBRFramePlan, _ harmonics: [[Bool]], to bits: inout PacketBitWriter
  ) {
    let isPair = inputs.count == 2
    bits.append(0, 1)
    if isPair { bits.append(values.isCoupled ? 1 : 0, 1) }
    for _ in 0..<(values.isCoupled ? 1 : inputs.count) { plan.write(to: &bits) }
    for channel in inputs.indices {
      levels[channel].writeDirections(to: &bits)
      noise[channel].writeDirections(to: &bits)
    }
    for mode in values.inversion.joined() { bits.append(mode, 2) }
    // A coupled pair has its noise in turn, another one at the end.
    for channel in inputs.indices {
      levels[channel].writeRows(to: &bits)
      if !isPair || values.isCoupled { noise[channel].writeRows(to: &bits) }
    }
    if isPair, !values.isCoupled { for coder in noise { coder.writeRows(to: &bits) } }
    for flags in harmonics {
      let hasTones = flags.contains(true)
      bits.append(hasTones ? 1 : 0, 1)
      if hasTones { for flag in flags { bits.append(flag ? 1 : 0, 1) } }
    }
    // No extension.
    bits.append(0, 1)
  }
}
