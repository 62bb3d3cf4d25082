internal import Lyrebird

/// Encodes the sound of a file into another, with progress: what `encode` does.
enum Encoding {
  /// Frames between two checks of the clock and of signals.
  private static let stride: UInt64 = 1 << 14

  /// - Parameters:
  ///   - sound: what is encoded, in the format that it delivers.
  ///   - writer: takes it.
  ///   - file: the name of the input in messages.
  /// - Throws: `AudioDecodingError`, `AudioWritingError`, `Failure` if a signal came: no output is left then.
  static func run(_ sound: AudioReader, to writer: AudioWriter, file: String) throws -> AudioWriter.Summary {
    var progress = Progress("encode")
    sound.reportFaults(file: file)
    let bytesPerFrame = UInt64(sound.format.bytesPerFrame)
    let total = sound.frameCount.map { UInt64(clamping: $0) }
    var next: UInt64 = 0
    while let block = try sound.next() {
      try writer.append(block)
      let done = writer.frameCount
      guard sound.isStream || done >= next else { continue }
      next = done + stride
      try progress.update(done, of: total, bytes: done * bytesPerFrame)
    }
    try sound.checkFaults(file: file)
    sound.reportMissing(file: file)
    try sound.checkUnchanged()
    // Making it louder or softer begins only now.
    var second = Progress("loudness")
    let summary = try writer.finish { part in
      try second.update(UInt64(part * 1000), of: 1000, bytes: UInt64(part * Double(writer.frameCount * bytesPerFrame)))
    }
    progress.clear()
    return summary
  }
}
