public import MediaCore

/// Decodes Apple Lossless packets to PCM: the samples that were encoded, bit for bit.
///
/// It supports 16, 20, 24 and 32 bits and one to eight channels; packets may be shorter than the configuration says. A
/// broken packet is replaced by silence of a full one's length.
///
/// Source: Apple Lossless Audio Codec, packet format.
public final class ALACDecoder: AudioDecoder {
  /// The configuration of the stream.
  public let configuration: ALACConfiguration
  /// The format of the sound: integers of 16, 24 or 32 bits; samples of 20 bits are the upper ones of 24.
  public let format: AudioFormat
  /// Frames of a full packet.
  public var maximumFrames: Int { configuration.frameLength }

  private let bits = PacketBits()
  private let elements: ElementReader
  /// Samples of the channels, in the order of a packet.
  private let channels: [SampleMemory]
  /// Frames of the last packet.
  private var frameCount = 0

  /// The kinds of elements: three bits before each.
  private enum Tag {
    static let single = 0, pair = 1, lowFrequency = 3, data = 4, fill = 6, end = 7
  }

  /// A decoder of a stream.
  public init(_ configuration: ALACConfiguration) {
    self.configuration = configuration
    format = configuration.format
    elements = ElementReader(configuration)
    channels = (0..<configuration.channels).map { _ in SampleMemory(configuration.frameLength) }
  }

  /// Decodes a packet.
  ///
  /// - Parameter bytes: one packet.
  /// - Returns: its frames; `maximumFrames` of silence, and a fault, if it is broken.
  public func decodePacket(_ bytes: RawSpan) -> DecodedPacket {
    do {
      bits.load(bytes)
      frameCount = try readElements()
      return DecodedPacket(frames: frameCount)
    } catch {
      frameCount = configuration.frameLength
      for channel in channels {
        // All of its samples.
        unsafe channel.pointer(count: channel.count).update(repeating: 0, count: channel.count)
      }
      return DecodedPacket(frames: frameCount, fault: error.error)
    }
  }

  /// - Returns: how many frames the elements have.
  private func readElements() throws(ALACFault) -> Int {
    var (done, frames) = (0, 0)
    while done < channels.count {
      let tag = Int(try bits.bits(3))
      switch tag {
      case Tag.single, Tag.lowFrequency, Tag.pair:
        let count = tag == Tag.pair ? 2 : 1
        guard count <= channels.count - done else { throw .element(tag) }
        let here = try elements.read(bits, to: Array(channels[done..<(done + count)]))
        guard done == 0 || here == frames else { throw .invalid("numSamples", here) }
        (done, frames) = (done + count, here)
      case Tag.data: try skipData()
      case Tag.fill: try skipFill()
      case Tag.end: throw .truncated
      default: throw .element(tag)
      }
    }
    return frames
  }

  /// Skips an element of bytes that are not sound.
  private func skipData() throws(ALACFault) {
    _ = try bits.bits(4)
    let isAligned = try bits.flag()
    var count = Int(try bits.bits(8))
    if count == 255 { count += Int(try bits.bits(8)) }
    let start = isAligned ? (bits.position + 7) / 8 * 8 : bits.position
    try bits.go(to: start + 8 * count)
  }

  /// Skips an element of bytes that mean nothing.
  private func skipFill() throws(ALACFault) {
    var count = Int(try bits.bits(4))
    if count == 15 { count += Int(try bits.bits(8)) - 1 }
    try bits.go(to: bits.position + 8 * count)
  }
}

// Copying frames out.
extension ALACDecoder {
  /// Copies frames of the last packet as 16-bit integers; those of more bits are rounded to the nearest.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>) {
    if configuration.bitDepth == 16 {
      interleave(frames, to: &samples) { Int16(truncatingIfNeeded: $0) }
    } else {
      let shift = Int32(32 - configuration.bitDepth)
      interleave(frames, to: &samples) { Int16(pcm: $0 &<< shift) }
    }
  }

  /// Copies frames of the last packet as integers of full scale at the ends of `Int32`.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int32>) {
    let shift = Int32(32 - configuration.bitDepth)
    interleave(frames, to: &samples) { $0 &<< shift }
  }

  /// Copies frames of the last packet as floats.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    let shift = Int32(32 - configuration.bitDepth)
    interleave(frames, to: &samples) { Float(pcm: $0 &<< shift) }
  }

  /// Copies the frames that there are and that fit, a channel after the other.
  @inline(__always)
  private func interleave<Sample: BitwiseCopyable>(
    _ frames: Range<Int>, to samples: inout MutableSpan<Sample>, _ convert: (Int32) -> Sample
  ) {
    let frames = frames.clamped(to: 0..<frameCount)
    let count = min(frames.count, samples.count / channels.count)
    for (channel, position) in zip(channels, ALACChannels.positions[channels.count - 1]) {
      // Frames of the packet, all of which the memory has, to the places of one channel of as many frames.
      let source = unsafe channel.pointer(at: frames.lowerBound, count: count)
      var place = position
      for frame in 0..<count {
        unsafe samples[unchecked: place] = convert(source[frame])
        place &+= channels.count
      }
    }
  }
}

extension ALACFault {
  /// The fault as the error that callers get.
  var error: AudioCodecError {
    switch self {
    case .truncated: AudioCodecError(.truncated, codec: ALACConfiguration.codec)
    case .invalid(let field, let value):
      AudioCodecError(.invalidValue(UInt64(max(value, 0))), codec: ALACConfiguration.codec, field: "\(field)")
    case .element(let tag):
      AudioCodecError(.invalidValue(UInt64(tag)), codec: ALACConfiguration.codec, field: "element")
    }
  }
}
