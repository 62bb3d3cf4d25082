internal import AudioConversion
internal import MediaCore

/// A decoder whose sound is mixed to the channels of another one.
///
/// Broadcasts change between stereo and surround from one program to the next, and their sound has to come out in one
/// format all the same: that of the beginning.
final class MixedDecoder: AudioDecoder {
  let format: AudioFormat
  private let decoder: any AudioDecoder
  private let matrix: ChannelMatrix
  /// The frames that are copied, before mixing and after it.
  private var samples: [Float]
  private var mixed: [Float] = []

  /// - Parameters:
  ///   - decoder: a decoder of floats.
  ///   - format: floats at the same rate.
  /// - Returns: `nil` if the formats are not like that, or nobody knows how to mix these channels.
  init?(_ decoder: any AudioDecoder, as format: AudioFormat) {
    let own = decoder.format
    guard own.sampleRate == format.sampleRate, own.sampleFormat == .float32, format.sampleFormat == .float32,
      let matrix = try? ChannelMatrix(from: own.layout, to: format.layout)
    else { return nil }
    (self.decoder, self.format, self.matrix) = (decoder, format, matrix)
    samples = [Float](repeating: 0, count: decoder.maximumFrames * own.channels)
    mixed.reserveCapacity(decoder.maximumFrames * format.channels)
  }

  var maximumFrames: Int { decoder.maximumFrames }
  var framesPerPacket: Int? { decoder.framesPerPacket }
  var bytesPerFrame: Int? { decoder.bytesPerFrame }
  var preRoll: Int { decoder.preRoll }
  var seekInterval: Int { decoder.seekInterval }
  var delay: Int { decoder.delay }
  var isLossless: Bool { decoder.isLossless }

  func reset() { decoder.reset() }

  func decodePacket(_ bytes: RawSpan) throws -> DecodedPacket { try decoder.decodePacket(bytes) }

  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    mix(frames)
    for index in 0..<min(mixed.count, samples.count) { samples[index] = mixed[index] }
  }

  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int16>) {
    mix(frames)
    for index in 0..<min(mixed.count, samples.count) { samples[index] = Int16(pcm: mixed[index]) }
  }

  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Int32>) {
    mix(frames)
    for index in 0..<min(mixed.count, samples.count) { samples[index] = Int32(pcm: mixed[index]) }
  }

  private func mix(_ frames: Range<Int>) {
    var span = samples.mutableSpan
    decoder.copy(frames, to: &span)
    mixed.removeAll(keepingCapacity: true)
    let samples = samples
    matrix.mix(samples.span.extracting(first: frames.count * decoder.format.channels), to: &mixed)
  }
}
