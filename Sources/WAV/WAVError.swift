public import MediaCore

/// What is wrong with a WAVE file, or why PCM cannot be written as one.
public struct WAVError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The file does not begin as a WAVE file does.
    case notWAVE
    /// The bytes end before the field does.
    case truncated
    /// A field has a value that makes no sense.
    case invalidValue(UInt64)
    /// The samples are coded in a way that is not PCM: the format tag is given.
    case notPCM(UInt16)
    /// There is no reader for PCM of this many bits, integers or floats.
    case unsupportedBits(Int, isFloat: Bool)
    /// There is no `data` chunk, or no `fmt ` chunk before it.
    case missingChunk(FourCC)
    /// More chunks precede the samples than any sane file has.
    case tooManyChunks
    /// WAVE cannot say this format: too many channels, too high a rate.
    case cannotWrite(AudioFormat)
    /// A buffer has another rate or other channels than the file it is to go into.
    case formatChanged(AudioFormat, to: AudioFormat)
    /// Reading failed.
    case source(SourceError)
    /// Writing failed.
    case sink(SinkError)
  }

  /// What went wrong.
  public let code: Code
  /// The field's name, if it is about one.
  public let field: String?
  /// Where in the source it is, in bytes.
  public let offset: UInt64?

  /// An error with all it knows.
  public init(_ code: Code, field: String? = nil, offset: UInt64? = nil) {
    self.code = code
    self.field = field
    self.offset = offset
  }
}

extension WAVError: CustomStringConvertible {
  /// One line: the place, what is wrong there and what can be done.
  public var description: String {
    let place = [offset.map { "byte \($0)" }, field].compactMap { $0 }.joined(separator: ", ")
    return place.isEmpty ? reason : "\(place): \(reason)"
  }

  private var reason: String {
    switch code {
    case .notWAVE: "not a WAVE file; it would begin with RIFF or RF64, and WAVE"
    case .truncated: "the data ends before the field does; the file is cut short or damaged"
    case .invalidValue(let value): "the value \(value) makes no sense; the file is damaged"
    case .notPCM(let tag): "the samples are \(WAVFormat.name(ofTag: tag)), not PCM; convert the file first"
    case .unsupportedBits(let bits, let isFloat):
      "\(isFloat ? "floats" : "integers") of \(bits) bits are not supported; 8, 16, 24, 32 bits and floats of 32, 64 are"
    case .missingChunk("data"): "there is no data chunk, and so no sample; the file is cut short or damaged"
    case .missingChunk(let type): "there is no \(type) chunk before the samples; the file is damaged"
    case .tooManyChunks: "no samples within the first \(WAVHeaderReader.maximumChunks) chunks; the file is damaged"
    case .cannotWrite(let format): "a WAVE file cannot hold \(format.channels) channels at \(format.sampleRate) Hz"
    case .formatChanged(let old, let new):
      "\(new.channels) channels at \(new.sampleRate) Hz cannot go into a file of \(old.channels) at \(old.sampleRate) Hz"
    case .source(let error): error.description
    case .sink(let error): error.description
    }
  }
}
