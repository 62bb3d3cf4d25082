internal import Lyrebird

/// Encodes PCM into a movie as Apple Lossless, with progress: what `encode --codec alac` does.
struct LosslessEncoding {
  private let encoder: ALACEncoder
  private let movie: MP4Muxer

  /// - Throws: `AudioCodecError` for what cannot be encoded, before there is any output; `SinkError`, `MP4Error`.
  init(
    _ wav: PCMFileReader, to target: OutputFile, clobber: Bool, path: String, layout: MuxerOptions.Layout
  ) throws {
    var format = wav.format
    // 8 bits are read as floats, which they fill no more than 16-bit integers.
    if wav.fileFormat.encoding == .integer8 { format.sampleFormat = .int16 }
    encoder = try ALACEncoder(format: format)
    var options = MuxerOptions()
    options.layout = layout
    movie = try MP4Muxer(
      to: try target.sink(clobber: clobber), name: path, tracks: [MuxerTrack(encoder)], options: options)
  }

  /// - Throws: `AudioCodecError`, `MP4Error`, `PCMFileError`, `Failure` if a signal came: no output is left then.
  func run(_ wav: inout PCMFileReader) throws -> Encoding.Summary {
    var progress = Progress("encode")
    var summary = Encoding.Summary()
    let bytesPerFrame = UInt64(encoder.format.bytesPerFrame)
    while let sound = try wav.next() {
      try append(try encoder.encode(sound), &summary)
      summary.frames = wav.position
      try progress.update(wav.position, of: wav.frameCount, bytes: wav.position * bytesPerFrame)
    }
    try wav.checkUnchanged()
    try append(encoder.finish(), &summary)
    summary.bytes = try movie.finish().bytes
    return summary
  }

  private func append(_ packets: [EncodedSample], _ summary: inout Encoding.Summary) throws {
    for packet in packets { try movie.append(packet) }
    summary.packets += UInt64(packets.count)
  }
}
