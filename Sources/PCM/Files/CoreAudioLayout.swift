internal import MediaCore

/// A channel layout as AIFF (`CHAN`), CAF and QuickTime (`chan`) write it.
///
/// A number names a usual layout, or says that a bitmap follows, or a description of each channel. The bits of the
/// bitmap are those of WAVE, and loudspeakers are numbered like them, from 1. Where one has a number that WAVE does not
/// have, the channels are taken as being for no loudspeaker in particular.
///
/// Source: Apple, Core Audio Format Specification, Channel Layout chunk; AudioChannelLayout of CoreAudioTypes.
struct CoreAudioLayout: Equatable {
  /// The loudspeakers of the channels, which then are in WAVE's order.
  let layout: ChannelLayout
  /// Where each of them is in the file's frames; `nil` if they are in WAVE's order there, too.
  let order: [Int]?

  /// The most channels that descriptions can be for: the 18 loudspeakers of WAVE.
  private static let maximumDescriptions = 18
  private static let descriptionBytes = 20
  /// The most bytes worth reading.
  static let longestChunk = 12 + maximumDescriptions * descriptionBytes

  /// The loudspeakers of layouts in the order of their channels, by number: the upper half is the number, the lower one
  /// the count of channels. Where there are both, Ls and Rs are at the sides, Rls and Rrs at the back.
  private static let layouts: [UInt32: [UInt32]] = [
    100 << 16 | 1: [3],  // mono
    101 << 16 | 2: [1, 2],  // stereo
    102 << 16 | 2: [1, 2],  // stereo headphones
    108 << 16 | 4: [1, 2, 5, 6],  // quadraphonic
    113 << 16 | 3: [1, 2, 3],  // L R C
    114 << 16 | 3: [3, 1, 2],  // C L R
    115 << 16 | 4: [1, 2, 3, 9],  // L R C Cs
    116 << 16 | 4: [3, 1, 2, 9],  // C L R Cs
    117 << 16 | 5: [1, 2, 3, 5, 6],  // L R C Ls Rs
    118 << 16 | 5: [1, 2, 5, 6, 3],  // L R Ls Rs C
    119 << 16 | 5: [1, 3, 2, 5, 6],  // L C R Ls Rs
    120 << 16 | 5: [3, 1, 2, 5, 6],  // C L R Ls Rs
    121 << 16 | 6: [1, 2, 3, 4, 5, 6],  // L R C LFE Ls Rs
    122 << 16 | 6: [1, 2, 5, 6, 3, 4],  // L R Ls Rs C LFE
    123 << 16 | 6: [1, 3, 2, 5, 6, 4],  // L C R Ls Rs LFE
    124 << 16 | 6: [3, 1, 2, 5, 6, 4],  // C L R Ls Rs LFE
    125 << 16 | 7: [1, 2, 3, 4, 5, 6, 9],  // L R C LFE Ls Rs Cs
    126 << 16 | 8: [1, 2, 3, 4, 5, 6, 7, 8],  // L R C LFE Ls Rs Lc Rc
    127 << 16 | 8: [3, 7, 8, 1, 2, 5, 6, 4],  // C Lc Rc L R Ls Rs LFE
    128 << 16 | 8: [1, 2, 3, 4, 10, 11, 5, 6],  // L R C LFE Ls Rs Rls Rrs
    129 << 16 | 8: [1, 2, 5, 6, 3, 4, 7, 8],  // L R Ls Rs C LFE Lc Rc
    131 << 16 | 3: [1, 2, 9],  // L R Cs
    132 << 16 | 4: [1, 2, 5, 6],  // L R Ls Rs
    133 << 16 | 3: [1, 2, 4],  // L R LFE
    134 << 16 | 4: [1, 2, 4, 9],  // L R LFE Cs
    135 << 16 | 5: [1, 2, 4, 5, 6],  // L R LFE Ls Rs
    136 << 16 | 4: [1, 2, 3, 4],  // L R C LFE
    137 << 16 | 5: [1, 2, 3, 4, 9],  // L R C LFE Cs
    138 << 16 | 5: [1, 2, 5, 6, 4],  // L R Ls Rs LFE
    139 << 16 | 6: [1, 2, 5, 6, 3, 9],  // L R Ls Rs C Cs
    140 << 16 | 7: [1, 2, 10, 11, 3, 5, 6],  // L R Ls Rs C Rls Rrs
    141 << 16 | 6: [3, 1, 2, 5, 6, 9],  // C L R Ls Rs Cs
    142 << 16 | 7: [3, 1, 2, 5, 6, 9, 4],  // C L R Ls Rs Cs LFE
    143 << 16 | 7: [3, 1, 2, 10, 11, 5, 6],  // C L R Ls Rs Rls Rrs
    144 << 16 | 8: [3, 1, 2, 10, 11, 5, 6, 9],  // C L R Ls Rs Rls Rrs Cs
    183 << 16 | 8: [3, 1, 2, 10, 11, 5, 6, 4],  // C L R Ls Rs Rls Rrs LFE
    185 << 16 | 4: [1, 2, 5, 6],  // L R Rls Rrs
    186 << 16 | 5: [1, 2, 3, 5, 6],  // L R C Rls Rrs
    187 << 16 | 6: [1, 2, 3, 4, 5, 6],  // L R C LFE Rls Rrs
    188 << 16 | 7: [1, 2, 3, 4, 9, 10, 11],  // L R C LFE Cs Ls Rs
    189 << 16 | 8: [1, 2, 3, 4, 5, 6, 10, 11],  // L R C LFE Rls Rrs Ls Rs
  ]

  /// The layout in the `chan` box of a track's sample entry, wherever in it that is; `nil` if there is none, or none for
  /// loudspeakers.
  static func stated(in entry: [UInt8], channels: Int) -> CoreAudioLayout? {
    guard let box = FullBoxContent("chan", in: entry) else { return nil }
    let result = CoreAudioLayout(Array(box.bytes), channels: channels)
    return result.layout.mask == 0 ? nil : result
  }

  /// - Parameters:
  ///   - bytes: the chunk's content, as much as there is of it.
  ///   - channels: how many the file has.
  init(_ bytes: [UInt8], channels: Int) {
    guard bytes.count >= 12 else {
      self.init(loudspeakers: [], channels: channels)
      return
    }
    let fields = bytes.span
    switch fields.bigEndian(at: 0, as: UInt32.self) {
    case 0x10000: self.init(layout: ChannelLayout(channels: channels, mask: fields.bigEndian(at: 4)), order: nil)
    case 0:
      let count: UInt32 = fields.bigEndian(at: 8)
      let isThere =
        count == channels && channels <= CoreAudioLayout.maximumDescriptions
        && bytes.count >= 12 + channels * CoreAudioLayout.descriptionBytes
      let labels = (0..<(isThere ? channels : 0)).map {
        fields.bigEndian(at: 12 + $0 * CoreAudioLayout.descriptionBytes, as: UInt32.self)
      }
      self.init(loudspeakers: CoreAudioLayout.withoutRears(labels), channels: channels)
    case let tag: self.init(loudspeakers: CoreAudioLayout.layouts[tag] ?? [], channels: channels)
    }
  }

  private init(layout: ChannelLayout, order: [Int]?) { (self.layout, self.order) = (layout, order) }

  /// - Parameter loudspeakers: that of each channel, numbered from 1; if they do not fit the channels, these are for no
  ///   loudspeaker in particular.
  init(loudspeakers: [UInt32], channels: Int) {
    guard loudspeakers.count == channels, loudspeakers.allSatisfy({ (1...18).contains($0) }),
      Set(loudspeakers).count == channels
    else {
      self.init(layout: ChannelLayout(channels: channels, mask: 0), order: nil)
      return
    }
    let sorted = loudspeakers.indices.sorted { loudspeakers[$0] < loudspeakers[$1] }
    self.init(
      layout: ChannelLayout(channels: channels, mask: loudspeakers.reduce(0) { $0 | 1 << ($1 - 1) }),
      order: sorted.elementsEqual(loudspeakers.indices) ? nil : sorted)
  }

  /// Descriptions have two more loudspeakers at the back, 33 and 34, beside which those numbered 5 and 6 are at the
  /// sides.
  private static func withoutRears(_ loudspeakers: [UInt32]) -> [UInt32] {
    guard loudspeakers.contains(33) || loudspeakers.contains(34) else { return loudspeakers }
    return loudspeakers.map { [5: 10, 6: 11, 33: 5, 34: 6][$0] ?? $0 }
  }
}
