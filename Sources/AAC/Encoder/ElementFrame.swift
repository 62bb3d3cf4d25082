/// One element of one frame, a channel or two that may be coded as their sum and difference: what the analysis found
/// out, what coding costs, and at last what is coded.
///
/// Nothing of it depends on another frame once the analysis is done, so that frames can be measured at the same time.
final class ElementFrame {
  /// The kind of element.
  let kind: ChannelElements.Kind
  let spectra: [ChannelSpectrum]
  /// Energy of high frequencies in eighths of the middle of the window, for each channel.
  let blockEnergies: [AlignedMemory<Float>]
  var layout: FrameLayout
  /// Whether each band of a pair is coded as sum and difference.
  private(set) var isMidSide: [Bool] = []
  /// The filter that shapes noise in time, where the frame has one.
  private(set) var filter: TemporalNoiseShaper.Filter?

  private let candidates: [ScalefactorCandidates]
  /// The same in all books, for the slow search only.
  private let bookCosts: [BookCosts]

  init(kind: ChannelElements.Kind, channels: Int, bands: BandTables, speed: AACEncoder.Speed) {
    self.kind = kind
    spectra = (0..<channels).map { _ in ChannelSpectrum() }
    blockEnergies = (0..<channels).map { _ in AlignedMemory(8) }
    candidates = (0..<channels).map { _ in ScalefactorCandidates(SearchLimits(speed)) }
    bookCosts = speed == .slow ? (0..<channels).map { _ in BookCosts() } : []
    layout = FrameLayout(long: bands.long, used: 0)
  }

  /// Shapes noise, chooses what is coded as sum and difference, and tries scalefactors.
  ///
  /// - Parameters:
  ///   - price: the weighted noise that a bit is worth, approximately.
  ///   - shapesNoise: whether noise may follow the sound over time. Where the sound ends it may not: most of the window
  ///     is never heard, and all the noise would be in the rest.
  func measure(price: Float, _ tools: CodingTools, shapesNoise: Bool) {
    filter = nil
    if shapesNoise { shapeNoise(tools.shaper(bandCount: layout.bandCount)) }
    let widths = layout.sequence == .eightShort ? tools.shortWidths : tools.longWidths
    for spectrum in spectra {
      weighLoss(spectrum, widths, tools.leakage)
      spectrum.holes.all.update(repeating: tools.hole, count: layout.bandCount)
    }
    if spectra.count == 2 { chooseStereo(price: price) }
    for spectrum in spectra { spectrum.prepare(layout) }
    remeasure(price: price, tools)
  }

  /// Tries scalefactors again, around another price.
  func remeasure(price: Float, _ tools: CodingTools) {
    for (spectrum, candidates) in zip(spectra, candidates) {
      candidates.measure(spectrum, layout, price: price, tools.quantiser)
    }
    for (index, costs) in bookCosts.enumerated() {
      costs.measure(spectra[index], candidates[index], layout, tools.quantiser)
    }
  }

  /// Filters the lines of a long window if that pays. The decoder's filter amplifies the noise by its gain, so noise
  /// counts for more.
  private func shapeNoise(_ shaper: TemporalNoiseShaper) {
    guard layout.sequence != .eightShort, kind != .lowFrequency else { return }
    filter = shaper.filter(spectra.map(\.lines), blockEnergies: blockEnergies, bandCount: layout.bandCount)
    guard let filter else { return }
    for spectrum in spectra {
      shaper.apply(filter, to: spectrum.lines)
      for band in 0..<layout.bandCount where shaper.range.contains(layout.offsets[band]) {
        spectrum.weights[band] *= filter.gain
      }
    }
  }

  /// Noise counts against a band's own energy too, whatever else masks it: models of masking err, and a soft band that
  /// comes and goes is conspicuous. What has leaked from tones elsewhere is not counted: it is not in the sound. What is
  /// hardly more than the rounding of samples, beside much louder sound, counts less the softer it is.
  private func weighLoss(_ spectrum: ChannelSpectrum, _ widths: AlignedMemory<Float>, _ leakage: WindowLeakage) {
    let layout = layout
    let energies = spectrum.energies
    energies.all.update(repeating: 0, count: energies.count)
    var total: Float = 0
    for band in 0..<layout.bandCount {
      let first = layout.offsets[band]
      energies[band] = spectrum.lines.from(first).energy(count: layout.offsets[band + 1] - first)
      total += energies[band]
    }
    let isLong = layout.sequence != .eightShort
    let roundedLine =
      isLong && filter == nil ? min(BandTables.roundedLine, total * BandTables.roundedShare) : 0
    var (band, inGroup) = (0, 0)
    while band < layout.bandCount {
      let energy = energies[band] + BandTables.softest
      var loss = BandTables.lossShare * widths[inGroup] / energy
      if isLong {
        loss *= max(0, 1 - leakage.energy(in: band, energies: energies) / energy)
      }
      spectrum.weights[band] += loss
      let rounded = roundedLine * Float(layout.offsets[band + 1] - layout.offsets[band])
      if energies[band] < rounded {
        let share = energies[band] / rounded
        spectrum.weights[band] *= share * share
      }
      band += 1
      inGroup = inGroup + 1 == layout.bandsPerGroup ? 0 : inGroup + 1
    }
  }

  /// Codes bands of a pair as sum and difference, or as one channel, where that is better.
  private func chooseStereo(price: Float) {
    let layout = layout
    let choice = StereoChoice(spectra[0], spectra[1], price: price)
    var costs = (0..<layout.bandCount).map {
      choice.measureAndSettleNoise($0, lines: layout.offsets[$0]..<layout.offsets[$0 + 1])
    }
    StereoChoice.countFlags(&costs)
    for band in 0..<layout.bandCount {
      choice.apply(costs[band], band, lines: layout.offsets[band]..<layout.offsets[band + 1])
    }
    isMidSide = costs.map { $0.coding == .sumAndDifference }
  }

  /// Chooses scalefactors and books at a price.
  ///
  /// - Returns: bits of the element.
  func code(price: Float, _ tools: CodingTools) -> Int {
    let layout = layout
    var total = ElementSyntax.sideBits(self)
    for (index, spectrum) in spectra.enumerated() {
      if let joint = tools.joint {
        joint.choose(spectrum, candidates[index], bookCosts[index], layout, price: price)
      } else {
        tools.search.choose(spectrum, candidates[index], layout, price: price)
      }
      spectrum.placeIntensity(layout)
      spectrum.levelNoise(layout)
      for band in 0..<layout.bandCount where spectrum.scalefactors[band] >= 0 {
        let from = layout.offsets[band]
        tools.quantiser.quantise(
          spectrum, from: from, count: layout.offsets[band + 1] - from, scalefactor: Int(spectrum.scalefactors[band]))
      }
      total += tools.planner.plan(spectrum, layout) + ElementSyntax.scalefactorBits(spectrum, layout)
    }
    return total
  }
}

/// The tools that frames are measured and coded with, and their scratch memory: one set for each thread. If threads
/// shared these objects, all of them would update the same reference counts, and that contention costs time.
final class CodingTools {
  private let shapers: [TemporalNoiseShaper]
  let quantiser = BandQuantiser(costs: .shared)
  let search: ScalefactorSearch
  /// Takes its place in the slow search.
  let joint: JointSearch?
  let planner = SectionPlanner()
  /// The weight of a missing band's energy relative to noise of the same energy: what is missing is more audible than
  /// what is added, above all if it comes and goes.
  let hole: Float
  let leakage: WindowLeakage
  /// Widths of bands in quarters of a Bark, at least 1.
  let longWidths: AlignedMemory<Float>
  let shortWidths: AlignedMemory<Float>

  /// - Parameter hole: the weight of a missing band's energy.
  init(bands: BandTables, hole: Float, speed: AACEncoder.Speed) {
    self.hole = hole
    search = ScalefactorSearch(costs: .shared, tolerance: SearchLimits(speed).pathTolerance)
    joint = speed == .slow ? JointSearch(search) : nil
    shapers = bands.used.map { used in
      TemporalNoiseShaper(bands: bands.long, used: used.long, sampleRate: bands.sampleRate)
    }
    leakage = WindowLeakage(bands: bands.long)
    (longWidths, shortWidths) = (AlignedMemory(bands.longWidths), AlignedMemory(bands.shortWidths))
  }

  /// The tool that shapes noise in frames of so many bands.
  func shaper(bandCount: Int) -> TemporalNoiseShaper {
    shapers.first { $0.usual >= bandCount } ?? shapers[shapers.count - 1]
  }
}
