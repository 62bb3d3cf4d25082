internal import AAC
internal import ALAC
public import MediaCore
internal import PCM

extension AudioDecoders {
  /// The library's own decoders: of AAC, Apple Lossless and PCM.
  ///
  /// - Parameter coreOnly: whether to decode only the core of high-efficiency AAC, without SBR and PS.
  public static func builtIn(coreOnly: Bool = false) -> AudioDecoders {
    AudioDecoders()
      .adding("PCM") { try PCMDecoder($0) }
      .adding("Apple Lossless") { $0.codec == "alac" ? ALACDecoder(try ALACConfiguration($0)) : nil }
      .adding("AAC") { try AACDecoder($0, coreOnly: coreOnly) }
  }
}

extension AudioDecoders {
  /// A decoder for a track of this description, with errors that name the file.
  func decoder(for description: SampleDescription?, in file: String) throws(AudioDecodingError) -> any AudioDecoder {
    guard let description else { throw .codec(AudioCodecError(.noDescription(0), codec: "", file: file)) }
    do {
      return try decoder(for: description)
    } catch {
      throw AudioDecodingError(error, codec: description.codecName, file: file)
    }
  }
}

extension AACDecoder {
  /// A decoder of a track's packets; `nil` if they are not AAC.
  fileprivate convenience init?(_ description: SampleDescription, coreOnly: Bool) throws(AACError) {
    let configuration: AudioSpecificConfig
    do throws(AACError) {
      configuration = try AudioSpecificConfig(description)
    } catch {
      if case .notAAC = error.code { return nil }
      throw error
    }
    try self.init(configuration: configuration, coreOnly: coreOnly)
  }
}
