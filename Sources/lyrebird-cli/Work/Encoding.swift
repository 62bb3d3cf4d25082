internal import Lyrebird

/// Encodes the sound of a file into another: what `encode` does.
enum Encoding {
  /// - Parameters:
  ///   - sound: what is encoded, in the format that it delivers.
  ///   - writer: takes it.
  ///   - file: the name of the input in messages.
  /// - Throws: `AudioDecodingError`, `AudioWritingError`, `Failure` if a signal came: no output is left then.
  static func run(_ sound: AudioReader, to writer: AudioWriter, file: String) throws -> AudioWriter.Summary {
    try sound.pull("encode", file: file, total: sound.frameCount) {
      guard let block = try sound.next() else { return nil }
      try writer.append(block)
      return block.payload.frameCount
    }
    // Making it louder or softer begins only now.
    let bytes = Double(writer.frameCount) * Double(sound.format.bytesPerFrame)
    var progress = Progress("loudness")
    let summary = try writer.finish { part in
      try progress.update(UInt64(part * 1000), of: 1000, bytes: UInt64(part * bytes))
    }
    progress.clear()
    return summary
  }
}
