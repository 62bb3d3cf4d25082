/// The tools that combine the channels of a pair: middle and side, intensity, and identical noise.
///
/// Source: ISO/IEC 14496-3, 4.6.8 and 4.6.13.3.
struct StereoTools {
  /// The values of `ms_mask_present`.
  private enum Mask: Int {
    case none = 0
    case perBand = 1
    case all = 2
  }

  private var mask = Mask.none
  /// Bands that have their bit set, by group and band.
  private var bands: (UInt64, UInt64) = (0, 0)

  /// Nothing shared.
  init() {}

  /// Reads the mask of bands in `channel_pair_element`.
  init(_ reader: inout PacketBitReader, _ info: WindowInfo) throws(PacketFault) {
    let present = reader.bits(2)
    guard let mask = Mask(rawValue: present) else { throw .invalid("ms_mask_present", present) }
    self.mask = mask
    guard mask == .perBand else { return }
    for group in 0..<info.groups {
      for index in (group * info.bandStride)..<(group * info.bandStride + info.codedBands) where reader.flag() {
        if index < 64 { bands.0 |= 1 << UInt64(index) } else { bands.1 |= 1 << UInt64(index - 64) }
      }
    }
  }

  @inline(__always)
  private func isSet(_ index: Int) -> Bool {
    switch mask {
    case .none: false
    case .all: true
    case .perBand: (index < 64 ? bands.0 >> UInt64(index) : bands.1 >> UInt64(index - 64)) & 1 == 1
    }
  }

  /// Converts middle and side to left and right. Both channels have the same windows.
  func applyMiddleSide(_ left: ChannelStream, _ right: ChannelStream) {
    guard mask != .none else { return }
    let (leftBooks, rightBooks) = (left.codebooks, right.codebooks)
    left.info.forEachBand { index, start, count in
      guard isSet(index) else { return }
      let (leftLines, rightLines) = unsafe StereoTools.lines(left, right, start, count)
      if leftBooks[index] < Codebook.noise, rightBooks[index] < Codebook.noise {
        for vector in 0..<(count / 4) {
          let (middle, side) = unsafe (leftLines[vector], rightLines[vector])
          unsafe leftLines[vector] = middle + side
          unsafe rightLines[vector] = middle - side
        }
      } else if leftBooks[index] == Codebook.noise, rightBooks[index] == Codebook.noise {
        let gain = left.gains[index]
        let ratio = gain > 0 ? right.gains[index] / gain : 0
        for vector in 0..<(count / 4) { unsafe rightLines[vector] = leftLines[vector] * ratio }
      }
    }
  }

  /// Derives bands of the right channel from the left one, where only their intensity was sent.
  func applyIntensity(_ left: ChannelStream, _ right: ChannelStream) {
    guard right.hasIntensity else { return }
    right.info.forEachBand { index, start, count in
      let book = Int(right.codebooks[index])
      guard book >= Codebook.intensityOutOfPhase else { return }
      let isInverted = (book == Codebook.intensityOutOfPhase) != (mask == .perBand && isSet(index))
      let gain = isInverted ? -right.gains[index] : right.gains[index]
      let (leftLines, rightLines) = unsafe StereoTools.lines(left, right, start, count)
      for vector in 0..<(count / 4) { unsafe rightLines[vector] = leftLines[vector] * gain }
    }
  }

  /// A band of both channels as vectors of four lines, which are checked to exist.
  @inline(__always)
  private static func lines(_ left: ChannelStream, _ right: ChannelStream, _ start: Int, _ count: Int) -> (
    UnsafeMutablePointer<SIMD4<Float>>, UnsafeMutablePointer<SIMD4<Float>>
  ) {
    unsafe (left.spectrum.from(start).vectors(count: count), right.spectrum.from(start).vectors(count: count))
  }
}
