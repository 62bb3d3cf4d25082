internal import MediaCore

/// An encoder's configuration: how channels become elements, and which lines are worth coding.
struct EncoderSetup {
  private(set) var configuration: AudioSpecificConfig
  /// The elements of a packet, and for each the channels of the input, in its order.
  let elements: [(kind: ChannelElements.Kind, inputs: [Int])]
  /// How the high band is described, if it is: plans to choose from, the usual one first.
  private(set) var replication: [SBRPlan] = []
  /// How parametric stereo describes the two channels that are mixed into the core's one; `nil` without it.
  private(set) var stereo: PSPlan?

  /// - Throws: `AACError.cannotEncode` for rates and loudspeakers that AAC has no code for.
  init(_ format: AudioFormat) throws(AACError) {
    guard (8000...96000).contains(format.sampleRate), let rate = UInt32(exactly: format.sampleRate),
      SamplingFrequency.index(of: rate) != nil
    else { throw AACError(.cannotEncode(.sampleRate(format.sampleRate))) }
    let speakers = EncoderSetup.speakers(of: format.layout)
    let codes: [UInt8] = [1, 2, 3, 4, 5, 6, 11, 12]
    let found = codes.lazy.compactMap { code in
      EncoderSetup.elements(configuration: code, speakers: speakers).map { (code, $0) }
    }.first
    guard let (code, elements) = found else { throw AACError(.cannotEncode(.channels(format.channels))) }
    self.elements = elements
    configuration = AudioSpecificConfig(sampleRate: rate, channelConfiguration: code)
  }

  /// The setup that a profile needs at a bit rate.
  ///
  /// - Throws: `AACError.cannotEncode` for formats that it does not have.
  init(
    _ format: AudioFormat, profile: AACEncoder.Profile, bitRate: Int,
    signalling: AudioSpecificConfig.ExtensionSignalling
  ) throws(AACError) {
    switch profile {
    case .lowComplexity: try self.init(format)
    case .highEfficiency: try self.init(highEfficiency: format, bitRate: bitRate, signalling: signalling)
    case .highEfficiencyV2: try self.init(parametricStereo: format, bitRate: bitRate, signalling: signalling)
    }
  }

  /// A core at half the rate, and a layer that describes the high band.
  ///
  /// - Throws: `AACError.cannotEncode` for formats other than mono and stereo at rates whose half AAC has.
  private init(
    highEfficiency format: AudioFormat, bitRate: Int, signalling: AudioSpecificConfig.ExtensionSignalling
  ) throws(AACError) {
    let limit = AACError(.cannotEncode(.highEfficiency(format)))
    #if !HighEfficiencyAAC
      throw limit
    #else
      guard format.channels <= 2, format.sampleRate.isMultiple(of: 2), format.sampleRate >= 16_000
      else { throw limit }
      let plans = SBRPlan.choices(rate: format.sampleRate, bitRate: bitRate, channels: format.channels)
      guard !plans.isEmpty else { throw limit }
      var core = format
      core.sampleRate /= 2
      do { try self.init(core) } catch { throw limit }
      replication = plans
      guard signalling != .none else { return }
      configuration.extensionSignalling = signalling
      configuration.hasSBR = true
      configuration.extensionSampleRate = UInt32(format.sampleRate)
    #endif
  }

  /// A core of one channel at half the rate, and layers that describe the high band and the two mixed channels.
  ///
  /// - Throws: `AACError.cannotEncode` for formats other than stereo at rates whose half AAC has.
  private init(
    parametricStereo format: AudioFormat, bitRate: Int, signalling: AudioSpecificConfig.ExtensionSignalling
  ) throws(AACError) {
    let limit = AACError(.cannotEncode(.parametricStereo(format)))
    guard format.channels == 2 else { throw limit }
    let mono = AudioFormat(sampleRate: format.sampleRate, sampleFormat: format.sampleFormat, channels: 1)
    do {
      try self.init(highEfficiency: mono, bitRate: bitRate - PSPlan.share, signalling: signalling)
    } catch { throw limit }
    stereo = PSPlan(bitRate: bitRate)
    if signalling != .none { configuration.hasPS = true }
  }

  /// The loudspeaker of each channel, in the order of the input. Without a back pair, the side channels count as one:
  /// up to 6.1, AAC has only one such pair. In eight channels without sides, the inner front pair counts as the sides:
  /// WAVE files of 7.1 were given that mask before side channels had bits of their own.
  private static func speakers(of layout: ChannelLayout) -> [UInt32] {
    let mask = layout.mask == 0 || layout.channels <= 2 ? ChannelLayout(channels: layout.channels).mask : layout.mask
    let (back, inner, side): (UInt32, UInt32, UInt32) = (0x30, 0xC0, 0x600)
    return (0..<32).map { UInt32(1) << $0 }.filter { mask & $0 != 0 }.map { speaker in
      if speaker & side != 0, mask & back == 0 { return speaker == 0x200 ? 0x10 : 0x20 }
      if speaker & inner != 0, mask & side == 0, layout.channels == 8 { return speaker == 0x40 ? 0x200 : 0x400 }
      return speaker
    }
  }

  private static func elements(
    configuration: UInt8, speakers: [UInt32]
  ) -> [(kind: ChannelElements.Kind, inputs: [Int])]? {
    guard let elements = ChannelElements.elements(configuration: configuration) else { return nil }
    guard Set(elements.flatMap(\.speakers)) == Set(speakers) else { return nil }
    return elements.map { element in
      (element.kind, element.speakers.compactMap { speaker in speakers.firstIndex(of: speaker) })
    }
  }

  /// Highest frequency in Hz that is coded, for a number of bits per second per channel.
  ///
  /// Anything above would take bits from what is heard better. Noise takes hardly any, so at low rates this is higher
  /// than it would be if all lines were coded.
  static func bandwidth(bitsPerSecond: Double, sampleRate: Int) -> Int {
    let table: [(Double, Double)] = [
      (0, 3600), (8000, 4800), (12_000, 6300), (16_000, 11_500), (20_000, 13_000), (24_000, 13_400), (32_000, 14_400),
      (40_000, 16_000), (48_000, 17_500), (64_000, 18_500), (80_000, 19_000), (96_000, 20_000), (160_000, 22_000),
    ]
    var bandwidth = table[table.count - 1].1
    for (low, high) in zip(table, table.dropFirst()) where bitsPerSecond < high.0 {
      bandwidth = low.1 + (high.1 - low.1) * (bitsPerSecond - low.0) / (high.0 - low.0)
      break
    }
    return min(Int(bandwidth), sampleRate / 2)
  }

  /// Bits per second that suit a layout, before they are brought into what is possible: a channel that has nothing in
  /// common with another takes more than one of a pair, and low frequencies hardly any.
  static func defaultBitRate(_ layout: ChannelLayout, sampleRate: Int) -> Int {
    let low = layout.channels > 3 && layout.mask & Loudspeaker.lowFrequency != 0 ? 1 : 0
    let full = layout.channels == 2 ? 96 : 64 * (layout.channels - low)
    let rate = min(max(sampleRate, 8000), 96_000)
    // From 44.1 to 48 kHz the bit rate stays the same.
    let usual = rate.clamped(to: 44_100...48_000)
    return full * rate / usual * 1000
  }

  /// The possible bit rates, in bits per second.
  static func bitRates(sampleRate: Int, channels: Int) -> ClosedRange<Int> {
    let highest = 6144 * channels * sampleRate / 1024
    return min(max(6000, sampleRate / 8) * channels, highest)...highest
  }
}

extension Comparable {
  /// The value, or the end of the range that is nearer to it.
  func clamped(to range: ClosedRange<Self>) -> Self {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
