/// The decoders that a program has: which of them is for the packets of a track.
///
/// `AudioDecoders.builtIn()` has the library's own. To add one:
///
/// ```
/// let decoders = AudioDecoders.builtIn().adding("Opus") { description in
///   description.codec == "Opus" ? try OpusDecoder(description) : nil
/// }
/// let decoder = try AudioTrackDecoder(movie, track: track, decoders: decoders)
/// ```
public struct AudioDecoders: Sendable {
  /// Makes a decoder for packets of this description; `nil` if they are of another codec.
  ///
  /// Throws if they are of its codec, but cannot be decoded: `AudioCodecError`, or any other error.
  public typealias Maker = @Sendable (SampleDescription) throws -> (any AudioDecoder)?

  private var makers: [(codec: String, make: Maker)] = []

  /// No decoders.
  public init() {}

  /// Names of the codecs, for messages.
  public var codecs: [String] {
    makers.indices.filter { index in !makers[..<index].contains { $0.codec == makers[index].codec } }
      .map { makers[$0].codec }
  }

  /// The same decoders and one more, which is asked before them: it can replace one.
  ///
  /// - Parameters:
  ///   - codec: the name of the codec, for messages.
  ///   - make: makes the decoder.
  public func adding(_ codec: String, _ make: @escaping Maker) -> AudioDecoders {
    var decoders = self
    decoders.makers.insert((codec, make), at: 0)
    return decoders
  }

  /// A decoder for packets of this description.
  ///
  /// - Throws: `AudioCodecError` `.encrypted`; `.unsupported` if none of the decoders is for it; what the decoder's
  ///   maker throws.
  public func decoder(for description: SampleDescription) throws -> any AudioDecoder {
    let name = description.codecName.isEmpty ? description.codec.description : description.codecName
    if let protection = description.protection {
      throw AudioCodecError(.encrypted(protection.scheme), codec: name)
    }
    for maker in makers {
      if let decoder = try maker.make(description) { return decoder }
    }
    throw AudioCodecError(.unsupported(decodable: codecs), codec: name)
  }
}
