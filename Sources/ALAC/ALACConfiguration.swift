public import MediaCore

/// The configuration of an Apple Lossless stream, its "magic cookie": what every packet leaves out.
///
/// Source: Apple Lossless Audio Codec, ALACMagicCookieDescription.
public struct ALACConfiguration: Sendable, Hashable {
  /// Frames of a full packet, 1 to 65 536; those before the last usually are. 4096 is what encoders use.
  public let frameLength: Int
  /// Bits of a sample: 16, 20, 24 or 32.
  public let bitDepth: Int
  /// Channels, 1 to 8.
  public let channels: Int
  /// Frames a second.
  public let sampleRate: Int
  /// How fast the expected size of residuals follows the actual one; `pb`, 40 as a rule.
  public let historyMultiplier: UInt8
  /// The size expected of the first residual; `mb`, 10 as a rule.
  public let initialHistory: UInt8
  /// The most bits of a residual that are not coded in unary, 1 to 31; `kb`, 14 as a rule.
  public let riceLimit: UInt8

  /// The longest packet that is decoded, in frames: sixteen times the usual one. It bounds the memory of a decoder.
  public static let maximumFrameLength = 65_536
  /// The highest believable rate: that of WAVE files.
  static let sampleRates = 1...6_144_000
  /// The numbers of bits that a sample can have.
  static let bitDepths = [16, 20, 24, 32]
  private static let byteCount = 24

  /// The configuration of an encoder, with the numbers that all of them use.
  init(bitDepth: Int, channels: Int, sampleRate: Int) {
    frameLength = 4096
    self.bitDepth = bitDepth
    self.channels = channels
    self.sampleRate = sampleRate
    (historyMultiplier, initialHistory, riceLimit) = (40, 10, 14)
  }

  /// The configuration as an `alac` box has it: version and flags, and the 24 bytes. The size of the largest packet and
  /// the mean bit rate, which nothing needs, are 0: not known.
  public var written: [UInt8] {
    var bytes: [UInt8] = [0, 0, 0, 0]
    bytes.appendBigEndian(UInt32(truncatingIfNeeded: frameLength))
    bytes += [0, UInt8(truncatingIfNeeded: bitDepth), historyMultiplier, initialHistory, riceLimit]
    bytes += [UInt8(truncatingIfNeeded: channels), 0, 255, 0, 0, 0, 0, 0, 0, 0, 0]
    bytes.appendBigEndian(UInt32(truncatingIfNeeded: sampleRate))
    return bytes
  }

  /// Reads a configuration.
  ///
  /// - Parameter bytes: its 24 bytes, with version and flags before them, as an `alac` box has, or wrapped in the atoms
  ///   `frma` and `alac`, as in old files, or none of this. What follows, such as a channel layout, is ignored: the
  ///   number of channels says it all.
  /// - Throws: `AudioCodecError`: `.noConfiguration`, `.notDecodable`, `.invalidValue`.
  public init(_ bytes: [UInt8]) throws(AudioCodecError) {
    guard let fields = ALACConfiguration.unwrapped(bytes[...]) else {
      throw AudioCodecError(.noConfiguration, codec: ALACConfiguration.codec)
    }
    let span = Array(fields).span
    frameLength = Int(span.bigEndian(at: 0, as: UInt32.self))
    bitDepth = Int(span[5])
    (historyMultiplier, initialHistory, riceLimit) = (span[6], span[7], span[8])
    channels = Int(span[9])
    sampleRate = Int(span.bigEndian(at: 20, as: UInt32.self))
    func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws(AudioCodecError) {
      guard !range.contains(value) else { return }
      throw AudioCodecError(.invalidValue(UInt64(value)), codec: ALACConfiguration.codec, field: name)
    }
    guard span[4] == 0 else {
      throw AudioCodecError(.notDecodable("version \(span[4]) of it"), codec: ALACConfiguration.codec)
    }
    try check("frameLength", frameLength, 1...ALACConfiguration.maximumFrameLength)
    guard ALACConfiguration.bitDepths.contains(bitDepth) else {
      throw AudioCodecError(.notDecodable("\(bitDepth) bits"), codec: ALACConfiguration.codec)
    }
    try check("numChannels", channels, 1...ALACChannels.layouts.count)
    try check("kb", Int(riceLimit), 1...31)
    try check("sampleRate", sampleRate, ALACConfiguration.sampleRates)
  }

  /// The name of the codec in errors.
  static let codec = "Apple Lossless"

  /// The 24 bytes inside whatever is around them.
  private static func unwrapped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var bytes = bytes
    // Atoms have a size and a type; that of `alac` goes on with version and flags.
    func type(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(bytes.dropFirst(4).prefix(4)) }
    if type(bytes) == Array("frma".utf8) { bytes = bytes.dropFirst(12) }
    if type(bytes) == Array("alac".utf8) { bytes = bytes.dropFirst(8) }
    // Version and flags are 0, which a frame length is not.
    if bytes.count >= byteCount + 4, bytes.prefix(4).allSatisfy({ $0 == 0 }) { bytes = bytes.dropFirst(4) }
    return bytes.count >= byteCount ? bytes.prefix(byteCount) : nil
  }
}

extension ALACConfiguration {
  /// The configuration in a track's description.
  ///
  /// - Throws: `AudioCodecError`: `.unsupported` for another codec, `.encrypted`; or as reading its bytes.
  public init(_ description: SampleDescription) throws(AudioCodecError) {
    guard description.codec == "alac", case .audio(let format) = description.format else {
      throw AudioCodecError(.unsupported(decodable: [ALACConfiguration.codec]), codec: description.codecName)
    }
    if let protection = description.protection {
      throw AudioCodecError(.encrypted(protection.scheme), codec: ALACConfiguration.codec)
    }
    self = try ALACConfiguration(format.decoderConfiguration)
  }

  /// The format of the decoded sound; 20 bits are the upper ones of 24.
  public var format: AudioFormat {
    let sampleFormat: AudioFormat.SampleFormat =
      switch bitDepth {
      case ...16: .int16
      case ...24: .int24
      default: .int32
      }
    return AudioFormat(
      sampleRate: sampleRate, sampleFormat: sampleFormat, layout: ALACChannels.layouts[channels - 1])
  }
}
