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
  /// Where the samples of each channel of the sound go.
  var inputs: [any EncoderInput] { stereo.map { [$0.input.channels.left, $0.input.channels.right] } ?? channels }
  /// The channels; none if two were mixed to one.
  private let channels: [SBRInput]
  /// Describes how the two channels that are mixed into the coded one differ; `nil` without parametric stereo.
  private let stereo: PSEncoder?
  private let tools: SBREncoderTools
  private let plans: [SBRPlan]
  /// Which plan holds, and what it says.
  private var choice = 0
  private var (header, bands): (SBRHeader, SBRBands)
  private var finders: [SBRAttackFinder]
  private var estimators: [SBRNoiseEstimator]
  private var levels: [SBRLevelCoder]
  private var noise: [SBRLevelCoder]
  private let buffer = AlignedMemory<UInt8>(2048)
  /// Where the frame before ended, in time slots of this one.
  private var start = 0
  private var framesSinceHeader = 0

  /// Frames from one header to the next, where a decoder can begin: half a second at 44.1 kHz.
  private static let headerInterval = 10

  /// - Parameters:
  ///   - channels: of the element.
  ///   - plans: which bands can be described; the first is the usual one.
  ///   - stereo: how the two channels that were mixed into the element's single one are described.
  ///   - tools: the filters.
  init(channels: Int, plans: [SBRPlan], stereo: PSPlan?, tools: SBREncoderTools) {
    self.tools = tools
    self.stereo = stereo.map { PSEncoder(plan: $0) }
    self.plans = plans
    (header, bands) = (plans[0].header, plans[0].bands)
    self.channels = stereo == nil ? (0..<channels).map { _ in SBRInput() } : []
    finders = (0..<channels).map { _ in SBRAttackFinder() }
    (estimators, levels, noise) = ([], [], [])
    begin(channels: channels)
  }

  /// Begins to describe other bands: nothing of what was known helps.
  private func begin(channels: Int) {
    (header, bands, framesSinceHeader) = (plans[choice].header, plans[choice].bands, 0)
    estimators = (0..<channels).map { _ in SBRNoiseEstimator(bands: bands) }
    levels = (0..<channels).map { _ in SBRLevelCoder(highBands: bands.high.count - 1) }
    noise = levels
  }

  /// Takes the samples that all inputs are full of.
  func take(cores: [ChannelAnalysis]) {
    for (channel, core) in zip(channels, cores) { channel.take(tools, core: core) }
    if let stereo, let core = cores.first { stereo.input.take(tools, core: core) }
  }

  /// The subbands of each coded channel: of the frame that is described next.
  private var signals: [SubbandSamples] { stereo.map { [$0.input.current] } ?? channels.map(\.current) }

  /// Describes the frame of the packet that is coded next.
  ///
  /// - Parameters:
  ///   - limit: half of a frame's mean bits. A frame whose levels and noise would take more is described as simply as
  ///     possible.
  ///   - crossover: which plan holds.
  /// - Returns: the bytes of extension_payload().
  func describe(limit: Int, crossover: CrossoverChoice) -> [UInt8] {
    if crossover.ofLayer != choice {
      choice = crossover.ofLayer
      begin(channels: levels.count)
    }
    let estimates = zip(estimators, signals).map { $0.estimate($1) }
    let hasHeader = framesSinceHeader == 0
    framesSinceHeader = (framesSinceHeader + 1) % SBREncoder.headerInterval
    let difference = stereo?.describe(standsAlone: hasHeader)
    var plan = nextPlan(limit: limit, reachesOver: crossover.reachesOver)
    var frame = values(plan, estimates, standsAlone: hasHeader)
    if frame.bits > min(limit, SBREncoder.largestPayload) - (difference?.extensionBits ?? 0) {
      plan = SBRFramePlan(simplestFrom: start, reachesOver: crossover.reachesOver)
      frame = values(plan, estimates, standsAlone: hasHeader)
    }
    start = plan.end - SBRTimeGrid.slots
    (levels, noise) = (frame.levels, frame.noise)
    var bits = PacketBitWriter(buffer)
    bits.append(RawDataBlock.replicationType, 4)
    bits.append(hasHeader ? 1 : 0, 1)
    if hasHeader { header.write(to: &bits) }
    write(frame.values, plan, estimates.map(\.harmonics), to: &bits)
    bits.append(difference == nil ? 0 : 1, 1)
    if let difference { stereo?.write(difference, to: &bits) }
    for channel in levels.indices {
      levels[channel].keep()
      noise[channel].keep()
    }
    return bits.finish()
  }

  /// Bits of levels and noise that surely fit, with all else, in a fill element of 269 bytes.
  private static let largestPayload = 1800

  /// The values of a frame and how they are coded. A pair is coded jointly or separately, whichever takes fewer bits.
  private func values(
    _ plan: SBRFramePlan, _ estimates: [SBRNoiseEstimator.Estimate], standsAlone: Bool
  ) -> Coded {
    let energies = zip(signals, estimates).map { signal, estimate in
      (0..<plan.count).map { envelope in measure(signal, plan, envelope, estimate) }
    }
    let isCoarse = header.isCoarse && !plan.isSingle
    let separate = code(
      SBRValues(separate: energies, estimates, plan, isCoarse: isCoarse), plan, isCoarse: isCoarse,
      standsAlone: standsAlone)
    guard levels.count == 2 else { return separate }
    let coupled = code(
      SBRValues(coupled: energies, estimates, plan, isCoarse: isCoarse), plan, isCoarse: isCoarse,
      standsAlone: standsAlone)
    return coupled.bits < separate.bits ? coupled : separate
  }

  private typealias Coded = (values: SBRValues, levels: [SBRLevelCoder], noise: [SBRLevelCoder], bits: Int)

  /// Chooses how values are coded, and how many bits that takes.
  private func code(_ values: SBRValues, _ plan: SBRFramePlan, isCoarse: Bool, standsAlone: Bool) -> Coded {
    var (levels, noise, bits) = (self.levels, self.noise, 2 * values.inverseFiltering.joined().count)
    for channel in levels.indices {
      let isBalance = values.isCoupled && channel == 1
      let unit = values.isCoupled ? 1 + channel : 0
      bits += levels[channel].plan(
        values.levels[channel], SBRBooks.levels(isCoarse: isCoarse, isBalance: isBalance),
        kind: 2 * unit + (isCoarse ? 1 : 0), standsAlone: standsAlone)
      bits += noise[channel].plan(
        values.noise[channel], SBRBooks.noise(isBalance: isBalance), kind: unit, standsAlone: standsAlone)
    }
    if !values.isCoupled, levels.count == 2 { bits += plan.bits }
    return (values, levels, noise, bits)
  }

  private func nextPlan(limit: Int, reachesOver: Bool) -> SBRFramePlan {
    var attack: (slot: Int, strength: Float)?
    for (channel, signal) in signals.enumerated() {
      guard let found = finders[channel].find(signal, bands) else { continue }
      if found.strength > attack?.strength ?? 0 { attack = found }
    }
    if let attack { return SBRFramePlan(start: start, attack: attack.slot) }
    let (four, two) = SBREncoder.leastChanges(limit: Float(limit) / Float(levels.count))
    let parts = change(parts: 4) > four ? 4 : change(parts: 2) > two ? 2 : 1
    return SBRFramePlan(start: start, parts: parts, reachesOver: reachesOver)
  }

  /// How much the levels of bands change, in the mean, from the first part of the frame to the second, and from the
  /// third to the fourth if there are four, in steps of 3 dB.
  private func change(parts: Int) -> Float {
    let length = 32 / parts
    var (sum, count): (Float, Float) = (0, 0)
    for signal in signals {
      for (from, to) in zip(bands.low, bands.low.dropFirst()) {
        // Mere rounding does not count.
        var energies = [Float](repeating: 2000 / Float(parts), count: parts)
        for band in from..<to {
          for part in 0..<parts {
            unsafe energies[part] += signal.row(band).energy(part * length..<(part + 1) * length)
          }
        }
        for part in stride(from: 0, to: parts, by: 2) { sum += abs(log2f(energies[part] / energies[part + 1])) }
        count += Float(parts / 2)
      }
    }
    return sum / count
  }

  /// The least changes of levels for which a frame has four envelopes, and two. Four take many bits, which the core
  /// misses the more the fewer it has: at 12 kb/s a channel, levels have to change by 3 dB in a quarter of a frame, at
  /// 24 kb/s by 1.
  ///
  /// - Parameter limit: half of a frame's mean bits, of one channel.
  private static func leastChanges(limit: Float) -> (four: Float, two: Float) {
    (powf(280 / max(limit, 1), 1.5), 0.25)
  }

  /// The levels of an envelope's bands: the energy of a band's tones where a decoder adds them, otherwise the mean of
  /// its subbands.
  private func measure(
    _ subbands: SubbandSamples, _ plan: SBRFramePlan, _ envelope: Int, _ estimate: SBRNoiseEstimator.Estimate
  ) -> [Float] {
    let borders = bands.bands(isHigh: plan.isHigh[envelope])
    let slots = 2 * plan.borders[envelope]..<2 * plan.borders[envelope + 1]
    let tones = SBRTones(estimate, bands, borders: borders)
    let energies = zip(tones.counts, zip(borders, borders.dropFirst())).map { count, range in
      let energy = (range.0..<range.1).reduce(Float(0)) { unsafe $0 + subbands.row($1).energy(slots) }
      return energy / Float((count > 0 ? count : range.1 - range.0) * slots.count)
    }
    return tones.levels(from: energies)
  }

  // MARK: Writing

  /// sbr_single_channel_element() or sbr_channel_pair_element().
  private func write(
    _ values: SBRValues, _ plan: SBRFramePlan, _ harmonics: [[Bool]], to bits: inout PacketBitWriter
  ) {
    let isPair = levels.count == 2
    bits.append(0, 1)
    if isPair { bits.append(values.isCoupled ? 1 : 0, 1) }
    for _ in 0..<(values.isCoupled ? 1 : levels.count) { plan.write(to: &bits) }
    for channel in levels.indices {
      levels[channel].writeDirections(to: &bits)
      noise[channel].writeDirections(to: &bits)
    }
    for mode in values.inverseFiltering.joined() { bits.append(mode, 2) }
    // A coupled pair has its noise in turn, another one at the end.
    for channel in levels.indices {
      levels[channel].writeRows(to: &bits)
      if !isPair || values.isCoupled { noise[channel].writeRows(to: &bits) }
    }
    if isPair, !values.isCoupled { for coder in noise { coder.writeRows(to: &bits) } }
    for flags in harmonics {
      let hasTones = flags.contains(true)
      bits.append(hasTones ? 1 : 0, 1)
      if hasTones { for flag in flags { bits.append(flag ? 1 : 0, 1) } }
    }
  }
}
