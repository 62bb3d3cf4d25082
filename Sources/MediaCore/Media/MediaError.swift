/// What all errors of the library have in common: a code to match on, the file, the location in it, what happened and
/// what to do next.
///
/// Each part of the library throws its own type, by typed throws; code that handles them all alike needs only this:
///
/// ```swift
/// do {
///   try remux()
/// } catch let error as any MediaError {
///   print(error.description)       // one line: file, place, what happened, what to do
///   if error.kind == .notFound { … }
/// }
/// ```
///
/// An error may merely pass on what went wrong further down, as `MP4Error` `.source` does: `underlying` is then that
/// error, and the message is that error's.
public protocol MediaError: Error, Sendable, CustomStringConvertible {
  /// The codes of this part of the library.
  associatedtype Code: Sendable, Hashable

  /// What went wrong, for a program to match on.
  var code: Code { get }
  /// What kind of thing went wrong, for a program that handles the errors of all parts alike.
  var kind: MediaErrorKind { get }
  /// The file, by the name it was opened with, or the device; empty if the error is about neither, or if only the
  /// caller knows which.
  var file: String { get }
  /// The location in the file.
  var location: MediaErrorLocation { get }
  /// What happened, without file and location.
  var reason: String { get }
  /// What to do next; `nil` if nothing can be done.
  var recoverySuggestion: String? { get }
  /// The error that this one passes on, if it does nothing else.
  var underlying: (any MediaError)? { get }
}

extension MediaError {
  /// None by default.
  public var underlying: (any MediaError)? { nil }

  /// The error where it first arose: the end of the chain of `underlying`.
  public var root: any MediaError {
    // Errors are values, which cannot contain themselves: the chain ends.
    underlying?.root ?? self
  }

  /// One line: the file, the location in it, what happened, and what to do. Safe to print, whatever the file is called.
  public var description: String { message() }

  /// The same as `description`, for programs that import Foundation. For errors held as `any Error`, where only
  /// Foundation's protocols count, `import LyrebirdFoundation` does the same.
  public var localizedDescription: String { description }

  /// The line of `description`, with another suggestion, or with a file name that the error does not know.
  ///
  /// - Parameters:
  ///   - file: the name of the file, used if the error has none.
  ///   - suggestion: what to do next, instead of `recoverySuggestion`: in the terms of the program, such as the option
  ///     that helps.
  public func message(file: String = "", suggestion: String? = nil) -> String {
    let error = root
    let name = error.file.isEmpty ? file : error.file
    let parts = [name, error.location.description, error.reason].filter { !$0.isEmpty }
    var text = parts.first ?? ""
    for part in parts.dropFirst() { text += ": " + part }
    if let suggestion = suggestion ?? error.recoverySuggestion { text += "; " + suggestion }
    return printable(text)
  }
}

/// An error that is its own code: one of several errors that it passes on. Everything it says comes from `underlying`.
/// Only the suggestion has to be forwarded explicitly, as Foundation's `LocalizedError` has a default of that name,
/// too.
extension MediaError where Code == Self {
  /// The error itself.
  public var code: Self { self }
  /// The kind of the error that is passed on.
  public var kind: MediaErrorKind { underlying?.kind ?? .badData }
  /// The file of the error that is passed on.
  public var file: String { underlying?.file ?? "" }
  /// The location of the error that is passed on.
  public var location: MediaErrorLocation { underlying?.location ?? MediaErrorLocation() }
  /// The reason of the error that is passed on.
  public var reason: String { underlying?.reason ?? "" }
}

/// What kind of thing went wrong: the same for all parts of the library.
public enum MediaErrorKind: Sendable, Hashable {
  /// There is no such file, or it cannot be opened for reading.
  case notFound
  /// The data is damaged, or is something that is not supported.
  case badData
  /// The output cannot be made: no permission, no such folder, or it exists and may not be replaced.
  case cannotCreate
  /// Reading or writing failed partway.
  case readOrWriteFailed
  /// No such device, or no sound server, or it went away.
  case noDevice
  /// What was asked for cannot be done, whatever the data is: a value out of range, a call in the wrong order.
  case misuse
  /// It was cancelled.
  case cancelled
}

/// A location in a file, as far as an error knows it.
public struct MediaErrorLocation: Sendable, Hashable {
  /// The track's number.
  public var trackID: UInt32?
  /// The number of the packet, counted from 0.
  public var packet: UInt64?
  /// Types of the enclosing boxes, outermost first: `moov/trak/mdia`.
  public var path: String?
  /// The field's name in the standard.
  public var field: String?
  /// The byte offset from the start of the file.
  public var offset: UInt64?

  /// A location from the parts that are known.
  public init(
    trackID: UInt32? = nil, packet: UInt64? = nil, path: String? = nil, field: String? = nil, offset: UInt64? = nil
  ) {
    self.trackID = trackID
    self.packet = packet
    self.path = path
    self.field = field
    self.offset = offset
  }
}

extension MediaErrorLocation: CustomStringConvertible {
  /// The location in words: `track 1: moov/trak/mdia/mdhd.duration at byte 4711`; empty if nothing is known.
  public var description: String {
    var text = ""
    func add(_ part: String, after separator: String) { text += text.isEmpty ? part : separator + part }
    if let trackID { add("track \(trackID)", after: "") }
    if let packet { add("packet \(packet)", after: ", ") }
    let names = [path, field].compactMap { $0 }.filter { !$0.isEmpty }
    if let first = names.first {
      add(names.count > 1 ? "\(first).\(names[1])" : first, after: ": ")
      if let offset { text += " at byte \(offset)" }
    } else if let offset {
      add("byte \(offset)", after: ", ")
    }
    return text
  }
}
