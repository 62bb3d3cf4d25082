/// Analyses the sound of one element, frame by frame: a channel, or two that share windows.
///
/// It looks at each frame's neighbours, so frames have to come in order.
final class ElementAnalysis {
  /// The kind of element.
  let kind: ChannelElements.Kind
  /// Which channels of the input it holds.
  let inputs: [Int]
  let channels: [ChannelAnalysis]

  private let tools: AnalysisTools
  private let bands: BandTables
  private let finders: [NoiseFinder]
  /// `nil` at rates that reach high enough without it, and where another layer describes what is above.
  private let highTones: HighTones?
  /// How high the core reaches in each frame, if there is an SBR layer.
  private(set) var crossover: CrossoverChoice
  /// `nil` where shapes are given, and where they do not matter.
  private let shapeChoice: WindowShapeChoice?
  private let shapePeriod: Int
  /// `nil` for a low delay, where short windows are chosen before all of their sound is there, and for low-frequency
  /// channels, which have none.
  private let lengthChoice: WindowLengthChoice?
  /// The shapes with which the last frame, this one and the next end, by the frame's number modulo 3.
  private var shapes = [WindowShape](repeating: .sine, count: 3)
  private let seam: EncoderSeam?
  private let looksAhead: Bool
  /// The number of the frame that is analysed next.
  private var number = 0
  private var isNextShort = false
  private var previous = WindowSequence.onlyLong

  init(
    kind: ChannelElements.Kind, inputs: [Int], tools: AnalysisTools, bands: BandTables, isLowRate: Bool,
    bitsPerFrame: Double?, price: Float, speed: AACEncoder.Speed, looksAhead: Bool, seam: EncoderSeam? = nil
  ) {
    self.kind = kind
    (self.seam, self.looksAhead) = (seam, looksAhead)
    self.inputs = inputs
    self.tools = tools
    self.bands = bands
    channels = inputs.map { _ in ChannelAnalysis(tools: tools, looksAhead: looksAhead) }
    finders = inputs.map { _ in
      NoiseFinder(bands: bands.long, sampleRate: tools.sampleRate, isEnabled: isLowRate)
    }
    highTones = isLowRate && kind != .lowFrequency ? HighTones(bands: bands, channels: inputs.count) : nil
    crossover = CrossoverChoice(count: bands.used.count, bitsPerFrame: Float(bitsPerFrame ?? 0))
    let chooses = seam == nil && kind != .lowFrequency
    lengthChoice =
      looksAhead && kind != .lowFrequency ? WindowLengthChoice(tools: tools, bands: bands, price: price) : nil
    shapePeriod = SearchLimits(speed).shapePeriod
    shapeChoice =
      chooses ? WindowShapeChoice(tools: tools, bands: bands, channels: inputs.count, price: price) : nil
  }

  /// Chooses the windows of the frame that the channels are full of, transforms it, weighs noise, and discards it.
  func analyse(into frame: ElementFrame) {
    let sequence = nextSequence()
    if let shapeChoice { crossover.follow(bits: shapeChoice.bits) }
    for channel in channels {
      if number == 0 { channel.begin() }
      channel.transform(sequence, slopes(number))
    }
    arrange(sequence, frame)
    frame.layout.shape = shape(after: number)
    number += 1
    for (index, channel) in channels.enumerated() {
      frame.blockEnergies[index].all.update(from: channel.blockEnergies, count: 8)
      finders[index].find(frame.spectra[index], frame.layout, blockEnergies: frame.blockEnergies[index])
      channel.shift()
    }
  }

  private func nextSequence() -> WindowSequence {
    if number == 0, looksAhead {
      transform(0, at: 0)
      isNextShort = hasShortWindows(0, at: 0)
    }
    let isShort = isNextShort
    let ahead = looksAhead ? 1 : 0
    transform(number + ahead, at: 1024 * ahead)
    isNextShort = hasShortWindows(number + 1, at: 1024 * ahead)
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
  private func shape(after frame: Int) -> WindowShape {
    seam?.shape(after: frame) ?? (frame < 0 ? .sine : shapes[frame % shapes.count])
  }

  /// Takes the lines of a frame whose window begins at an offset in the samples, with the shape that suits it.
  private func transform(_ frame: Int, at offset: Int) {
    if let shapeChoice, frame.isMultiple(of: shapePeriod) {
      let rise = tools.slopes(shape(after: frame - 1))
      shapes[frame % shapes.count] = shapeChoice.transform(channels, at: offset, rise: rise)
    } else {
      shapes[frame % shapes.count] = frame == 0 ? .sine : shapes[(frame - 1) % shapes.count]
      for channel in channels { channel.transformNext(at: offset, slopes(frame)) }
    }
  }

  /// The slopes of a frame: it begins as the one before ends.
  private func slopes(_ frame: Int) -> FrameSlopes {
    FrameSlopes(rise: tools.slopes(shape(after: frame - 1)), fall: tools.slopes(shape(after: frame)))
  }

  /// Goes on to a frame whose window begins at an offset in the samples, and says whether it has short windows: if any
  /// channel has an attack. A low-frequency channel may not have short windows, nor may a frame beside one that stays.
  ///
  /// Source: ISO/IEC 14496-3, 4.5.2.1.3 (LFE).
  private func hasShortWindows(_ frame: Int, at offset: Int) -> Bool {
    var isAttack = false
    for channel in channels where channel.advanceAndFindAttack(at: offset) { isAttack = true }
    guard isAttack, kind != .lowFrequency, seam?.isLong(frame) != true else { return false }
    return lengthChoice?.prefersShort(channels, at: offset) ?? true
  }

  /// Puts the lines in the order of transmission and gives each band its weight.
  private func arrange(_ sequence: WindowSequence, _ frame: ElementFrame) {
    let used = bands.used[crossover.ofCore]
    guard sequence == .eightShort else {
      if sequence == .onlyLong { highTones?.follow(channels) }
      var layout = FrameLayout(
        long: bands.long,
        used: kind == .lowFrequency ? bands.usedLowFrequency : highTones?.bandCount ?? used.long)
      layout.sequence = sequence
      frame.layout = layout
      for (channel, spectrum) in zip(channels, frame.spectra) {
        spectrum.lines.all.update(from: channel.lines.all, count: 1024)
        if kind == .lowFrequency {
          let coded = BandTables.lowFrequencyLines
          spectrum.lines.from(coded).update(repeating: 0, count: 1024 - coded)
        }
        for band in 0..<layout.bandCount {
          spectrum.weights[band] = unsafe BandTables.weight(channel.weights.start, bands.longShares[band])
        }
        highTones?.keepTones(of: spectrum)
      }
      return
    }
    let layout = FrameLayout(short: bands.short, used: used.short, groups: WindowGrouping.groups(channels))
    frame.layout = layout
    for (channel, spectrum) in zip(channels, frame.spectra) {
      layout.interleave(channel.lines, bands: bands.short, to: spectrum.lines)
      weighGroups(channel, spectrum, layout)
    }
  }

  private func weighGroups(_ channel: ChannelAnalysis, _ spectrum: ChannelSpectrum, _ layout: FrameLayout) {
    let count = tools.shortMasking.partitionCount
    let short = unsafe channel.shortWeights.pointer(at: 0, count: 8 * count)
    var window = 0
    for (index, group) in layout.groups.enumerated() {
      for band in 0..<layout.bandsPerGroup {
        var sum: Float = 0
        for member in window..<(window + group) {
          unsafe sum += BandTables.weight(short + count * member, bands.shortShares[band])
        }
        spectrum.weights[index * layout.bandsPerGroup + band] = unsafe bands.shortWeight(
          band, local: sum / Float(group), frame: channel.weights.start)
      }
      window += group
    }
  }
}
