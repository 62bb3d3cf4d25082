internal import MediaCore

/// A channel layout as MP4 writes it for PCM, in the `chnl` box of a track's sample entry: the number of a usual
/// layout, or the position of each channel's loudspeaker.
///
/// Source: ISO/IEC 14496-12, 12.2.4 (ChannelLayout); ISO/IEC 23091-3, tables 1 (ChannelConfiguration) and 3
/// (OutputChannelPosition).
enum ISOChannelLayout {
  /// The loudspeakers in WAVE, numbered from 1, of the positions that WAVE has, too. Surround ones are at the sides.
  private static let loudspeakers: [UInt8: UInt32] = [
    0: 1, 1: 2, 2: 3, 3: 4, 4: 10, 5: 11, 6: 7, 7: 8, 8: 5, 9: 6, 10: 9, 13: 10, 14: 11, 17: 13, 18: 15, 19: 14, 20: 16,
    21: 18, 22: 17, 25: 12,
  ]

  /// The positions of usual layouts, in the order of their channels.
  private static let layouts: [UInt8: [UInt8]] = [
    1: [2],  // C
    2: [0, 1],  // L R
    3: [2, 0, 1],  // C L R
    4: [2, 0, 1, 10],  // C L R Cs
    5: [2, 0, 1, 4, 5],  // C L R Ls Rs
    6: [2, 0, 1, 4, 5, 3],  // C L R Ls Rs LFE
    7: [2, 6, 7, 0, 1, 4, 5, 3],  // C Lc Rc L R Ls Rs LFE
    9: [0, 1, 10],  // L R Cs
    10: [0, 1, 4, 5],  // L R Ls Rs
    11: [2, 0, 1, 4, 5, 10, 3],  // C L R Ls Rs Cs LFE
    12: [2, 0, 1, 4, 5, 8, 9, 3],  // C L R Ls Rs Lsr Rsr LFE
    14: [2, 0, 1, 4, 5, 3, 17, 18],  // C L R Ls Rs LFE Lv Rv
  ]

  /// The layout in a sample entry; `nil` if there is none, or none that WAVE can express.
  static func stated(in entry: [UInt8], channels: Int) -> CoreAudioLayout? {
    guard let positions = FullBoxContent("chnl", in: entry).flatMap(positions), positions.count == channels else {
      return nil
    }
    let result = CoreAudioLayout(loudspeakers: positions.map { loudspeakers[$0] ?? 0 }, channels: channels)
    return result.layout.mask == 0 ? nil : result
  }

  /// The position of each channel; `nil` if it is not said, or not understood.
  private static func positions(_ box: FullBoxContent) -> [UInt8]? {
    var bytes = box.bytes
    // Version 1 has two fields of four bits here, the first of which says what there is, and then a count.
    let isFirstVersion = box.version == 0
    guard let structure = bytes.popFirst(), (isFirstVersion ? structure : structure >> 4) & 1 != 0 else { return nil }
    if !isFirstVersion { bytes = bytes.dropFirst() }
    guard let number = bytes.popFirst() else { return nil }
    guard number != 0 else {
      // Without a layout, there is a position for each channel; in version 1 after their number. With coordinates for
      // one of them (126), there are more bytes than channels.
      return isFirstVersion ? Array(bytes) : bytes.popFirst().map { Array(bytes.prefix(Int($0))) }
    }
    guard let all = layouts[number] else { return nil }
    var omitted: UInt64 = 0
    if isFirstVersion {
      guard bytes.count >= 8 else { return nil }
      omitted = bytes.span.bigEndian(at: 0)
    } else {
      // The order of the layout, and whether channels of it are missing.
      guard let flags = bytes.popFirst(), flags >> 1 & 7 == 0, flags & 1 == 0 || bytes.count >= 8 else { return nil }
      if flags & 1 != 0 { omitted = bytes.span.bigEndian(at: 0) }
    }
    return all.enumerated().filter { omitted >> UInt64($0.offset) & 1 == 0 }.map(\.element)
  }
}

/// The content of a full box somewhere in a sample entry, after its version and flags.
struct FullBoxContent {
  let version: UInt8
  let bytes: ArraySlice<UInt8>

  /// - Returns: `nil` if the entry does not have it.
  init?(_ type: String, in entry: [UInt8]) {
    // Size, type, version and flags.
    let head = 12
    guard let start = entry.indices.first(where: { entry[$0...].dropFirst(4).starts(with: type.utf8) }) else {
      return nil
    }
    let size = Int(entry.span.bigEndian(at: start, as: UInt32.self))
    guard size >= head, size <= entry.count - start else { return nil }
    (version, bytes) = (entry[start + 8], entry[(start + head)..<(start + size)])
  }
}
