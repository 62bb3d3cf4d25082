internal import MediaCore

/// An encoder's configuration: how channels become elements, and which lines are worth coding.
struct EncoderSetup {
  let configuration: AudioSpecificConfig
  /// The elements of a packet, and for each the channels of the input, in its order.
  let elements: [(kind: ChannelElements.Kind, inputs: [Int])]

  /// - Throws: `AACError.cannotEncode` for rates and loudspeakers that AAC has no code for.
  init(_ format: AudioFormat) throws(AACError) {
    guard (8000...96000).contains(format.sampleRate), let rate = UInt32(exactly: format.sampleRate),
      SamplingFrequency.index(of: rate) != nil
    else { throw AACError(.cannotEncode(.sampleRate(format.sampleRate))) }
    let speakers = EncoderSetup.speakers(of: format.layout)
    let codes = (1...6).map { UInt8($0) }
    let found = codes.lazy.compactMap { code in
      EncoderSetup.elements(configuration: code, speakers: speakers).map { (code, $0) }
    }.first
    guard let (code, elements) = found else { throw AACError(.cannotEncode(.channels(format.channels))) }
    self.elements = elements
    configuration = AudioSpecificConfig(sampleRate: rate, channelConfiguration: code)
  }

  /// The loudspeaker of each channel; side channels count as back channels, as AAC has only one such pair.
  private static func speakers(of layout: ChannelLayout) -> [UInt32] {
    let mask = layout.mask == 0 || layout.channels <= 2 ? ChannelLayout(channels: layout.channels).mask : layout.mask
    let (back, side): (UInt32, UInt32) = (0x30, 0x600)
    let usual = mask & side == side && mask & back == 0 ? mask & ~side | back : mask
    return (0..<32).map { UInt32(1) << $0 }.filter { usual & $0 != 0 }
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
  /// Anything above would take bits from what is heard better.
  static func bandwidth(bitsPerSecond: Double, sampleRate: Int) -> Int {
    let table: [(Double, Double)] = [
      (0, 3000), (8000, 4000), (16000, 6500), (24000, 9500), (32000, 12000), (40000, 14000), (48000, 15500),
      (64000, 17000), (80000, 18500), (96000, 20000), (160_000, 22000),
    ]
    var bandwidth = table[table.count - 1].1
    for (low, high) in zip(table, table.dropFirst()) where bitsPerSecond < high.0 {
      bandwidth = low.1 + (high.1 - low.1) * (bitsPerSecond - low.0) / (high.0 - low.0)
      break
    }
    return min(Int(bandwidth), sampleRate / 2)
  }

  /// The possible bit rates, in bits per second.
  static func bitRates(sampleRate: Int, channels: Int) -> ClosedRange<Int> {
    let highest = 6144 * channels * sampleRate / 1024
    return min(max(6000, sampleRate / 4) * channels, highest)...highest
  }
}
