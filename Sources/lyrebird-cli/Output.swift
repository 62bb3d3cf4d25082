internal import Lyrebird

/// Standard output, buffered: a line a sample would otherwise be a system call a sample.
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

  /// Prints a line that `body` appends to the buffer, the line's end excepted.
  func line(_ body: (inout [UInt8]) -> Void) throws(SinkError) {
    body(&buffer)
    buffer.append(UInt8(ascii: "\n"))
    try flushIfFull()
  }

  func flush() throws(SinkError) {
    guard !buffer.isEmpty else { return }
    try sink.write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private func flushIfFull() throws(SinkError) {
    if buffer.count >= Output.capacity { try flush() }
  }
}

/// Standard error: what is not a result.
enum Messages {
  /// Prints a line, whatever names of files are in it.
  static func line(_ text: String) {
    Terminal.writeError(Text.printable(text) + "\n")
  }

  static func warning(_ text: String) {
    line("lyrebird: warning: " + text)
  }
}
