/// Why something cannot be recorded.
public struct RecordingError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The name does not end in a way that tells what kind of file is wanted.
    case unknownType
    /// A recording of this name was cut off before it was finished, and still is there.
    case leftover
    /// There is a file of this name, and replacing it was not allowed.
    case exists
  }

  /// What went wrong.
  public let code: Code
  /// The file it is about.
  public let file: String

  /// An error with all it knows.
  public init(_ code: Code, file: String) {
    self.code = code
    self.file = file
  }
}

extension RecordingError: CustomStringConvertible {
  /// One line: the file, what is wrong with it and what to do.
  public var description: String {
    switch code {
    case .unknownType: "\(file): cannot tell what to record; use a name that ends in .m4a, .aac or .wav"
    case .leftover:
      "\(file): a recording that was cut off is still there; it plays as it is: give it another name, or remove it"
    case .exists: "\(file): exists already; leave out --no-clobber to replace it"
    }
  }
}
