public import MediaCore

/// What is wrong with a WAVE file, or why PCM cannot be written as one.
public struct PCMFileError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The file does not begin as a WAVE file does.
    case notPCMFile
    /// The bytes end before the field does.
    case truncated
    /// A field has a value that makes no sense.
    case invalidValue(UInt64)
    /// The samples are coded in a way that is not PCM: the format tag is given.
    case notPCM(UInt16)
    /// PCM of this many bits, integers or floats, is not supported.
    case unsupportedBits(Int, isFloat: Bool)
    /// There is no `data` chunk, or no `fmt ` chunk before it.
    case missingChunk(FourCC)
    /// There are more chunks before the samples than any sane file has.
    case tooManyChunks
    /// WAVE cannot store this format: too many channels, too high a rate.
    case cannotWrite(AudioFormat)
    /// A buffer's rate or channels differ from those of the file.
    case formatChanged(AudioFormat, to: AudioFormat)
    /// It was used after it was finished.
    case finished
    /// Reading failed.
    case source(SourceError)
    /// Writing failed.
    case sink(SinkError)
  }

  /// What went wrong.
  public let code: Code
  /// The file; empty where only the caller knows it.
  public let file: String
  /// The field's name, if it is about one.
  public let field: String?
  /// Where in the source it is, in bytes.
  public let offset: UInt64?

  /// An error from its parts.
  public init(_ code: Code, field: String? = nil, offset: UInt64? = nil, file: String = "") {
    self.code = code
    self.file = file
    self.field = field
    self.offset = offset
  }

  /// The same error with the name of its file.
  public func located(in file: String) -> PCMFileError {
    PCMFileError(code, field: field, offset: offset, file: self.file.isEmpty ? file : self.file)
  }
}

extension PCMFileError: MediaError {
  public var location: MediaErrorLocation { MediaErrorLocation(field: field, offset: offset) }

  public var underlying: (any MediaError)? {
    switch code {
    case .source(let error): error
    case .sink(let error): error
    default: nil
    }
  }

  public var kind: MediaErrorKind { underlying?.kind ?? (code == .finished ? .misuse : .badData) }

  public var reason: String {
    switch code {
    case .notPCMFile: "not a WAVE file; it would begin with RIFF or RF64, and WAVE"
    case .truncated: "the data ends before the field does"
    case .invalidValue(let value): "the value \(value) makes no sense"
    case .notPCM(let tag): "the samples are \(WAVFormat.name(ofTag: tag)), not PCM"
    case .unsupportedBits(let bits, let isFloat): "\(isFloat ? "floats" : "integers") of \(bits) bits are not supported"
    case .missingChunk("data"): "there is no data chunk, and so no sample"
    case .missingChunk(let type): "there is no \(type) chunk before the samples"
    case .tooManyChunks: "no samples within the first \(WAVHeaderReader.maximumChunks) chunks"
    case .cannotWrite(let format): "a WAVE file cannot hold \(format.channels) channels at \(format.sampleRate) Hz"
    case .formatChanged(let old, let new):
      "\(new.channels) channels at \(new.sampleRate) Hz cannot go into a file of \(old.channels) at \(old.sampleRate) Hz"
    case .finished: "it was finished"
    case .source(let error): error.reason
    case .sink(let error): error.reason
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .truncated, .missingChunk("data"): "the file is cut short or damaged"
    case .invalidValue, .missingChunk, .tooManyChunks: "the file is damaged"
    case .notPCM: "convert the file first"
    case .unsupportedBits: "8, 16, 24, 32 bits and floats of 32, 64 are"
    case .finished: "append before that, or make another one"
    case .source(let error): error.recoverySuggestion
    case .sink(let error): error.recoverySuggestion
    case .notPCMFile, .cannotWrite, .formatChanged: nil
    }
  }
}
