internal import Lyrebird

/// How the command ends; the numbers of `sysexits.h`, and 128 plus the signal as shells count.
enum ExitStatus: Int32 {
  case success = 0
  case usage = 64
  case badData = 65
  case noInput = 66
  case noDevice = 69
  case cannotCreate = 73
  case inputOutput = 74
  case interrupted = 130
  case terminated = 143
}

/// An error of the command itself.
struct Failure: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  init(status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }
}

extension Failure {
  /// What is wrong with the boxes of a file.
  init(_ error: BoxError, file: String) {
    if case .source(let source) = error.code {
      self.init(status: source.status, source.description)
    } else {
      self.init(status: .badData, "\(file): \(error)")
    }
  }
}

extension Failure {
  /// What is wrong with the AAC of a file.
  init(_ error: AACError, file: String) {
    switch error.code {
    case .source(let source): self.init(status: source.status, source.description)
    case .sink(let sink): self.init(status: sink.status, sink.description)
    default: self.init(status: .badData, "\(file): \(error)")
    }
  }
}

extension Failure {
  /// What is wrong with a WAVE file.
  init(_ error: WAVError, file: String) {
    switch error.code {
    case .source(let source): self.init(status: source.status, source.description)
    case .sink(let sink): self.init(status: sink.status, sink.description)
    default: self.init(status: .badData, "\(file): \(error)")
    }
  }
}

extension Failure {
  /// Why sound cannot be decoded.
  init(_ error: AudioDecodingError, file: String) {
    switch error {
    case .movie(let error): self.init(status: error.status, error.description)
    case .aac(let error):
      if case .hasExtension(let name) = error.code {
        self.init(
          status: .badData, "\(file): this is \(name), of which only the core can be decoded: --core-only does that")
      } else {
        self.init(error, file: file)
      }
    }
  }
}

/// An error that knows how the command ends with it.
protocol ExitStatusError: Error, CustomStringConvertible {
  var status: ExitStatus { get }
}

extension Failure: ExitStatusError {}

extension SourceError: ExitStatusError {
  var status: ExitStatus {
    switch code {
    case .notFound, .notReadable: .noInput
    case .system, .endedEarly, .changed: .inputOutput
    }
  }
}

extension SinkError: ExitStatusError {
  var status: ExitStatus {
    switch code {
    case .cannotCreate, .exists: .cannotCreate
    case .writeFailed, .cannotPatch, .finished: .inputOutput
    }
  }
}

extension MP4Error: ExitStatusError {
  var status: ExitStatus {
    switch code {
    case .source(let error): error.status
    case .sink(let error): error.status
    case .cancelled: .interrupted
    default: .badData
    }
  }
}

extension RecordingError: ExitStatusError {
  var status: ExitStatus {
    switch code {
    case .unknownType: .usage
    case .leftover, .exists: .cannotCreate
    }
  }
}

extension AudioIOError: ExitStatusError {
  var status: ExitStatus {
    switch code {
    case .noLibrary, .noServer, .serverLost, .deviceLost, .noDevice, .refused, .wrongState: .noDevice
    case .formatNotSupported: .usage
    case .formatChanged: .badData
    case .file: .inputOutput
    }
  }
}
