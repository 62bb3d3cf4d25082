internal import Lyrebird

/// Encodes PCM into an ADTS stream, with progress: what `encode` does.
struct Encoding: ~Copyable {
  private var encoder: AACEncoder
  private var writer: ADTSWriter

  /// What was made.
  struct Summary {
    var frames: UInt64 = 0
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    var priming = 0
    var remainder = 0
  }

  init(encoder: consuming AACEncoder, sink: any ByteSink) throws(AACError) {
    writer = try ADTSWriter(sink: sink, configuration: encoder.configuration)
    self.encoder = encoder
  }

  /// - Throws: `AACError`, `WAVError`, `Failure` where a signal came: no output is left then.
  consuming func run(_ wav: inout WAVReader) throws -> Summary {
    var summary = Summary()
    var progress = Progress("encode")
    summary.priming = encoder.priming
    while let buffer = try wav.next() {
      for packet in try encoder.encode(buffer) { try writer.append(packet) }
      summary.frames = wav.position
      try progress.update(
        wav.position, of: wav.frameCount ?? .max, bytes: wav.position * UInt64(encoder.format.bytesPerFrame))
    }
    let ending = encoder.finish()
    for packet in ending.packets { try writer.append(packet) }
    let written = try writer.finish()
    summary.packets = written.packets
    summary.bytes = written.bytes
    summary.remainder = ending.remainder
    return summary
  }
}
