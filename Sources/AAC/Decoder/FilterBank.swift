/// From spectra to samples: the transforms, the windows and the overlap of frames.
///
/// Source: ISO/IEC 14496-3, 4.6.11.
final class FilterBank {
  /// Full scale of the spectrum is 32 768, that of samples 1.
  static let scale = 1.0 / 32768

  private let frameLength: Int
  private let shortLength: Int
  private let long: InverseMDCT
  private let short: InverseMDCT
  /// Slopes by shape.
  private let longSlopes: [Slope]
  private let shortSlopes: [Slope]
  /// The output of a transform, or of eight short ones.
  private let transformed: AlignedMemory<Float>
  /// The output of short windows that lies half in this frame, half in the next.
  private let across = AlignedMemory<Float>(128)

  init(frameLength: Int) {
    self.frameLength = frameLength
    shortLength = frameLength / 8
    long = InverseMDCT(lines: frameLength, scale: FilterBank.scale)
    short = InverseMDCT(lines: frameLength / 8, scale: FilterBank.scale)
    longSlopes = [Slope(.sine, count: frameLength), Slope(.kaiserBessel, count: frameLength)]
    shortSlopes = [Slope(.sine, count: frameLength / 8), Slope(.kaiserBessel, count: frameLength / 8)]
    transformed = AlignedMemory(frameLength)
  }

  /// Samples of a frame before its first short window begins, or the flat part of a start or stop window.
  private var flat: Int { (frameLength - shortLength) / 2 }

  /// Turns a channel's spectrum into its samples, and keeps what fades out under the next frame.
  ///
  /// Every buffer has room for `frameLength` floats, except `ending`, which has half as many; offsets are sums of the
  /// parts into which the standard divides a frame, and all multiples of 4.
  func synthesise(_ channel: ChannelStream) {
    let (sequence, shape) = (channel.info.sequence, channel.info.shape)
    let half = frameLength / 2
    if sequence == .eightShort {
      synthesiseShort(channel)
    } else {
      long.transform(channel.spectrum.all, to: transformed.all)
      synthesiseLong(channel)
      channel.ending.all.update(from: transformed.from(half), count: half)
    }
    channel.lastShape = shape
    channel.lastSequence = sequence
  }

  private func synthesiseLong(_ channel: ChannelStream) {
    let (samples, ending) = (channel.samples, channel.ending)
    let endedLong = channel.lastSequence == .onlyLong || channel.lastSequence == .longStop
    let beginsLong = channel.info.sequence == .onlyLong || channel.info.sequence == .longStart
    if endedLong && beginsLong {
      longSlopes[channel.lastShape.rawValue].overlap(ending.all, transformed.all, to: samples.all)
    } else {
      samples.all.update(from: ending.all, count: flat)
      shortSlopes[channel.lastShape.rawValue].overlap(ending.from(flat), transformed.all, to: samples.from(flat))
      samples.from(flat + shortLength).update(from: transformed.from(shortLength / 2), count: flat)
    }
  }

  /// Eight short windows, the first of which overlaps the frame before, and the last four and a half the next one.
  private func synthesiseShort(_ channel: ChannelStream) {
    let (samples, ending, blocks) = (channel.samples, channel.ending, transformed)
    let half = shortLength / 2
    for window in 0..<8 {
      short.transform(channel.spectrum.from(window * shortLength), to: blocks.from(window * shortLength))
    }
    samples.all.update(from: ending.all, count: flat)
    shortSlopes[channel.lastShape.rawValue].overlap(ending.from(flat), blocks.all, to: samples.from(flat))
    let slope = shortSlopes[channel.info.shape.rawValue]
    for window in 1..<8 {
      let (old, new) = (blocks.from(window * shortLength - half), blocks.from(window * shortLength))
      // Counted from the start of the frame, which holds half of the fourth overlap.
      let index = flat + window * shortLength
      if window < 4 {
        slope.overlap(old, new, to: samples.from(index))
      } else if window == 4 {
        slope.overlap(old, new, to: across.all)
        samples.from(index).update(from: across.all, count: half)
        ending.all.update(from: across.from(half), count: half)
      } else {
        slope.overlap(old, new, to: ending.from(index - frameLength))
      }
    }
    ending.from(flat).update(from: blocks.from(frameLength - half), count: half)
  }

  // MARK: Long-term prediction

  /// The second half of a channel's last windows as far as it is known: faded out, without what will overlap it.
  func estimate(_ channel: ChannelStream, to target: MemoryPart<Float>) {
    let ending = channel.ending
    let endsShort = channel.lastSequence == .eightShort || channel.lastSequence == .longStart
    let length = endsShort ? shortLength : frameLength
    let begin = endsShort ? flat : 0
    let slope = (endsShort ? shortSlopes : longSlopes)[channel.lastShape.rawValue]
    let (source, target) = unsafe (ending.start, target.pointer(count: frameLength))
    for index in 0..<frameLength {
      let mirrored = index < frameLength / 2 ? index : frameLength - 1 - index
      let faded = index < begin ? 1 : index < begin + length ? slope[length - 1 - (index - begin)] : 0
      unsafe target[index] = source[mirrored] * faded
    }
  }

  /// The spectrum of `2 * frameLength` samples under a channel's current long window: the forward transform.
  ///
  /// The windowed samples are folded to half as many, and the inverse transform turns these into lines: apart from
  /// order, sign and scale it is its own inverse.
  func analyse(_ samples: AlignedMemory<Float>, as channel: ChannelStream, to spectrum: AlignedMemory<Float>) {
    let (count, half) = (frameLength, frameLength / 2)
    window(samples, as: channel)
    // Two frames of samples, and a frame of each of the others.
    let (samples, folded) = unsafe (samples.pointer(at: 0, count: 2 * count), spectrum.pointer(at: 0, count: count))
    for index in 0..<count {
      let outer = unsafe index >= half ? samples[index - half] : -samples[count + half + index]
      unsafe folded[index] = outer - samples[count + half - 1 - index]
    }
    long.transform(spectrum.all, to: transformed.all)
    let scale = Float(-2 * Double(count) / (FilterBank.scale * FilterBank.scale))
    for line in 0..<count { unsafe folded[line] = transformed.start[count - 1 - line] * scale }
  }

  private func window(_ samples: AlignedMemory<Float>, as channel: ChannelStream) {
    let (count, sequence) = (frameLength, channel.info.sequence)
    func fade(_ index: Int, isShort: Bool, shape: WindowShape) -> Float {
      guard isShort else { return longSlopes[shape.rawValue][index] }
      return index < flat ? 0 : index >= flat + shortLength ? 1 : shortSlopes[shape.rawValue][index - flat]
    }
    let samples = unsafe samples.pointer(at: 0, count: 2 * count)
    for index in 0..<count {
      unsafe samples[index] *= fade(index, isShort: sequence == .longStop, shape: channel.lastShape)
      unsafe samples[2 * count - 1 - index] *= fade(index, isShort: sequence == .longStart, shape: channel.info.shape)
    }
  }
}
