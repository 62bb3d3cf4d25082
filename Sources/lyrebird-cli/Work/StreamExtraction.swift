internal import Lyrebird

/// Writes the packets of a stream of LOAS as ADTS, with progress.
struct StreamExtraction {
  private var stream: AACStream
  private let file: String

  /// Packets between two checks of the clock and of signals.
  private static let stride: UInt64 = 1024

  init(_ stream: AACStream, file: String) {
    self.stream = stream
    self.file = file
  }

  /// - Throws: `Failure` for what ADTS cannot express, and where reading fails: nothing is written then.
  func run(to sink: any ByteSink) throws -> ADTSWriter.Summary {
    var stream = stream
    do {
      let track = stream.track
      var writer = try ADTSWriter(sink: sink, track: track)
      var known = track.descriptions.count
      var progress = Progress("extract")
      while let packet = try stream.next() {
        if packet.descriptionIndex >= known {
          let descriptions = stream.track.descriptions
          writer.update(descriptions)
          known = descriptions.count
        }
        try writer.append(packet)
        // The reader of a pipe waits for it.
        if !sink.canPatch { try writer.flush() }
        guard stream.packetCount.isMultiple(of: StreamExtraction.stride) else { continue }
        try progress.update(stream.packetCount, of: nil, bytes: stream.payloadBytes)
      }
      progress.clear()
      stream.warn(file: file)
      try stream.checkUnchanged()
      return try writer.finish()
    } catch let error as AACError {
      throw Failure(error, file: file)
    }
  }
}
