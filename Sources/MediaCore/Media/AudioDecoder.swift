/// Decodes the packets of a codec to PCM.
///
/// The library's own decoders conform to it, and so can a program's, for a codec that the library does not know:
/// `AudioDecoders` says which tracks it is for. What it must do is to decode one packet after another and hand out the
/// frames as floats; the rest has defaults.
///
/// It neither reads files nor trims: `AudioTrackDecoder` does, and it asks only for frames of the packet decoded last.
public protocol AudioDecoder: AnyObject {
  /// The format of the frames, the same for all packets. Its sample format is the one that loses nothing: floats, or
  /// integers, for which the functions that copy integers must be implemented, too.
  var format: AudioFormat { get }
  /// The most frames that a packet yields.
  var maximumFrames: Int { get }
  /// Frames of each packet but the last, for codecs whose packets all have the same number; by default `nil`: then
  /// the number follows from the durations of the packets in the file, or from `bytesPerFrame`.
  var framesPerPacket: Int? { get }
  /// Bytes of a frame, for codecs whose packets are any number of frames of one size, so that packets may be divided
  /// and joined: PCM. By default `nil`. If set, it gets no packet of more than `maximumFrames`.
  var bytesPerFrame: Int? { get }
  /// How many packets before the one sought have to be decoded for its frames to be right; by default 0.
  var preRoll: Int { get }
  /// After a seek, decoding begins with a packet whose number is a multiple of this; by default 1.
  var seekInterval: Int { get }
  /// Frames by which the sound is later than the times of its packets say, because of the decoder itself; by default 0.
  var delay: Int { get }
  /// Whether the frames are the ones that were encoded, so that `format` is what a file of them should have; by default
  /// whether the samples are integers. What a lossy codec yields has no depth of its own.
  var isLossless: Bool { get }

  /// Forgets earlier packets, as for a seek. By default nothing.
  func reset()

  /// Decodes a packet; its frames can then be copied.
  ///
  /// - Parameter bytes: one packet. It may be damaged in any way, as files may be.
  /// - Returns: how many frames it yields. If it is broken, frames in its place may be made up, and `fault` says why.
  /// - Throws: what keeps the whole stream from being decoded, such as an extension that is not supported. For a
  ///   broken packet it returns a fault instead, and goes on with the next one.
  func decodePacket(_ bytes: RawSpan) throws -> DecodedPacket

  /// Copies frames of the packet decoded last as floats, full scale at -1 and 1, not clipped.
  ///
  /// - Parameters:
  ///   - frames: some of its frames.
  ///   - samples: its beginning is overwritten, with interleaved channels in the order of `format.layout`. The frames
  ///     fit.
  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>)

  /// The same as 16-bit integers. By default the floats, rounded to the nearest, ties to even, and clipped.
  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>)

  /// The same as 32-bit integers, full scale at the ends of `Int32`, whatever the depth. By default the floats, rounded
  /// and clipped.
  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int32>)
}

/// What became of a packet.
public struct DecodedPacket: Sendable {
  /// Frames that it yields, `maximumFrames` at most.
  public var frames: Int
  /// Why it could not be decoded; its frames are then made up. `nil` if it was.
  public var fault: (any MediaError)?
  /// Bytes that it took, where what follows may be another packet; `nil` for all of them.
  public var usedBytes: Int?

  /// A packet from its parts.
  public init(frames: Int, fault: (any MediaError)? = nil, usedBytes: Int? = nil) {
    self.frames = frames
    self.fault = fault
    self.usedBytes = usedBytes
  }
}

extension AudioDecoder {
  /// The packet to begin with so that another one comes out right.
  package func start(for packet: Int64) -> Int64 {
    let interval = Int64(max(seekInterval, 1))
    return max(packet - Int64(max(preRoll, 0)), 0) / interval * interval
  }

  /// Packets may differ.
  public var framesPerPacket: Int? { nil }
  /// Packets cannot be divided.
  public var bytesPerFrame: Int? { nil }
  /// Packets do not depend on those before.
  public var preRoll: Int { 0 }
  /// Any packet will do.
  public var seekInterval: Int { 1 }
  /// None.
  public var delay: Int { 0 }
  /// Whether the samples are integers.
  public var isLossless: Bool { format.sampleFormat != .float32 }
  /// Nothing: there is nothing to forget.
  public func reset() {}

  /// The floats, rounded to the nearest, ties to even, and clipped.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>) {
    let floats = floats(frames)
    for index in 0..<min(floats.count, samples.count) { samples[index] = Int16(pcm: floats[index]) }
  }

  /// The floats, rounded to the nearest, ties to even, and clipped.
  public func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int32>) {
    let floats = floats(frames)
    for index in 0..<min(floats.count, samples.count) { samples[index] = Int32(pcm: floats[index]) }
  }

  private func floats(_ frames: Range<Int>) -> [Float] {
    var floats = [Float](repeating: 0, count: frames.count * format.channels)
    var span = floats.mutableSpan
    copy(frames, to: &span)
    return floats
  }

  /// Frames of the packet decoded last as a buffer, in the decoder's own format.
  package func buffer(_ frames: Range<Int>) -> PCMBuffer {
    let (rate, layout, count) = (format.sampleRate, format.layout, frames.count * format.channels)
    switch format.sampleFormat {
    case .float32: return PCMBuffer(floats(frames), sampleRate: rate, layout: layout)
    case .int16:
      var samples = [Int16](repeating: 0, count: count)
      var span = samples.mutableSpan
      copy(frames, to: &span)
      return PCMBuffer(samples, sampleRate: rate, layout: layout)
    case .int24, .int32:
      var samples = [Int32](repeating: 0, count: count)
      var span = samples.mutableSpan
      copy(frames, to: &span)
      return PCMBuffer(samples, sampleFormat: format.sampleFormat, sampleRate: rate, layout: layout)
    }
  }
}
