internal import MediaCore

/// A channel layout as AIFF (`CHAN`), CAF and QuickTime (`chan`) write it.
///
/// A number names a usual layout, or says that a bitmap follows, or a description of each channel. The bits of the
/// bitmap are those of WAVE. What orders the channels differently than WAVE is taken as channels for no loudspeaker in
/// particular: moving them would be a decision, and the samples are right as they are.
///
/// Source: Apple, Core Audio Format Specification, Channel Layout chunk; AudioChannelLayout of CoreAudioTypes.
enum CoreAudioLayout {
  /// The most channels that descriptions can be for: the 18 loudspeakers of WAVE.
  private static let maximumDescriptions = 18
  private static let descriptionBytes = 20
  /// The most bytes worth reading.
  static let longestChunk = 12 + maximumDescriptions * descriptionBytes

  /// Layouts by number, as far as their channels come in WAVE's order: the upper half is the number, the lower one the
  /// count of channels.
  private static let masks: [UInt32: UInt32] = [
    100 << 16 | 1: 0x4,  // mono
    101 << 16 | 2: 0x3,  // stereo
    102 << 16 | 2: 0x3,  // stereo headphones
    108 << 16 | 4: 0x33,  // quadraphonic
    113 << 16 | 3: 0x7,  // L R C
    115 << 16 | 4: 0x107,  // L R C Cs
    117 << 16 | 5: 0x37,  // L R C Ls Rs
    121 << 16 | 6: 0x3F,  // L R C LFE Ls Rs
    125 << 16 | 7: 0x13F,  // L R C LFE Ls Rs Cs
    126 << 16 | 8: 0xFF,  // L R C LFE Ls Rs Lc Rc
    131 << 16 | 3: 0x103,  // L R Cs
    132 << 16 | 4: 0x33,  // L R Ls Rs
    133 << 16 | 3: 0xB,  // L R LFE
    134 << 16 | 4: 0x10B,  // L R LFE Cs
    135 << 16 | 5: 0x3B,  // L R LFE Ls Rs
    136 << 16 | 4: 0xF,  // L R C LFE
    137 << 16 | 5: 0x10F,  // L R C LFE Cs
    185 << 16 | 4: 0x33,  // L R Rls Rrs
    186 << 16 | 5: 0x37,  // L R C Rls Rrs
    187 << 16 | 6: 0x3F,  // L R C LFE Rls Rrs
    188 << 16 | 7: 0x70F,  // L R C LFE Cs Ls Rs
    189 << 16 | 8: 0x63F,  // L R C LFE Rls Rrs Ls Rs
  ]

  /// The layout in the `chan` box of a track's sample entry, wherever in it that is; `nil` if there is none, or none in
  /// WAVE's order.
  static func stated(in entry: [UInt8], channels: Int) -> ChannelLayout? {
    // Size, type, version and flags come before the fields, as in any full box.
    let (type, head) = (Array("chan".utf8), 12)
    guard let start = entry.indices.first(where: { entry[$0...].dropFirst(4).starts(with: type) }) else { return nil }
    let size = Int(entry.span.bigEndian(at: start, as: UInt32.self))
    guard size >= head, size <= entry.count - start else { return nil }
    let layout = layout(Array(entry[(start + head)..<(start + size)]), channels: channels)
    return layout.mask == 0 ? nil : layout
  }

  /// The layout.
  ///
  /// - Parameters:
  ///   - bytes: the chunk's content, as much as there is of it.
  ///   - channels: how many the file has.
  static func layout(_ bytes: [UInt8], channels: Int) -> ChannelLayout {
    let none = ChannelLayout(channels: channels, mask: 0)
    guard bytes.count >= 12 else { return none }
    let fields = bytes.span
    let tag: UInt32 = fields.bigEndian(at: 0)
    switch tag {
    case 0x10000: return ChannelLayout(channels: channels, mask: fields.bigEndian(at: 4))
    case 0:
      let count: UInt32 = fields.bigEndian(at: 8)
      guard count == channels, channels <= maximumDescriptions, bytes.count >= 12 + channels * descriptionBytes else {
        return none
      }
      var mask: UInt32 = 0
      for index in 0..<channels {
        let label: UInt32 = fields.bigEndian(at: 12 + index * descriptionBytes)
        // Each has to come after the one before, in the order of the bits.
        guard (1...18).contains(label), mask >> (label - 1) == 0 else { return none }
        mask |= 1 << (label - 1)
      }
      return ChannelLayout(channels: channels, mask: mask)
    default: return masks[tag].map { ChannelLayout(channels: channels, mask: $0) } ?? none
    }
  }
}
