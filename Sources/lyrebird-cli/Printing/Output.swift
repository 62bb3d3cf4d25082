internal import Lyrebird
internal import Synchronization

/// Standard output, buffered: otherwise each line would be a system call.
final class Output {
  private let sink = FileSink(standardOutput: "standard output")
  private var buffer: [UInt8] = []

  private static let capacity = 64 << 10

  init() {
    StandardDescriptors.endWithReader()
    buffer.reserveCapacity(Output.capacity + 4096)
  }

  /// Prints text and ends the line.
  func line(_ text: String = "") throws(SinkError) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    try flushIfFull()
  }

  /// Prints a line that `body` appends to the buffer, without its line break.
  func line(_ body: (inout [UInt8]) -> Void) throws(SinkError) {
    body(&buffer)
    buffer.append(UInt8(ascii: "\n"))
    try flushIfFull()
  }

  func flush() throws(SinkError) {
    guard !buffer.isEmpty else { return }
    Interrupt.note(leftBehind: Interrupt.incompleteOutput)
    try sink.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private func flushIfFull() throws(SinkError) {
    if buffer.count >= Output.capacity { try flush() }
  }
}

extension Output {
  /// Prints the result of a verb as one JSON object.
  ///
  /// - Parameters:
  ///   - object: the result.
  ///   - isTaken: whether standard output carries media; the object then goes to standard error.
  static func result(_ object: JSONObject, isTaken: Bool = false) throws(SinkError) {
    StatusLine.clear()
    if isTaken { return Terminal.writeError(object.text + "\n") }
    let output = Output()
    try output.line { $0.append(contentsOf: object.closed) }
    try output.flush()
  }
}

/// Standard error: everything that is not a result.
enum Messages {
  private static let quiet = Atomic(false)

  /// Whether only errors are wanted: `--quiet`.
  static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Prints a line, made safe whatever file names are in it, unless only errors are wanted.
  static func line(_ text: String) {
    if !isQuiet { write(Text.printable(text)) }
  }

  static func warning(_ text: String) {
    line("lyrebird: warning: " + text)
  }

  /// Prints the error that ended the command.
  static func error(_ text: String) {
    write("lyrebird: " + text)
  }

  private static func write(_ text: String) {
    StatusLine.clear()
    Terminal.writeError(text + "\n")
  }
}
