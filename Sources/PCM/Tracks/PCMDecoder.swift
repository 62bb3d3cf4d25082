public import MediaCore

/// Takes the samples of an uncompressed track out of its bytes: integers of 8 to 32 bits, floats of 32 and 64, and the
/// two laws of ITU-T G.711.
///
/// A packet is any number of frames. Samples of up to 16 bits become 16-bit integers; those of 24 and 32 bits keep their
/// depth. Neither loses anything. 64-bit floats are rounded to 32 bits.
public final class PCMDecoder: AudioDecoder {
  /// How samples are written in the file.
  public let coding: PCMCoding
  public let format: AudioFormat
  public var bytesPerFrame: Int? { coding.byteCount * format.channels }
  /// 4096: longer packets are divided by their reader.
  public var maximumFrames: Int { PCMDecoder.longestPacket }
  public var isLossless: Bool { true }

  /// The packet, as samples of the decoder's own format: one of these is used.
  private var int16s: [Int16] = []
  private var int32s: [Int32] = []
  private var floats: [Float] = []
  private let unpacker: SampleUnpacker

  private static let longestPacket = 4096

  /// A decoder.
  ///
  /// - Parameters:
  ///   - coding: how samples are written.
  ///   - sampleRate: frames a second, 1 to 6 144 000.
  ///   - channels: 1 to 256.
  ///   - layout: which loudspeakers they are for, if that is stated; the usual ones otherwise.
  /// - Throws: `AudioCodecError`: `.notDecodable`, `.invalidValue`.
  public convenience init(
    _ coding: PCMCoding, sampleRate: Double, channels: Int, layout: ChannelLayout? = nil
  ) throws(AudioCodecError) {
    try self.init(coding, sampleRate: sampleRate, channels: channels, layout: layout, order: nil)
  }

  /// - Parameter order: where each channel of the layout is in a frame; `nil` if they are in the layout's order.
  init(
    _ coding: PCMCoding, sampleRate: Double, channels: Int, layout: ChannelLayout?, order: [Int]?
  ) throws(AudioCodecError) {
    guard (1...PCMFileFormat.maximumChannels).contains(channels) else {
      throw AudioCodecError(.invalidValue(UInt64(max(channels, 0))), codec: "PCM", field: "channelcount")
    }
    guard sampleRate >= 1, sampleRate <= Double(PCMFileFormat.maximumSampleRate) else {
      throw AudioCodecError(.notDecodable("a sampling rate of \(sampleRate) Hz"), codec: "PCM")
    }
    guard let unpacker = SampleUnpacker(coding, order: order) else {
      throw AudioCodecError(.notDecodable("\(8 * coding.byteCount) bits"), codec: "PCM")
    }
    self.coding = coding
    format = AudioFormat(
      sampleRate: Int(sampleRate.rounded()), sampleFormat: unpacker.sampleFormat,
      layout: layout ?? ChannelLayout(channels: channels))
    self.unpacker = unpacker
  }

  /// Takes a packet, of up to `maximumFrames` frames: what is beyond them is left out. So are the bytes of an incomplete
  /// frame at its end, which are a fault if there is nothing else.
  public func decodePacket(_ bytes: RawSpan) -> DecodedPacket {
    let size = coding.byteCount * format.channels
    let frames = min(bytes.byteCount / size, maximumFrames)
    guard frames > 0 else {
      return DecodedPacket(frames: 0, fault: AudioCodecError(.truncated, codec: "PCM"))
    }
    let used = bytes.extracting(0..<(frames * size))
    switch format.sampleFormat {
    case .int16: readInt16s(used)
    case .int24, .int32: readInt32s(used)
    case .float32: readFloats(used)
    }
    return DecodedPacket(frames: frames)
  }
}

// From bytes to numbers. A whole number of samples is there, which the arrays are made to have.
extension PCMDecoder {
  /// Moves an array of this many samples out of the object: writing to it in place would be checked for exclusive
  /// access sample by sample.
  private func take<Sample: BitwiseCopyable & AdditiveArithmetic>(_ samples: inout [Sample], count: Int) -> [Sample] {
    var memory: [Sample] = []
    swap(&memory, &samples)
    return memory.count == count ? memory : [Sample](repeating: .zero, count: count)
  }

  private func readInt16s(_ bytes: RawSpan) {
    var memory = take(&int16s, count: bytes.byteCount / coding.byteCount)
    defer { swap(&memory, &int16s) }
    var samples = memory.mutableSpan
    unpacker.unpack(bytes, into: &samples)
  }

  private func readInt32s(_ bytes: RawSpan) {
    var memory = take(&int32s, count: bytes.byteCount / coding.byteCount)
    defer { swap(&memory, &int32s) }
    var samples = memory.mutableSpan
    unpacker.unpack(bytes, into: &samples)
  }

  private func readFloats(_ bytes: RawSpan) {
    var memory = take(&floats, count: bytes.byteCount / coding.byteCount)
    defer { swap(&memory, &floats) }
    var samples = memory.mutableSpan
    unpacker.unpack(bytes, into: &samples)
  }
}

// Copying frames out.
extension PCMDecoder {
  /// Copies frames of the last packet as floats.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    switch format.sampleFormat {
    case .int16: copy(int16s, frames, to: &samples) { Float($0) * (1 / 32_768) }
    case .int24, .int32: copy(int32s, frames, to: &samples) { Float(pcm: $0) }
    case .float32: copy(floats, frames, to: &samples) { $0 }
    }
  }

  /// Copies frames of the last packet as 16-bit integers, rounded and clipped.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>) {
    switch format.sampleFormat {
    case .int16: copy(int16s, frames, to: &samples) { $0 }
    case .int24, .int32: copy(int32s, frames, to: &samples) { Int16(pcm: $0) }
    case .float32: copy(floats, frames, to: &samples) { Int16(pcm: $0) }
    }
  }

  /// Copies frames of the last packet as integers of full scale at the ends of `Int32`, rounded and clipped.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int32>) {
    switch format.sampleFormat {
    case .int16: copy(int16s, frames, to: &samples) { Int32($0) << 16 }
    case .int24, .int32: copy(int32s, frames, to: &samples) { $0 }
    case .float32: copy(floats, frames, to: &samples) { Int32(pcm: $0) }
    }
  }

  @inline(__always)
  private func copy<Source, Target: BitwiseCopyable>(
    _ source: [Source], _ frames: Range<Int>, to samples: inout MutableSpan<Target>, _ convert: (Source) -> Target
  ) {
    let start = max(frames.lowerBound, 0) * format.channels
    for index in 0..<max(min(frames.count * format.channels, samples.count, source.count - start), 0) {
      samples[index] = convert(source[start + index])
    }
  }
}
