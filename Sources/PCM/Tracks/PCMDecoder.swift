public import MediaCore

/// Takes the samples of an uncompressed track out of its bytes: integers of 8 to 32 bits, floats of 32 and 64, and the
/// two laws of ITU-T G.711.
///
/// A packet is any number of frames. Samples of up to 16 bits become 16-bit integers, which loses nothing, as do those
/// of 24 and 32; 64-bit floats are rounded to 32 bits.
public final class PCMDecoder: AudioDecoder {
  /// How samples are written in the file.
  public let coding: PCMCoding
  public let format: AudioFormat
  public var bytesPerFrame: Int? { coding.byteCount * format.channels }
  /// 4096: longer packets are divided by who reads them.
  public var maximumFrames: Int { PCMDecoder.longestPacket }
  public var isLossless: Bool { true }

  /// The packet, as samples of the decoder's own format: one of these is used.
  private var int16s: [Int16] = []
  private var int32s: [Int32] = []
  private var floats: [Float] = []
  private let expansion: [Int16]

  private static let longestPacket = 4096
  /// The most channels: that of WAVE files.
  private static let maximumChannels = 256
  private static let maximumSampleRate = 6_144_000.0

  /// A decoder.
  ///
  /// - Parameters:
  ///   - coding: how samples are written.
  ///   - sampleRate: frames a second, 1 to 6 144 000.
  ///   - channels: 1 to 256.
  /// - Throws: `AudioCodecError`: `.notDecodable`, `.invalidValue`.
  public init(_ coding: PCMCoding, sampleRate: Double, channels: Int) throws(AudioCodecError) {
    guard (1...PCMDecoder.maximumChannels).contains(channels) else {
      throw AudioCodecError(.invalidValue(UInt64(max(channels, 0))), codec: "PCM", field: "channelcount")
    }
    guard sampleRate >= 1, sampleRate <= PCMDecoder.maximumSampleRate else {
      throw AudioCodecError(.notDecodable("a sampling rate of \(sampleRate) Hz"), codec: "PCM")
    }
    guard let sampleFormat = PCMDecoder.sampleFormat(coding) else {
      throw AudioCodecError(.notDecodable("\(8 * coding.byteCount) bits"), codec: "PCM")
    }
    self.coding = coding
    format = AudioFormat(
      sampleRate: Int(sampleRate.rounded()), sampleFormat: sampleFormat, channels: channels)
    expansion = CompandingLaw.expansion(coding.kind)
  }

  /// The format that loses nothing; `nil` if the coding is not supported.
  private static func sampleFormat(_ coding: PCMCoding) -> AudioFormat.SampleFormat? {
    switch (coding.kind, coding.byteCount) {
    case (.muLaw, 1), (.aLaw, 1), (.signed, 1...2), (.unsigned, 1...2): .int16
    case (.signed, 3), (.unsigned, 3): .int24
    case (.signed, 4), (.unsigned, 4): .int32
    case (.float, 4), (.float, 8): .float32
    default: nil
    }
  }

  /// Takes a packet, of `maximumFrames` frames: what is beyond them is left out. So are the bytes of an incomplete frame
  /// at its end, which are a fault if there is nothing else.
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
  /// Moves an array out, of this many samples: writing to one of a class, sample by sample, would be checked each time.
  private func take<Sample: BitwiseCopyable & AdditiveArithmetic>(_ samples: inout [Sample], count: Int) -> [Sample] {
    var memory: [Sample] = []
    swap(&memory, &samples)
    return memory.count == count ? memory : [Sample](repeating: .zero, count: count)
  }

  private func readInt16s(_ bytes: RawSpan) {
    let count = bytes.byteCount / coding.byteCount
    var memory = take(&int16s, count: count)
    defer { swap(&memory, &int16s) }
    var samples = memory.mutableSpan
    let (isLittle, middle) = (coding.isLittleEndian, coding.kind == .unsigned ? Int16.min : 0)
    // Any bits are a number, and the span checks that they are inside.
    switch (coding.kind, coding.byteCount) {
    case (.muLaw, _), (.aLaw, _):
      let law = expansion
      for index in 0..<count {
        samples[index] = law[Int(unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))]
      }
    case (_, 1):
      for index in 0..<count {
        samples[index] = Int16(unsafe bytes.unsafeLoad(fromByteOffset: index, as: Int8.self)) << 8 ^ middle
      }
    default:
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: Int16.self)
        samples[index] = (isLittle ? Int16(littleEndian: bits) : Int16(bigEndian: bits)) ^ middle
      }
    }
  }

  private func readInt32s(_ bytes: RawSpan) {
    let count = bytes.byteCount / coding.byteCount
    var memory = take(&int32s, count: count)
    defer { swap(&memory, &int32s) }
    var samples = memory.mutableSpan
    let (isLittle, middle) = (coding.isLittleEndian, coding.kind == .unsigned ? Int32.min : 0)
    guard coding.byteCount == 3 else {
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: Int32.self)
        samples[index] = (isLittle ? Int32(littleEndian: bits) : Int32(bigEndian: bits)) ^ middle
      }
      return
    }
    let (high, low) = isLittle ? (2, 0) : (0, 2)
    for index in 0..<count {
      func byte(_ place: Int) -> Int32 {
        Int32(unsafe bytes.unsafeLoad(fromByteOffset: 3 &* index &+ place, as: UInt8.self))
      }
      samples[index] = (byte(high) &<< 24 | byte(1) &<< 16 | byte(low) &<< 8) ^ middle
    }
  }

  private func readFloats(_ bytes: RawSpan) {
    let count = bytes.byteCount / coding.byteCount
    var memory = take(&floats, count: count)
    defer { swap(&memory, &floats) }
    var samples = memory.mutableSpan
    let isLittle = coding.isLittleEndian
    guard coding.byteCount == 8 else {
      for index in 0..<count {
        let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
        samples[index] = Float(bitPattern: isLittle ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
      }
      return
    }
    for index in 0..<count {
      let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
      samples[index] = Float(Double(bitPattern: isLittle ? UInt64(littleEndian: bits) : UInt64(bigEndian: bits)))
    }
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
