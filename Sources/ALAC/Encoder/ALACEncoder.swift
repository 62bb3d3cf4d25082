public import MediaCore

/// Encodes PCM as Apple Lossless: what decodes is what went in, bit for bit.
///
/// ```
/// let encoder = try ALACEncoder(format: wav.format)
/// while let sound = try wav.next() { for packet in try encoder.encode(sound) { try muxer.append(packet) } }
/// for packet in encoder.finish() { try muxer.append(packet) }
/// ```
///
/// It takes 16-, 24- and 32-bit integers, and one to eight channels, in the layout that Apple Lossless has for their
/// number; the decoder gives them that layout. Sound of 20 bits comes as 24 with the lowest four 0: `bitDepth` says
/// that they need not be coded. There is no priming: the first packet's first frame is the first one that went in.
public final class ALACEncoder {
  /// The configuration of the stream, for its container.
  public let configuration: ALACConfiguration
  /// The format of what is encoded.
  public let format: AudioFormat
  /// The track that packets say they are of.
  public let trackID: UInt32

  private let elements: ElementWriter
  private let writer: PacketWriter
  /// Frames that are not encoded yet.
  private var waiting: WaitingFrames
  /// Number of the first of them; `nil` before there was any.
  private var firstFrame: Int64?
  private var isFinished = false

  /// An encoder.
  ///
  /// - Parameters:
  ///   - format: the format of the sound. Floats are not lossless: they have to be made integers first.
  ///   - bitDepth: bits of a coded sample: 16, 20, 24 or 32; by default as many as the format has. With fewer, samples
  ///     are rounded to the nearest.
  ///   - trackID: the track that packets say they are of.
  /// - Throws: `AudioCodecError` `.notEncodable`.
  public init(format: AudioFormat, bitDepth: Int? = nil, trackID: UInt32 = 1) throws(AudioCodecError) {
    func refuse(_ what: String) -> AudioCodecError {
      AudioCodecError(.notEncodable(what), codec: ALACConfiguration.codec)
    }
    guard format.sampleFormat != .float32 else { throw refuse("floats") }
    guard (1...8).contains(format.channels) else { throw refuse("\(format.channels) channels") }
    guard ALACConfiguration.sampleRates.contains(format.sampleRate) else {
      throw refuse("a sampling rate of \(format.sampleRate) Hz")
    }
    let bitDepth = bitDepth ?? format.sampleFormat.bitDepth
    guard ALACConfiguration.bitDepths.contains(bitDepth) else { throw refuse("\(bitDepth) bits") }
    configuration = ALACConfiguration(
      bitDepth: bitDepth, channels: format.channels, sampleRate: format.sampleRate)
    self.format = format
    self.trackID = trackID
    elements = ElementWriter(configuration: configuration)
    writer = PacketWriter(capacity: ElementWriter.capacity(configuration))
    waiting = WaitingFrames(configuration)
  }

  /// Encodes sound, directly after that before; its time counts for the first only.
  ///
  /// - Returns: the packets that became full.
  /// - Throws: `AudioCodecError`: `.notEncodable` if the format differs from the encoder's in more than the kind of its
  ///   samples, which changes nothing; `.finished` after `finish()`.
  public func encode(_ sound: PCMSample) throws(AudioCodecError) -> [EncodedSample] {
    if isFinished { throw AudioCodecError(.finished, codec: ALACConfiguration.codec) }
    let buffer = sound.payload
    guard buffer.format.sampleRate == format.sampleRate, buffer.format.channels == format.channels else {
      throw AudioCodecError(
        .notEncodable("a stream that changes its rate or channels"), codec: ALACConfiguration.codec)
    }
    if firstFrame == nil { firstFrame = sound.firstFrame }
    var packets: [EncodedSample] = []
    var frame = 0
    while frame < buffer.frameCount {
      frame += waiting.take(buffer, from: frame)
      if waiting.isFull { packets.append(packet()) }
    }
    return packets
  }

  /// Encodes what is left, fewer frames than a full packet has. Nothing can be encoded after it.
  ///
  /// - Returns: a packet, or none; none when it is called again.
  public func finish() -> [EncodedSample] {
    isFinished = true
    return waiting.count > 0 ? [packet()] : []
  }

  /// Makes a packet of the frames that are waiting.
  private func packet() -> EncodedSample {
    let frames = waiting.count
    var first = 0
    var instances: [UInt32: Int] = [:]
    for element in ALACChannels.elements[format.channels - 1] {
      writer.append(element.tag, bits: 3)
      elements.write(
        Array(waiting.planes[first..<(first + element.channels)]), count: frames,
        instance: instances[element.tag, default: 0], to: writer)
      instances[element.tag, default: 0] += 1
      first += element.channels
    }
    writer.append(ALACChannels.end, bits: 3)
    waiting.removeAll()
    let time = firstFrame ?? 0
    firstFrame = time.saturatingAdd(Int64(frames))
    let timing = SampleTiming(
      decodeTime: time, presentationTime: time, duration: Int64(frames), timescale: UInt32(format.sampleRate))
    return EncodedSample(trackID: trackID, timing: timing, isSync: true, payload: .bytes(writer.finish()[...]))
  }
}
