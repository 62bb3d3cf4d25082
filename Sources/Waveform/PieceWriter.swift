internal import MediaCore

/// Gathers bytes into pieces that are worth a system call.
struct PieceWriter {
  private let sink: any ByteSink
  private var bytes: [UInt8] = []
  private static let pieceBytes = 1 << 16

  init(_ sink: any ByteSink) {
    self.sink = sink
    bytes.reserveCapacity(PieceWriter.pieceBytes + 256)
  }

  mutating func write(_ more: some Sequence<UInt8>) throws(SinkError) {
    bytes.append(contentsOf: more)
    if bytes.count >= PieceWriter.pieceBytes { try flush() }
  }

  mutating func write(_ text: String) throws(SinkError) { try write(text.utf8) }

  mutating func flush() throws(SinkError) {
    guard !bytes.isEmpty else { return }
    try sink.write(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
