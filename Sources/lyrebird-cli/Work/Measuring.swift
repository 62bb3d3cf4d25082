internal import Lyrebird

/// Measures the loudness of all sound of a file, with progress: what `loudness` does.
enum Measuring {
  /// Frames between two checks of the clock and of signals.
  private static let frames = 1 << 16

  /// The sound of a WAVE file.
  ///
  /// - Throws: `PCMFileError`, `ConversionError`, `Failure` if a signal came.
  static func run(_ wav: inout PCMFileReader) throws -> LoudnessMeter {
    var meter = try LoudnessMeter(sampleRate: wav.format.sampleRate, layout: wav.format.layout)
    var progress = Progress("loudness")
    let bytesPerFrame = UInt64(wav.format.bytesPerFrame)
    while let sound = try wav.next(frames: frames) {
      try meter.add(sound.payload)
      try progress.update(wav.position, of: wav.frameCount, bytes: wav.position * bytesPerFrame)
    }
    progress.clear()
    try wav.checkUnchanged()
    meter.finish()
    return meter
  }

  /// What is heard of a track.
  ///
  /// - Throws: `AudioDecodingError`, `ConversionError`, `Failure` if a signal came.
  static func run(_ decoder: AudioTrackDecoder, file: String) throws -> LoudnessMeter {
    var meter = try LoudnessMeter(sampleRate: decoder.format.sampleRate, layout: decoder.format.layout)
    var progress = Progress("loudness")
    // The most that a packet produces: none has more frames.
    var samples = [Float](repeating: 0, count: 1024 * decoder.format.channels)
    var (bytes, nextCheck) = (UInt64(0), UInt64(0))
    while true {
      var span = samples.mutableSpan
      guard let count = try decoder.next(into: &span) else { break }
      meter.add(samples.span.extracting(0..<(count * decoder.format.channels)))
      bytes += UInt64(count * decoder.format.bytesPerFrame)
      guard decoder.packetNumber >= nextCheck else { continue }
      nextCheck = decoder.packetNumber + UInt64(frames / 1024)
      let total = decoder.frameCount == nil ? nil : decoder.packetCount
      try progress.update(decoder.packetNumber, of: total, bytes: bytes)
    }
    progress.clear()
    try decoder.checkUnchanged()
    if decoder.concealedPackets > 0 {
      Messages.warning("\(file): \(decoder.concealedPackets) broken packets were concealed")
    }
    meter.finish()
    return meter
  }
}
