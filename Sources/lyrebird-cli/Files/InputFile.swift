internal import Lyrebird

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// What is marked unsafe here hands a path or a structure to a system call, which does not keep it.

/// An input file of the command: one that can be read at any offset, or a stream, whose bytes come once.
enum InputFile {
  /// Whether a path means standard input: `-`, or one of the names that Linux has for it.
  static func isStandardInput(_ path: String) -> Bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(path)
  }

  /// What messages call an input.
  static func name(_ path: String) -> String { isStandardInput(path) ? "standard input" : path }

  /// Opens a file, a pipe, or standard input.
  ///
  /// - Parameter finishesInput: whether a signal ends a pipe, and not the work on what came from it.
  static func reader(_ path: String, finishesInput: Bool = false) throws(SourceError) -> SourceReader {
    let reader = try isStandardInput(path) ? standardInput() : named(path)
    if finishesInput, reader.isStream { Interrupt.endInputOnly() }
    return reader
  }

  private static func named(_ path: String) throws(SourceError) -> SourceReader {
    guard let file = FileIdentity(path: path), file.isStream else { return SourceReader(try FileSource(path: path)) }
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number != -1 else { throw SourceError(errno == EINTR ? .cancelled : .system(errno), name: path) }
    return stream(number, name: path)
  }

  /// Warns that the end of an input is missing, unless that is so because the user stopped it.
  static func reportMissing(_ bytes: UInt64, file: String) {
    guard bytes > 0, !Interrupt.hasEndedInput else { return }
    Messages.warning("\(name(file)): cut short: \(Text.bytes(bytes)) are missing at its end")
  }

  /// For an input that is nothing known: if there is nothing in it, that is what to say.
  ///
  /// - Throws: `SourceError`; `Failure` if it is empty.
  static func checkHasBytes(_ reader: SourceReader) throws {
    if try reader.bytes(at: 0, count: 1).isEmpty { throw Failure(status: .badData, "\(reader.source.name): empty") }
  }

  /// An inherited file can be read at any offset too, if it has not been read from yet.
  private static func standardInput() -> SourceReader {
    let isFile = FileIdentity(descriptor: STDIN_FILENO)?.isRegular ?? false
    if isFile, lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, let file = try? FileSource(path: "/dev/stdin") {
      return SourceReader(file)
    }
    return stream(STDIN_FILENO, name: "standard input")
  }

  /// Without retries: what a pipe did not deliver it will not deliver when asked again.
  private static func stream(_ file: Int32, name: String) -> SourceReader {
    SourceReader(StreamSource(file: file, name: name), attempts: 0)
  }
}

/// Which file a path or a descriptor refers to, with all links followed.
struct FileIdentity {
  private let status: stat

  /// What a path leads to; `nil` if nothing.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// What a descriptor leads to; `nil` if it is closed.
  init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.status = status
  }

  var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }

  /// Whether bytes come one after another: a pipe, a socket, a terminal.
  var isStream: Bool { [S_IFIFO, S_IFSOCK, S_IFCHR].contains(status.st_mode & S_IFMT) }

  /// Whether bytes go from one process to another, and cannot be changed afterwards.
  var isPipe: Bool { [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) }

  /// Whether two names are one file.
  func isSame(as other: FileIdentity) -> Bool {
    status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino
  }
}

extension SourceReader {
  /// Whether bytes come once, in order, and their number is unknown.
  var isStream: Bool { size == .max }
}
