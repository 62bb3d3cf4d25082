internal import CPulse
internal import MediaCore

// Formats as libpulse describes them, and back.

/// libpulse's loudspeakers, in the order of the bits of a WAVE mask.
private let wavePositions: [Int32] = [1, 2, 3, 7, 5, 6, 8, 9, 4, 10, 11]

/// A single channel that is not for any loudspeaker in particular.
private let monoPosition: Int32 = 0

/// The first of 32 positions for channels that are for no loudspeaker.
private let auxiliaryPosition: Int32 = 12

/// The numbers of channels for which libpulse has a map of its own.
private let mappedCounts = [1, 2, 3, 4, 5, 6, 8]

extension lyrebird_pulse_spec {
  init(_ format: AudioFormat) {
    self.init(
      format: Int32(format.sampleFormat == .int16 ? LYREBIRD_PULSE_S16LE : LYREBIRD_PULSE_FLOAT32LE),
      rate: UInt32(clamping: format.sampleRate), channels: UInt8(clamping: format.channels))
  }
}

extension lyrebird_pulse_map {
  /// The map of a layout, or `nil` if libpulse's own order has to do. For numbers of channels that it has none for, all
  /// but the first two are for no loudspeaker.
  init?(_ layout: ChannelLayout) {
    self.init()
    let limit = LYREBIRD_PULSE_CHANNELS_MAX
    guard layout.channels <= limit else { return nil }
    let isKnown = layout.mask >> UInt32(wavePositions.count) == 0 && layout.mask != 0
    if !isKnown, mappedCounts.contains(layout.channels) { return nil }
    var positions = wavePositions.indices.filter { layout.mask & 1 << UInt32($0) != 0 }.map { wavePositions[$0] }
    if !isKnown {
      positions = wavePositions.prefix(2) + (0..<Int32(layout.channels - 2)).map { auxiliaryPosition + $0 }
    }
    if layout == .mono { positions = [monoPosition] }
    channels = UInt8(positions.count)
    // Numbers for the structure's own array, stored with its bounds checked.
    unsafe withUnsafeMutableBytes(of: &map) { bytes in
      var bytes = unsafe bytes.mutableBytes
      for (index, position) in positions.enumerated() {
        bytes.storeBytes(of: position, toByteOffset: 4 * index, as: Int32.self)
      }
    }
  }

  /// The layout, as far as a WAVE mask can express it: in another order, channels are for no loudspeaker in particular.
  var layout: ChannelLayout {
    let count = max(Int(channels), 1)
    // No more positions than the map has room for.
    let positions = unsafe withUnsafeBytes(of: map) { bytes in
      (0..<min(count, LYREBIRD_PULSE_CHANNELS_MAX)).map {
        unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Int32.self)
      }
    }
    if positions == [monoPosition] { return .mono }
    let bits = positions.compactMap { wavePositions.firstIndex(of: $0) }
    guard bits.count == count, zip(bits, bits.dropFirst()).allSatisfy({ $0 < $1 }) else {
      return ChannelLayout(channels: count, mask: 0)
    }
    return ChannelLayout(channels: count, mask: bits.reduce(0) { $0 | 1 << UInt32($1) })
  }
}

extension AudioFormat {
  /// The native format of a device. Sample formats other than 16-bit integers are taken as floats, which lose nothing.
  init(_ spec: lyrebird_pulse_spec, _ map: lyrebird_pulse_map) {
    self.init(
      sampleRate: Int(max(spec.rate, 1)),
      sampleFormat: Int(spec.format) == LYREBIRD_PULSE_S16LE ? .int16 : .float32, layout: map.layout)
  }

  /// The number of bytes that last this long.
  func bytes(of duration: Duration) -> UInt32 {
    UInt32(clamping: max(frames(in: duration), 1) * bytesPerFrame)
  }

  /// How long this many bytes last, in nanoseconds.
  func nanoseconds(ofBytes count: Int) -> Int64 {
    Int64(count / bytesPerFrame) * 1_000_000_000 / Int64(sampleRate)
  }
}
