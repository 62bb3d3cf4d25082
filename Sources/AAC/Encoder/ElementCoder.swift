/// Codes one element of a packet: a channel, or two that share windows and may be coded as their sum and difference.
final class ElementCoder {
  /// The kind of element.
  let kind: ChannelElements.Kind
  /// Which channels of the input it holds.
  let inputs: [Int]
  let channels: [ChannelAnalysis]
  let spectra: [ChannelSpectrum]
  private(set) var layout: FrameLayout
  /// Whether each band is coded as sum and difference.
  private(set) var midSide = [Bool](repeating: false, count: FrameLayout.largestBandCount)

  /// The filter that shapes noise in time, where the frame has one.
  private(set) var filter: TemporalNoiseShaper.Filter?

  private let tools: AnalysisTools
  private let bands: BandTables
  private let searches: [ScalefactorSearch]
  private let planner: SectionPlanner
  private let quantiser: BandQuantiser
  private let finders: [NoiseFinder]
  private let seam: EncoderSeam?
  /// The number of the frame that is coded next.
  private var number = 0
  private var isNextShort = false
  private var previous = WindowSequence.onlyLong

  init(
    kind: ChannelElements.Kind, inputs: [Int], tools: AnalysisTools, bands: BandTables, coding: CodingTools,
    substitutesNoise: Bool, seam: EncoderSeam? = nil
  ) {
    self.kind = kind
    self.seam = seam
    self.inputs = inputs
    self.tools = tools
    self.bands = bands
    channels = inputs.map { _ in ChannelAnalysis(tools: tools) }
    spectra = inputs.map { _ in ChannelSpectrum() }
    finders = inputs.map { _ in
      NoiseFinder(bands: bands.long, sampleRate: tools.sampleRate, isEnabled: substitutesNoise)
    }
    searches = inputs.map { _ in ScalefactorSearch(quantiser: coding.quantiser, costs: coding.costs) }
    planner = coding.planner
    quantiser = coding.quantiser
    layout = FrameLayout(long: bands.long, used: 0)
  }

  /// Chooses windows, transforms, and weighs noise; then tries scalefactors.
  func analyse(price: Float) {
    let sequence = nextSequence()
    for channel in channels { channel.transform(sequence, slopes(number)) }
    arrange(sequence)
    layout.shape = shape(after: number)
    number += 1
    shapeNoise(sequence)
    for spectrum in spectra { weighLoss(spectrum) }
    for (index, spectrum) in spectra.enumerated() {
      finders[index].find(spectrum, layout, blockEnergies: channels[index].blockEnergies)
    }
    if channels.count == 2 { chooseStereo(price: price) }
    for (spectrum, search) in zip(spectra, searches) {
      spectrum.prepare(layout)
      search.measure(spectrum, layout, price: price)
    }
  }

  /// Tries scalefactors again, around another price.
  func remeasure(price: Float) {
    for (spectrum, search) in zip(spectra, searches) { search.measure(spectrum, layout, price: price) }
  }

  private func nextSequence() -> WindowSequence {
    if number == 0 { isNextShort = attacks(0) { $0.lookAtFirst(slopes(0)) } }
    let isShort = isNextShort
    isNextShort = attacks(number + 1) { $0.lookAtNext(slopes(number + 1)) }
    let sequence: WindowSequence =
      switch (isShort, previous == .eightShort, isNextShort) {
      case (true, _, _), (false, true, true): .eightShort
      case (false, true, false): .longStop
      case (false, false, true): .longStart
      case (false, false, false): .onlyLong
      }
    previous = sequence
    return sequence
  }

  /// The shape with which a frame ends and the next one begins.
  private func shape(after frame: Int) -> WindowShape { seam?.shape(after: frame) ?? .sine }

  /// The slopes of a frame: it begins as the one before ends.
  private func slopes(_ frame: Int) -> FrameSlopes {
    FrameSlopes(rise: tools.slopes(shape(after: frame - 1)), fall: tools.slopes(shape(after: frame)))
  }

  /// Whether any channel of a frame has an attack; a low-frequency channel may not have short windows, nor may a frame
  /// beside one that stays.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.2.1.3 (LFE).
  private func attacks(_ frame: Int, _ look: (ChannelAnalysis) -> Bool) -> Bool {
    var found = false
    for channel in channels where look(channel) { found = true }
    return found && kind != .lowFrequency && seam?.isLong(frame) != true
  }

  /// Puts the lines in the order of transmission and gives each band its weight.
  private func arrange(_ sequence: WindowSequence) {
    guard sequence == .eightShort else {
      layout = FrameLayout(long: bands.long, used: kind == .lowFrequency ? bands.usedLowFrequency : bands.usedLong)
      layout.sequence = sequence
      for (channel, spectrum) in zip(channels, spectra) {
        spectrum.lines.all.update(from: channel.lines.all, count: 1024)
        for band in 0..<layout.bandCount {
          spectrum.weights[band] = unsafe BandTables.weight(channel.weights.start, bands.longShares[band])
        }
      }
      return
    }
    layout = FrameLayout(short: bands.short, used: bands.usedShort, groups: WindowGrouping.groups(channels))
    for (channel, spectrum) in zip(channels, spectra) {
      layout.interleave(channel.lines, bands: bands.short, to: spectrum.lines)
      weighGroups(channel, spectrum)
    }
  }

  private func weighGroups(_ channel: ChannelAnalysis, _ spectrum: ChannelSpectrum) {
    let count = tools.shortMasking.partitionCount
    let short = unsafe channel.shortWeights.pointer(at: 0, count: 8 * count)
    var window = 0
    for (index, group) in layout.groups.enumerated() {
      for band in 0..<layout.bandsPerGroup {
        var sum: Float = 0
        for member in window..<(window + group) {
          unsafe sum += BandTables.weight(short + count * member, bands.shortShares[band])
        }
        let long = unsafe 8 * BandTables.weight(channel.weights.start, bands.longSharesOfShort[band])
        spectrum.weights[index * layout.bandsPerGroup + band] =
          BandTables.localShare * sum / Float(group) + (1 - BandTables.localShare) * long
      }
      window += group
    }
  }

  /// Filters the lines of a long window if that pays. The decoder's filter amplifies the noise by its gain, so noise
  /// counts for more.
  private func shapeNoise(_ sequence: WindowSequence) {
    filter = nil
    guard sequence != .eightShort, kind != .lowFrequency else { return }
    filter = bands.shaper.filter(spectra.map(\.lines), blockEnergies: channels.map(\.blockEnergies))
    guard let filter else { return }
    for spectrum in spectra {
      bands.shaper.apply(filter, to: spectrum.lines)
      for band in 0..<layout.bandCount where bands.shaper.range.contains(layout.offsets[band]) {
        spectrum.weights[band] *= filter.gain
      }
    }
  }

  /// Noise counts against a band's own energy too, whatever else masks it: models of masking err, and a soft band that
  /// comes and goes is conspicuous.
  private func weighLoss(_ spectrum: ChannelSpectrum) {
    let widths = layout.sequence == .eightShort ? bands.shortWidths : bands.longWidths
    for band in 0..<layout.bandCount {
      let energy = spectrum.energy(layout.offsets[band]..<layout.offsets[band + 1])
      spectrum.weights[band] +=
        BandTables.lossShare * widths[band % layout.bandsPerGroup] / (energy + BandTables.softest)
    }
  }

  /// Codes bands of a pair as sum and difference where that is better.
  private func chooseStereo(price: Float) {
    let choice = StereoChoice(spectra[0], spectra[1], price: price)
    for band in 0..<layout.bandCount {
      midSide[band] = choice.choose(band, lines: layout.offsets[band]..<layout.offsets[band + 1])
    }
  }

  /// Chooses scalefactors and books at a price.
  ///
  /// - Returns: bits of the element.
  func code(price: Float) -> Int {
    var total = ElementSyntax.sideBits(self)
    for (spectrum, search) in zip(spectra, searches) {
      search.choose(spectrum, layout, price: price)
      spectrum.levelNoise(layout)
      for band in 0..<layout.bandCount where spectrum.scalefactors[band] >= 0 {
        let from = layout.offsets[band]
        quantiser.quantise(
          spectrum, from: from, count: layout.offsets[band + 1] - from, scalefactor: Int(spectrum.scalefactors[band]))
      }
      total += planner.plan(spectrum, layout) + ElementSyntax.scalefactorBits(spectrum, layout)
    }
    return total
  }
}

/// The shared coding tools of all channels, used one after another.
struct CodingTools {
  let costs: SpectralCosts
  let quantiser: BandQuantiser
  let planner = SectionPlanner()

  init() {
    costs = SpectralCosts.shared
    quantiser = BandQuantiser(costs: costs)
  }
}
