#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Analyses frames, one after another: the first stage of the encoder.
final class FrameAnalysis {
  /// The inputs of all channels, and which channel of the sound each takes.
  let inputs: [(input: any EncoderInput, channel: Int)]
  private let bands: BandTables
  private let elements: [ElementAnalysis]
  /// The SBR layers of the elements, one each, or none at all.
  private let layers: [SBREncoder]
  /// Bits that the description of a frame's high band may take.
  private let layerLimit: Int
  /// The weight of a missing band's energy.
  private let hole: Float
  private let speed: AACEncoder.Speed
  private var number = 0

  /// At low rates bits for one band are taken from others that would be missed more. Above, where no noise stands in
  /// for bands, holes in the treble are the first thing that is heard.
  private static let holeAtLowRates: Float = 6
  private static let hole: Float = 12

  /// - Parameter channelRate: bits per second of a channel, about.
  init(
    setup: EncoderSetup, tools: EncoderTools, control: RateControl, channelRate: Double, speed: AACEncoder.Speed,
    looksAhead: Bool, seam: EncoderSeam? = nil
  ) {
    let bands = tools.bands
    let channels = setup.configuration.channels
    let isLowRate = setup.replication.isEmpty && channelRate < NoiseFinder.highestBitRate(channels: channels)
    // Not the price of a plan: what is chosen by it was tuned at the guess.
    let price = Float(exp2(control.guess))
    let elements = setup.elements.map { element in
      ElementAnalysis(
        kind: element.kind, inputs: element.inputs, tools: tools.analysis, bands: bands, isLowRate: isLowRate,
        bitsPerFrame: control.mean, price: price, speed: speed, looksAhead: looksAhead, seam: seam)
    }
    let layers = tools.layers.map { FrameAnalysis.layers(setup, $0) } ?? []
    let isMixed = setup.stereo != nil
    inputs = elements.indices.flatMap { index in
      let inputs: [any EncoderInput] = layers.isEmpty ? elements[index].channels : layers[index].inputs
      return Array(zip(inputs, isMixed ? [0, 1] : elements[index].inputs))
    }
    layerLimit = Int(control.mean ?? 0) / 2
    hole = isLowRate || !layers.isEmpty ? FrameAnalysis.holeAtLowRates : FrameAnalysis.hole
    (self.elements, self.layers, self.bands, self.speed) = (elements, layers, bands, speed)
  }

  private static func layers(_ setup: EncoderSetup, _ tools: SBREncoderTools) -> [SBREncoder] {
    setup.elements.map {
      SBREncoder(channels: $0.inputs.count, plans: setup.replication, stereo: setup.stereo, tools: tools)
    }
  }

  /// Room for a frame to be analysed.
  func makeFrame() -> EncodedFrame {
    EncodedFrame(
      elements: elements.map { ElementFrame(kind: $0.kind, channels: $0.channels.count, bands: bands, speed: speed) })
  }

  /// Tools to measure and code frames with, for one thread.
  func makeTools() -> CodingTools { CodingTools(bands: bands, hole: hole, speed: speed) }

  /// Analyses the frame that all inputs are now full of.
  ///
  /// - Returns: whether there is one: a core with a layer, whose look-ahead begins empty, needs another first.
  func analyse(into frame: EncodedFrame) -> Bool {
    for (layer, element) in zip(layers, elements) { layer.take(cores: element.channels) }
    guard elements.allSatisfy({ $0.channels.allSatisfy { $0.room == 0 } }) else { return false }
    frame.number = number
    number += 1
    frame.payloads = zip(layers, elements).map { $0.describe(limit: layerLimit, crossover: $1.crossover) }
    for (element, part) in zip(elements, frame.elements) { element.analyse(into: part) }
    return true
  }
}
