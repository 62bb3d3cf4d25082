public import MediaCore

/// Why sound cannot be converted as asked.
public struct ConversionError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// A sampling rate, in Hz, is outside the range that can be converted.
    case sampleRate(Int, ClosedRange<Int>)
    /// There are more channels than can be converted, or none.
    case channels(Int, ClosedRange<Int>)
    /// No rule says how to make the second layout of the first.
    case noMatrix(from: ChannelLayout, to: ChannelLayout)
    /// A matrix of this many inputs and outputs is not for these formats.
    case matrixSize(inputs: Int, outputs: Int)
    /// The coefficients of a matrix are too few or too many, or one of them is no finite number.
    case coefficients(Int)
    /// A buffer's rate or channels differ from those that the converter was made for.
    case formatChanged(AudioFormat, to: AudioFormat)
    /// It was used after it was finished.
    case finished
  }

  /// What went wrong.
  public let code: Code

  /// An error of this code.
  public init(_ code: Code) { self.code = code }
}

extension ConversionError: MediaError {
  public var kind: MediaErrorKind { .misuse }
  public var file: String { "" }
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var reason: String {
    switch code {
    case .sampleRate(let rate, let range):
      "\(rate) Hz cannot be converted; rates from \(range.lowerBound) to \(range.upperBound) Hz can"
    case .channels(let count, let range):
      "\(count) channels cannot be converted; \(range.lowerBound) to \(range.upperBound) can"
    case .noMatrix(let from, let to):
      "there is no rule for mixing these \(from.channels) channels to those \(to.channels)"
    case .matrixSize(let inputs, let outputs):
      "the matrix is for \(inputs) channels in and \(outputs) out, but the formats have others"
    case .coefficients(let count): "\(count) coefficients do not fit the matrix, or one of them is not finite"
    case .formatChanged(let old, let new):
      "expected \(old.channelText) at \(old.sampleRate) Hz, got \(new.channelText) at \(new.sampleRate) Hz"
    case .finished: "it is finished already"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .noMatrix: "give a matrix of your own"
    case .formatChanged: "make a converter for the new format"
    case .finished: "convert before that, or reset it"
    case .sampleRate, .channels, .matrixSize, .coefficients: nil
    }
  }
}
