internal import Lyrebird

/// Encodes PCM into a file, with progress: what `encode` does.
struct Encoding: ~Copyable {
  /// What was made.
  struct Summary {
    var frames: UInt64 = 0
    var packets: UInt64 = 0
    var bytes: UInt64 = 0
    var priming = 0
    var remainder = 0
  }

  private var encoder: AACEncoder
  /// Where packets go: one of these two.
  private var stream: ADTSWriter?
  private let movie: MP4Muxer?
  private var summary = Summary()
  /// Whether to write packets as soon as they are made, because the reader of a pipe waits for them.
  private let isPiped: Bool

  /// Frames encoded at once; from a pipe only as many as make a packet, so that it flows.
  private static let frames = PCMFileReader.defaultFrames
  private static let pipedFrames = 1024

  /// Into an ADTS stream.
  init(encoder: consuming AACEncoder, stream sink: any ByteSink) throws(AACError) {
    stream = try ADTSWriter(sink: sink, configuration: encoder.configuration)
    movie = nil
    isPiped = !sink.canPatch
    self.encoder = encoder
  }

  /// Into a movie, which says how much of the sound is priming and remainder.
  init(
    encoder: consuming AACEncoder, movie sink: any ByteSink, path: String, layout: MuxerOptions.Layout, bitRate: Int
  ) throws {
    let track = try MuxerTrack(encoder, averageBitRate: bitRate)
    var options = MuxerOptions()
    options.layout = layout
    let muxer = try MP4Muxer(to: sink, name: path, tracks: [track], options: options)
    stream = nil
    isPiped = false
    movie = muxer
    self.encoder = encoder
  }

  /// - Throws: `AACError`, `MP4Error`, `PCMFileError`, `Failure` if a signal came: no output is left then.
  consuming func run(_ wav: inout PCMFileReader) throws -> Summary {
    var progress = Progress("encode")
    let bytesPerFrame = UInt64(encoder.format.bytesPerFrame)
    summary.priming = encoder.priming
    while let sound = try wav.next(frames: isPiped ? Encoding.pipedFrames : Encoding.frames) {
      try append(encoder.encode(sound))
      if isPiped { try stream?.flush() }
      summary.frames = wav.position
      try progress.update(wav.position, of: wav.frameCount, bytes: wav.position * bytesPerFrame)
    }
    try wav.checkUnchanged()
    var summary = summary
    let ending = encoder.finish()
    summary.remainder = ending.remainder
    summary.packets += UInt64(ending.packets.count)
    for packet in ending.packets {
      try stream?.append(packet)
      try movie?.append(packet)
    }
    if let written = try stream?.finish() { summary.bytes = written.bytes }
    if let written = try movie?.finish() { summary.bytes = written.bytes }
    return summary
  }

  private mutating func append(_ packets: [EncodedSample]) throws {
    summary.packets += UInt64(packets.count)
    for packet in packets {
      try stream?.append(packet)
      try movie?.append(packet)
    }
  }
}
