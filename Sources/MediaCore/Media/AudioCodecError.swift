/// Why packets of sound cannot be decoded, or made: the errors of all codecs but AAC, which has its own.
public struct AudioCodecError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// There is no decoder for this codec, only for those named.
    case unsupported(decodable: [String])
    /// The decoder does not support this: a depth, a number of channels.
    case notDecodable(String)
    /// The encoder does not support this.
    case notEncodable(String)
    /// The encoder was finished: nothing can be encoded any more.
    case finished
    /// The packets are encrypted, by the scheme named.
    case encrypted(FourCC)
    /// The track lacks the codec's configuration, without which its packets cannot be decoded.
    case noConfiguration
    /// A sample refers to a description that its track does not have.
    case noDescription(Int)
    /// The data ends before the field does.
    case truncated
    /// A field has a value that makes no sense.
    case invalidValue(UInt64)
    /// What a decoder from outside the library threw, in its own words.
    case other(String)
  }

  /// What went wrong.
  public let code: Code
  /// The codec in words.
  public let codec: String
  /// The field's name, if it is about one.
  public let field: String?
  /// The number of the packet, counted from 0, if it is about one.
  public let packet: UInt64?
  /// The file; empty if only the caller knows it.
  public let file: String

  /// An error from its parts.
  public init(_ code: Code, codec: String, field: String? = nil, packet: UInt64? = nil, file: String = "") {
    self.code = code
    self.codec = codec
    self.field = field
    self.packet = packet
    self.file = file
  }

  /// The same error, with the packet it is about and the file it is in, as far as it does not know them.
  public func located(packet: UInt64? = nil, in file: String) -> AudioCodecError {
    AudioCodecError(
      code, codec: codec, field: field, packet: self.packet ?? packet, file: self.file.isEmpty ? file : self.file)
  }
}

extension AudioCodecError: MediaError {
  public var kind: MediaErrorKind { code == .finished ? .misuse : .badData }
  public var location: MediaErrorLocation { MediaErrorLocation(packet: packet, field: field) }

  public var reason: String {
    switch code {
    case .unsupported: "decoding \(codec) is not supported"
    case .notDecodable(let what): "\(codec): decoding \(what) is not supported"
    case .notEncodable(let what): "\(codec): encoding \(what) is not supported"
    case .finished: "\(codec): it is finished already"
    case .encrypted(let scheme): "the packets are encrypted (\(scheme))"
    case .noConfiguration: "\(codec): the track lacks the configuration that describes its packets"
    case .noDescription(let index): "refers to sample description \(index + 1), which the track does not have"
    case .truncated: "\(codec): the data ends before the field does"
    case .invalidValue(let value): "\(codec): the value \(value) makes no sense"
    case .other(let reason): "\(codec): \(reason)"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .unsupported(let decodable) where decodable.count > 1:
      "\(decodable.dropLast().joined(separator: ", ")) and \(decodable[decodable.count - 1]) can be decoded"
    case .unsupported(let decodable): decodable.first.map { "\($0) can be decoded" }
    case .finished: "encode before finishing, or create a new encoder"
    case .encrypted: "decrypt the file first"
    case .truncated, .invalidValue: "the file is damaged"
    case .notDecodable, .notEncodable, .noConfiguration, .noDescription, .other: nil
    }
  }
}
