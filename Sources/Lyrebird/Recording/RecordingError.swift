public import MediaCore

/// Why something cannot be recorded, or how a failed recording ended.
public struct RecordingError: Error, Sendable, Hashable {
  /// What went wrong, for a program to match on.
  public enum Code: Sendable, Hashable {
    /// The extension of the name does not say what kind of file is wanted.
    case unknownType
    /// An interrupted recording of this name is still there, unfinished.
    case leftover
    /// A recording of this name is in progress, in this process or another.
    case beingRecorded
    /// There is a file of this name, and replacing it was not allowed.
    case exists
    /// What exists there is not a regular file, and so cannot be replaced by one: what it is instead is given.
    case notReplaceable(String)
    /// `stop()` or waiting for the end was called before `start()`.
    case notStarted
    /// It was started a second time.
    case startedBefore
    /// It was cancelled: there is no file.
    case cancelled
    /// Sound was appended to a recording that was finished.
    case finished
    /// Sound was appended whose time is this many frames before the end of what is recorded. Nothing was changed.
    case overlap(frames: UInt64)
    /// Sound was appended whose time is this many frames, more than an hour, after the end of what is recorded. Nothing
    /// was changed.
    case gapTooLong(frames: UInt64)
    /// Sound was appended at another rate or in other channels than the recording was opened with. Nothing was changed.
    case formatChanged(AudioFormat, to: AudioFormat)
    /// It ended without any sound, and there is no new file: for the reason given, or because nothing was appended.
    case nothingRecorded(because: String?)
    /// Writing failed, for the reason given. The file is finished, and holds what was recorded until then.
    case endedEarly(because: String)
    /// The file could not be finished, or would have replaced an older one although it is incomplete: for the reason
    /// given. What was recorded plays, and is kept at the path given; an older file is untouched.
    case unfinished(because: String, kept: String)
    /// The growing file, whose path is given, was moved or removed during the recording.
    case removed(String)
  }

  /// What went wrong.
  public let code: Code
  /// The file it is about.
  public let file: String

  /// An error from its parts.
  public init(_ code: Code, file: String) {
    self.code = code
    self.file = file
  }
}

extension RecordingError: MediaError {
  public var location: MediaErrorLocation { MediaErrorLocation() }

  public var kind: MediaErrorKind {
    switch code {
    case .unknownType, .notStarted, .startedBefore, .overlap, .formatChanged: .misuse
    case .gapTooLong: .badData
    case .leftover, .beingRecorded, .exists, .notReplaceable: .cannotCreate
    case .cancelled: .cancelled
    case .finished, .nothingRecorded, .endedEarly, .unfinished, .removed: .readOrWriteFailed
    }
  }

  public var reason: String {
    switch code {
    case .unknownType: "the name does not say what kind of file to record"
    case .leftover: "an interrupted recording of this name still exists"
    case .beingRecorded: "is being recorded, or read, right now"
    case .exists: "already exists"
    case .notReplaceable(let kind): kind
    case .notStarted: "recording has not been started"
    case .startedBefore: "recording was started before"
    case .cancelled: "the recording was cancelled; there is no file"
    case .finished: "the recording is finished"
    case .overlap(let frames): "the sound begins \(frames) frames before the end of what is recorded"
    case .gapTooLong(let frames):
      "the sound begins \(frames) frames after the end of what is recorded, and no gap of more than an hour is filled"
    case .formatChanged(let old, let new):
      "cannot record \(new.channelText) at \(new.sampleRate) Hz in a file of \(old.channelText) at \(old.sampleRate) Hz"
    case .nothingRecorded(let why): "nothing was recorded, and nothing replaced" + (why.map { ": \($0)" } ?? "")
    case .endedEarly(let why): "the recording ended early: \(why); the file holds what was recorded until then"
    case .unfinished(let why, let kept):
      "not finished, and nothing replaced: \(why); what was recorded is in \(kept), which plays"
    case .removed(let path): "\(path) was moved or removed while it was being recorded, so it cannot be finished"
    }
  }

  public var recoverySuggestion: String? {
    switch code {
    case .unknownType: "use a name that ends in .m4a, .aac or .wav"
    case .leftover: "it can be played: rename it, or remove it"
    case .beingRecorded: "wait until that has ended, or record to another name"
    case .exists: "choose another name, or allow it to be replaced"
    case .notReplaceable: "record to another name"
    case .notStarted: "start it first"
    case .startedBefore, .finished: "make a new one for another recording"
    case .overlap: "append samples in order of time, or the buffer alone, which follows what is recorded"
    case .gapTooLong: "if the time is right, make a new recording of it"
    case .formatChanged: "convert it, or make a new recording of it"
    case .nothingRecorded(nil): "wait for some sound before stopping"
    case .unfinished: "give it another name to keep it"
    case .cancelled, .nothingRecorded, .endedEarly, .removed: nil
    }
  }

  /// The error to report when the file could not be finished after an earlier failure.
  static func told(_ error: any Error, after first: (any Error)?) -> any Error {
    guard let first, !(first is RecordingError), let error = error as? RecordingError else { return error }
    switch error.code {
    case .nothingRecorded: return first
    case .unfinished(let why, let kept):
      return RecordingError(.unfinished(because: "\(reason(first)), and then: \(why)", kept: kept), file: error.file)
    default: return error
    }
  }

  /// What ended the recording, without what became of the file.
  var bareReason: String {
    if case .endedEarly(let why) = code { why } else { reason }
  }

  /// Why something failed, without the name of the file, which the enclosing error gives.
  static func reason(_ error: any Error) -> String {
    (error as? any MediaError)?.root.reason ?? "\(error)"
  }
}
