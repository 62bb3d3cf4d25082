public import MediaCore

/// What is wrong with a file of PCM, or why PCM cannot be written as one.
public struct PCMFileError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The file begins like none of those that are known.
    case notPCMFile
    /// The bytes end before the field does.
    case truncated
    /// A field has a value that makes no sense.
    case invalidValue(UInt64)
    /// The samples are coded in a way that is not PCM: the codec's name is given.
    case notPCM(String)
    /// PCM of this many bits, integers or floats, is not supported.
    case unsupportedBits(Int, isFloat: Bool)
    /// There is no chunk of samples (`data`, `SSND`), or none before it that says what they are (`fmt `, `COMM`,
    /// `desc`).
    case missingChunk(FourCC)
    /// There are more chunks before the samples than any sane file has.
    case tooManyChunks
    /// This does not describe raw samples. The error's field is the part that is wrong, if it is one.
    case invalidRawFormat(String)
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
  /// The chunks that hold samples.
  private static let soundChunks: [FourCC] = ["data", "SSND"]

  public var location: MediaErrorLocation { MediaErrorLocation(field: field, offset: offset) }

  public var underlying: (any MediaError)? {
    switch code {
    case .source(let error): error
    case .sink(let error): error
    default: nil
    }
  }

  public var kind: MediaErrorKind { underlying?.kind ?? (isMisuse ? .misuse : .badData) }

  private var isMisuse: Bool {
    switch code {
    case .finished, .invalidRawFormat: true
    default: false
    }
  }

  public var reason: String {
    switch code {
    case .notPCMFile: "not a PCM file: it does not begin as WAVE, AIFF or CAF does"
    case .truncated: "the data ends before the field does"
    case .invalidValue(let value): "the value \(value) makes no sense"
    case .notPCM(let codec): "the samples are \(codec), not PCM"
    case .unsupportedBits(let bits, let isFloat):
      "\(bits)-bit \(isFloat ? "float" : "integer") samples are not supported"
    case .missingChunk(let type) where PCMFileError.soundChunks.contains(type):
      "there is no \(type) chunk, and so no sample"
    case .missingChunk(let type): "there is no \(type) chunk before the samples"
    case .tooManyChunks: "more than \(ChunkWalker.maximumChunks) chunks"
    case .invalidRawFormat(let text): "\"\(text)\" does not describe raw samples"
    case .cannotWrite(let format): "a WAVE file cannot hold \(format.channelText) at \(format.sampleRate) Hz"
    case .formatChanged(let old, let new):
      "cannot write \(new.channelText) at \(new.sampleRate) Hz to a file of \(old.channelText) at \(old.sampleRate) Hz"
    case .finished: "it is finished already"
    case .source(let error): error.reason
    case .sink(let error): error.reason
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .truncated: "the file is cut short or damaged"
    case .missingChunk(let type) where PCMFileError.soundChunks.contains(type): "the file is cut short or damaged"
    case .missingChunk("COMM"): "the file is damaged; or, from a pipe, COMM follows the samples: read it as a file"
    case .invalidValue, .missingChunk, .tooManyChunks: "the file is damaged"
    case .notPCM: "convert the file first"
    case .unsupportedBits: "use 8, 16, 24 or 32-bit integers, or 32 or 64-bit floats"
    case .invalidRawFormat:
      "write ENCODING:RATE:CHANNELS, as in s16le:44100:2; encodings are u8, s8, ulaw, alaw, and s16, s24, s32, f32, f64 "
        + "with le or be; the rate is up to \(PCMFileFormat.maximumSampleRate), channels up to "
        + "\(PCMFileFormat.maximumChannels)"
    case .finished: "append before finishing, or create a new one"
    case .source(let error): error.recoverySuggestion
    case .sink(let error): error.recoverySuggestion
    case .notPCMFile, .cannotWrite, .formatChanged: nil
    }
  }
}
