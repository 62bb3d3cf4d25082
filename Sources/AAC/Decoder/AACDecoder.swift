public import MediaCore

/// Decodes AAC packets to PCM.
///
/// ```swift
/// let decoder = try AACDecoder(configuration: AudioSpecificConfig(track.descriptions[0]))
/// while let packet = try packets.next() { try wav.append(decoder.decode(packet)) }
/// ```
///
/// It supports the object types Main, LC and LTP with frames of 1024 and 960 samples, and high-efficiency AAC: SBR,
/// which adds the high frequencies, and PS, which makes two channels of one. A packet always yields `frameLength`
/// frames, and nothing is cut off: code that knows the edits of the file trims, see `AudioTrim`. The first packet after
/// the beginning or a `reset()` only fades in.
///
/// Layers that the configuration does not announce are found by `AudioSpecificConfig.settle(_:)`, and left out
/// otherwise.
///
/// A broken packet is concealed: the sound before it continues, quieter each time.
///
/// Source: ISO/IEC 14496-3, subpart 4.
public final class AACDecoder {
  /// The configuration of the stream.
  public let configuration: AudioSpecificConfig
  /// The output: floats, full scale at -1 and 1, not clipped; channels in WAVE order. With SBR, the sampling rate is
  /// twice the core's, unless the configuration says that it is the same.
  public let format: AudioFormat
  /// Frames per packet: 1024 or 960; 2048 with SBR, unless its output keeps the core's rate.
  public let frameLength: Int
  /// Packets so far that could not be decoded.
  public private(set) var concealedPackets: UInt64 = 0
  /// Bytes used by the last packet, up to the end of its last element; several packets may follow one another.
  public private(set) var consumedBytes = 0

  /// The result for a packet.
  public enum Outcome: Sendable, Hashable {
    /// It was decoded.
    case decoded
    /// It is broken, for the reason given. The sound before it continues in its place.
    case concealed(AACError)
  }

  private var block: RawDataBlock
  private let bank: FilterBank
  private var packet: AlignedMemory<UInt8>
  /// Consecutive broken packets.
  private var concealedInRow = 0
  /// Samples of the channels in output order.
  private let channels: [AlignedMemory<Float>]

  /// The longest packet accepted: 64 channels of 6144 bits are 48 KiB, the rest is room for data elements.
  package static let maximumPacket = 256 << 10
  /// The gain of each concealed packet relative to the one before.
  private static let fade: Float = 0.6
  /// Consecutive concealed packets after which there is silence.
  private static let fadeLength = 10

  /// A decoder for a stream.
  ///
  /// - Parameters:
  ///   - configuration: the configuration in the file.
  ///   - coreOnly: whether to decode the core of a stream with SBR or PS: duller and, for PS, mono.
  /// - Throws: `AACError`: `.notDecodable`; `.hasExtension` if the library was built without the trait
  ///   `HighEfficiencyAAC`.
  public init(configuration: AudioSpecificConfig, coreOnly: Bool = false) throws(AACError) {
    guard [1, 2, 4].contains(configuration.objectType) else {
      throw AACError(.notDecodable(AudioObjectType.name(configuration.objectType)))
    }
    var configuration = configuration
    if coreOnly { configuration.removeLayers() }
    #if !HighEfficiencyAAC
      if configuration.hasSBR == true { throw AACError(.hasExtension(configuration.name)) }
    #endif
    let length = configuration.frameLength ?? 1024
    guard length == 1024 || length == 960 else { throw AACError(.notDecodable("frames of \(length) samples")) }
    if configuration.dependsOnCoreCoder { throw AACError(.notDecodable("a layer on top of another coder's stream")) }
    guard let map = ChannelMap(configuration) else {
      throw AACError(.notDecodable("channel configuration \(configuration.channelConfiguration)"))
    }
    let layer = SBRLayer(configuration)
    guard layer == nil || length == 1024 else { throw AACError(.notDecodable("SBR with frames of \(length) samples")) }
    let ratio = layer == nil || layer?.isDownsampled == true ? 1 : 2
    self.configuration = configuration
    frameLength = ratio * length
    format = AudioFormat(
      sampleRate: ratio * Int(configuration.sampleRate), sampleFormat: .float32, layout: map.layout)
    block = RawDataBlock(StreamTables(configuration, frameLength: length), map, layer)
    channels = block.output
    bank = FilterBank(frameLength: length)
    packet = AlignedMemory(4096)
  }

  /// Forgets earlier packets, as for a seek. The packet decoded next fades in.
  public func reset() {
    block.reset()
    concealedInRow = 0
  }

  /// Decodes a packet.
  ///
  /// - Parameter packet: one packet of the stream, without an ADTS header. Its bytes are read now unless they are in
  ///   memory.
  /// - Returns: `frameLength` frames at the packet's presentation time. A broken packet is concealed, and counted.
  /// - Throws: `AACError` `.source` if reading fails.
  public func decode(_ packet: EncodedSample) throws(AACError) -> PCMSample {
    let bytes = try AACDecoder.bytes(of: packet)
    // Bytes have no padding between them, for which a raw span could be unsafe.
    unsafe decode(bytes.span.bytes)
    let timing = packet.timing
    let time = MediaTime(value: timing.presentationTime, timescale: timing.timescale)
      .converted(to: UInt32(clamping: format.sampleRate))
    let last = timing.presentationTime < 0 ? Int64.min : .max
    return PCMSample(buffer(0..<frameLength), at: time?.value ?? last, trackID: packet.trackID)
  }

  private static func bytes(of packet: EncodedSample) throws(AACError) -> ArraySlice<UInt8> {
    do { return try packet.payload.prefix(AACDecoder.maximumPacket).load() } catch { throw AACError(.source(error)) }
  }

  /// Decodes a packet; its frames are then available to the functions that copy them.
  ///
  /// - Parameter bytes: one packet, without an ADTS header.
  /// - Returns: whether it was decoded or concealed; there are frames in either case.
  @discardableResult
  public func decode(_ bytes: RawSpan) -> Outcome {
    let count = min(bytes.byteCount, AACDecoder.maximumPacket)
    if packet.count < count + PacketBitReader.padding { packet = AlignedMemory(2 * count + PacketBitReader.padding) }
    // At most as many bytes as there are, to memory with room for them.
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(packet.pointer(at: 0, count: count)).copyMemory(from: base, byteCount: count)
    }
    packet.from(count).update(repeating: 0, count: PacketBitReader.padding)
    var reader = PacketBitReader(packet, bytes: count)
    do {
      try block.read(&reader)
    } catch {
      consumedBytes = count
      conceal()
      return .concealed(error.error(packet: nil))
    }
    consumedBytes = (reader.position + 7) / 8
    concealedInRow = 0
    block.synthesise(bank)
    guard let fault = block.replicationFault else { return .decoded }
    // The core is whole; what lies above it is missing.
    concealedPackets += 1
    return .concealed(fault.error(packet: nil))
  }

  /// Which layers a packet has, of those that the configuration announces.
  func layers(in packet: [UInt8]) -> (hasSBR: Bool, hasPS: Bool) {
    // Bytes have no padding, as above.
    _ = unsafe decode(packet.span.bytes)
    return (block.hasSBR, block.hasStereo)
  }

  /// The windows of a packet; `nil` if it is broken, or its channels have different ones.
  package func windows(of packet: [UInt8]) -> PacketWindows? {
    // Bytes have no padding, as above.
    unsafe decode(packet.span.bytes) == .decoded ? PacketWindows(block.windows) : nil
  }

  /// Counts a broken packet and replaces it by the last good spectra.
  private func conceal() {
    concealedPackets += 1
    concealedInRow += 1
    let gain = concealedInRow <= AACDecoder.fadeLength ? AACDecoder.fade : 0
    block.conceal(bank, gain: gain)
  }
}

// Copying frames out, in the format that the caller wants.
extension AACDecoder {
  /// Copies frames of the last packet as interleaved floats.
  ///
  /// - Parameters:
  ///   - frames: within `0..<frameLength`.
  ///   - target: room for `frames.count * format.channels` floats, which need not be aligned; frames that do not fit
  ///     are left out.
  public func copyFloats(_ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer) {
    unsafe Interleaving.floats(channels, fitting(frames, room: target.count / (4 * channels.count)), to: target)
  }

  /// Copies frames of the last packet as interleaved 16-bit samples, rounded to nearest and clipped.
  ///
  /// - Parameters:
  ///   - frames: within `0..<frameLength`.
  ///   - target: room for `frames.count * format.channels` samples, which need not be aligned; frames that do not fit
  ///     are left out.
  public func copyInt16s(_ frames: Range<Int>, to target: UnsafeMutableRawBufferPointer) {
    unsafe Interleaving.int16s(channels, fitting(frames, room: target.count / (2 * channels.count)), to: target)
  }

  /// Frames of the last packet as a buffer of floats.
  ///
  /// - Parameter frames: within `0..<frameLength`.
  package func buffer(_ frames: Range<Int>) -> PCMBuffer {
    let frames = frames.clamped(to: 0..<frameLength)
    let count = frames.count * format.channels
    // `copyFloats` fills all of it.
    let samples = unsafe [Float](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe copyFloats(frames, to: UnsafeMutableRawBufferPointer(target))
      initialized = count
    }
    return PCMBuffer(samples, sampleRate: format.sampleRate, layout: format.layout)
  }

  /// The requested frames that exist, and only as many as fit.
  private func fitting(_ frames: Range<Int>, room: Int) -> Range<Int> {
    let frames = frames.clamped(to: 0..<frameLength)
    return frames.lowerBound..<min(frames.upperBound, frames.lowerBound + room)
  }
}
