internal import MediaCore

/// Frames that wait for their packet to be full, channel by channel, in the order of the packet.
struct WaitingFrames {
  /// The samples of each channel, at the depth of the stream.
  let planes: [SampleMemory]
  /// How many frames there are.
  private(set) var count = 0
  /// How many make a packet.
  private let capacity: Int
  private let bitDepth: Int
  /// For each plane, the position of its channel in a frame of the input.
  private let positions: [Int]

  /// Room for the frames of one packet.
  init(_ configuration: ALACConfiguration) {
    capacity = configuration.frameLength
    bitDepth = configuration.bitDepth
    positions = ALACChannels.positions[configuration.channels - 1]
    planes = positions.map { _ in SampleMemory(configuration.frameLength) }
  }

  /// Whether they make a packet.
  var isFull: Bool { count == capacity }

  /// Forgets them: they were encoded.
  mutating func removeAll() { count = 0 }

  /// Takes frames from one on, until there are no more, or no more room.
  ///
  /// - Parameters:
  ///   - buffer: of as many channels as the stream.
  ///   - first: the first frame to be taken, one of the buffer's.
  /// - Returns: how many frames were taken.
  mutating func take(_ buffer: PCMBuffer, from first: Int) -> Int {
    let added = min(buffer.frameCount - first, capacity - count)
    let stride = positions.count
    for (plane, position) in zip(planes, positions) {
      // Room for as many; the buffer has as many frames.
      let target = unsafe plane.pointer(at: count, count: added)
      let shift = Int32(32 - bitDepth)
      switch buffer.samples {
      case .int16(let samples):
        let (samples, shift) = (samples.span, Int32(bitDepth - 16))
        for frame in 0..<added { unsafe target[frame] = Int32(samples[(first + frame) * stride + position]) << shift }
      case .int32(let samples) where buffer.format.sampleFormat.bitDepth <= bitDepth:
        let samples = samples.span
        for frame in 0..<added { unsafe target[frame] = samples[(first + frame) * stride + position] &>> shift }
      case .int32, .float32:
        // Only these frames, as the buffer may be much longer than a packet.
        let samples = buffer.slice(first..<(first + added)).int32s
        for frame in 0..<added {
          unsafe target[frame] = samples[frame * stride + position].rounded(toBits: bitDepth) &>> shift
        }
      }
    }
    count += added
    return added
  }
}
