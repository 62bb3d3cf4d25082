internal import Lyrebird

/// How the command ends: the numbers of `sysexits.h`, and 128 plus the signal, as in shells.
enum ExitStatus: Int32 {
  case success = 0
  case usage = 64
  case badData = 65
  case noInput = 66
  case noDevice = 69
  case cannotCreate = 73
  case inputOutput = 74
  case hungUp = 129
  case interrupted = 130
  case terminated = 143
}

extension ExitStatus {
  /// The exit status for an error of the library.
  init(_ kind: MediaErrorKind) {
    self =
      switch kind {
      case .notFound: .noInput
      case .badData: .badData
      case .cannotCreate: .cannotCreate
      case .readOrWriteFailed: .inputOutput
      case .noDevice: .noDevice
      case .misuse: .usage
      case .cancelled: .interrupted
      }
  }
}

/// An error of the command itself, or one of the library in the command's terms.
struct Failure: Error, CustomStringConvertible {
  let status: ExitStatus
  /// One line, safe to print.
  let description: String

  init(status: ExitStatus, _ description: String) {
    self.status = status
    self.description = Text.printable(description)
  }

  /// - Parameter file: the file's name, used if the error does not know it.
  init(_ error: any MediaError, file: String = "") {
    if error.kind == .cancelled, let stopped = Interrupt.cutOff ?? Interrupt.stopped {
      self = stopped
      return
    }
    // A script whose variable is empty gets to know that.
    let file = file.isEmpty && error.kind == .notFound ? "''" : file
    self.init(status: ExitStatus(error.kind), error.message(file: file, suggestion: Failure.suggestion(error.root)))
  }

  /// - Parameters:
  ///   - file: the file's name, used if the error does not know it.
  ///   - whatIsLeft: a clause on what became of the output.
  init(_ error: any MediaError, file: String, whatIsLeft: String) {
    let failure = Failure(error, file: file)
    self.init(status: failure.status, "\(failure.description); \(whatIsLeft)")
  }

  /// What to do next, if an option or a verb of the command does it; otherwise the library's own suggestion stands.
  private static func suggestion(_ error: any MediaError) -> String? {
    switch error {
    case let error as SinkError where error.code == .exists: "leave out --no-clobber to replace it"
    case let error as RecordingError where error.code == .exists: "leave out --no-clobber to replace it"
    case let error as AudioIOError: suggestion(error.code)
    case let error as JoinError: suggestion(error)
    case RepairError.noSound: "give an intact file from the same device with --like"
    case RepairError.otherRate: "choose one of these with --rate"
    case let error as MP4Error: suggestion(error.code)
    case let error as AACError: suggestion(error.code)
    default: nil
    }
  }

  private static func suggestion(_ code: AudioIOError.Code) -> String? {
    switch code {
    case .noDevice, .wrongDirection: "`lyrebird devices` lists the devices"
    default: nil
    }
  }

  private static func suggestion(_ code: MP4Error.Code) -> String? {
    switch code {
    case .undescribedTrack, .itemOutsideFile, .unreadableItems: "`lyrebird remux IN OUT --recover` leaves them out"
    case .noMovie(.cut), .sampleOutsideFile: "it was cut short; try `lyrebird repair IN OUT`"
    case .pieceTooLarge: "allow larger files with --size, or keep fewer tracks with --tracks"
    case .noSuchTrack, .nothingToWrite: "`lyrebird info` lists the tracks"
    case .fragmentedMovie: "join them: lyrebird remux IN OUT --layout fast-start"
    default: nil
    }
  }

  private static func suggestion(_ error: JoinError) -> String? {
    switch error {
    case .missingTrack: "choose --tracks audio or --tracks video, or join them anyway with --force"
    case .unlike: "join them anyway with --force"
    default: nil
    }
  }

  private static func suggestion(_ code: AACError.Code) -> String? {
    switch code {
    case .hasExtension: "--core-only decodes that"
    case .cannotEncode(.channels): "--channels 2 mixes them to stereo"
    default: nil
    }
  }
}
