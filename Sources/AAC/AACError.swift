public import MediaCore

/// What is wrong with AAC data, or why it cannot be carried as asked.
public struct AACError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The bytes end before the field does.
    case truncated
    /// A field has a value that the standard reserves and that cannot be handled.
    case invalidValue(Int64)
    /// No frame of ADTS or LOAS was found.
    case noFrames
    /// The track is not AAC; its codec is named.
    case notAAC(String)
    /// The packets are encrypted, by the scheme named.
    case encrypted(FourCC)
    /// The track has no AudioSpecificConfig, without which its packets cannot be decoded.
    case noConfiguration
    /// A sample refers to a description that its track does not have.
    case noDescription(Int)
    /// This audio object type cannot be written by `AudioSpecificConfig.written`.
    case cannotWrite(objectType: UInt8)
    /// ADTS cannot express this.
    case notInADTS(ADTSLimit)
    /// The encoder does not support this.
    case cannotEncode(EncoderLimit)
    /// The decoder does not support this: an object type, a frame length, a core coder, a channel configuration.
    case notDecodable(String)
    /// There is a layer on top of the core, SBR or PS, that the library was built without; it can decode just the core.
    case hasExtension(String)
    /// It was used after it was finished.
    case finished
    /// The task that was encoding was cancelled. Encoding cannot be resumed.
    case cancelled
    /// Reading failed.
    case source(SourceError)
    /// Writing failed.
    case sink(SinkError)
  }

  /// What does not fit in an ADTS header. Source: ISO/IEC 14496-3, 1.A.3.2.
  public enum ADTSLimit: Sendable, Hashable {
    /// Two bits hold object types 1 to 4.
    case objectType(UInt8)
    /// Four bits hold an index into a table of 13 rates, in Hz.
    case sampleRate(UInt32)
    /// Three bits hold configurations 0 to 7.
    case channelConfiguration(UInt8)
    /// A frame is 1024 samples for each channel; no flag says otherwise.
    case samplesPerFrame(Int)
    /// Thirteen bits hold a frame's bytes, its header included: 8191.
    case frameBytes(Int)
    /// A layer that needs the stream of a core coder.
    case coreCoder
  }

  /// What went wrong.
  public let code: Code
  /// The file or stream; empty if the error is about packets whose origin only the caller knows.
  public let file: String
  /// The field's name in the standard, if the error is about one.
  public let field: String?
  /// The number of the packet, counted from 0, if the error is about one.
  public let packet: UInt64?
  /// The offset in the source, in bytes.
  public let offset: UInt64?

  /// An error with all its details.
  public init(
    _ code: Code, field: String? = nil, packet: UInt64? = nil, offset: UInt64? = nil, file: String = ""
  ) {
    self.code = code
    self.file = file
    self.field = field
    self.packet = packet
    self.offset = offset
  }

  init(_ error: TransferError) {
    switch error {
    case .source(let error): self.init(Code.source(error))
    case .sink(let error): self.init(Code.sink(error))
    }
  }

  /// The same error, with the packet it is about.
  public func located(packet: UInt64) -> AACError {
    AACError(code, field: field, packet: self.packet ?? packet, offset: offset, file: file)
  }

  /// The same error, with the file it is about.
  public func located(in file: String) -> AACError {
    AACError(code, field: field, packet: packet, offset: offset, file: self.file.isEmpty ? file : self.file)
  }
}

extension AACError: MediaError {
  public var location: MediaErrorLocation { MediaErrorLocation(packet: packet, field: field, offset: offset) }

  public var underlying: (any MediaError)? {
    switch code {
    case .source(let error): error
    case .sink(let error): error
    default: nil
    }
  }

  public var kind: MediaErrorKind {
    switch code {
    case .source(let error): error.kind
    case .sink(let error): error.kind
    case .cannotEncode(.bitRate), .cannotEncode(.quality), .cannotEncode(.constantQuality), .cannotEncode(.lowDelay),
      .finished:
      .misuse
    case .cancelled: .cancelled
    default: .badData
    }
  }

  public var reason: String {
    switch code {
    case .truncated: "the data ends before the field does"
    case .invalidValue(let value): "the value \(value) is not valid"
    case .noFrames: "no frame found; this is not a stream of AAC"
    case .notAAC(let codec): "the track is \(codec), not AAC"
    case .encrypted(let scheme): "the packets are encrypted (\(scheme))"
    case .noConfiguration: "the track lacks the AudioSpecificConfig that describes its packets"
    case .noDescription(let index): "refers to sample description \(index + 1), which the track does not have"
    case .cannotWrite(let type): "writing a configuration of object type \(type) is not supported"
    case .notDecodable(let what): "decoding \(what) is not supported"
    case .hasExtension(let name): "this is \(name); this build can decode only its core"
    case .notInADTS(let limit): limit.description
    case .cannotEncode(let limit): limit.description
    case .finished: "it is finished already"
    case .cancelled: "encoding was cancelled"
    case .source(let error): error.reason
    case .sink(let error): error.reason
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .truncated: "the file is cut short or damaged"
    case .invalidValue: "the file is damaged or not AAC"
    case .notAAC: "keep it in its container or convert it first"
    case .encrypted: "decrypt the file first"
    case .hasExtension: "ask for the core only"
    case .notInADTS: "keep the audio in MP4"
    case .finished: "append before finishing, or create a new one"
    case .source(let error): error.recoverySuggestion
    case .sink(let error): error.recoverySuggestion
    case .noFrames, .noConfiguration, .noDescription, .cannotWrite, .notDecodable, .cannotEncode, .cancelled: nil
    }
  }
}

extension AACError.ADTSLimit: CustomStringConvertible {
  /// A description of why it does not fit.
  public var description: String {
    switch self {
    case .objectType(let type):
      "ADTS holds object types 1 to 4, not \(type) (\(AudioObjectType.name(type)))"
    case .sampleRate(let rate): "ADTS has no code for a sampling rate of \(rate) Hz"
    case .channelConfiguration(let configuration):
      "ADTS holds channel configurations 0 to 7, not \(configuration)"
    case .samplesPerFrame(let count): "ADTS frames hold 1024 samples a channel, not \(count)"
    case .frameBytes(let count): "an ADTS frame holds at most 8191 bytes, not \(count)"
    case .coreCoder: "ADTS cannot carry an AAC layer that depends on a core coder"
    }
  }
}
