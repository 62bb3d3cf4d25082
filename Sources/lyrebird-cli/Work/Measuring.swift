internal import Lyrebird

/// Measures the loudness of all sound of a file, with progress: what `loudness` does.
enum Measuring {
  /// - Throws: `AudioDecodingError`, `ConversionError`, `Failure` if a signal came.
  static func run(_ sound: AudioReader, file: String) throws -> LoudnessMeter {
    let format = sound.format
    var meter = try LoudnessMeter(sampleRate: format.sampleRate, layout: format.layout)
    var progress = Progress("loudness")
    sound.reportFaults(file: file)
    var samples = [Float](repeating: 0, count: 16_384 * format.channels)
    var (frames, nextCheck): (UInt64, UInt64) = (0, 0)
    let total = sound.frameCount.map { UInt64(clamping: $0) }
    while true {
      var span = samples.mutableSpan
      guard let count = try sound.next(into: &span) else { break }
      meter.add(samples.span.extracting(0..<(count * format.channels)))
      frames += UInt64(count)
      guard frames >= nextCheck else { continue }
      nextCheck = frames + 65_536
      try progress.update(frames, of: total, bytes: frames * UInt64(format.bytesPerFrame))
    }
    progress.clear()
    try sound.checkFaults(file: file)
    sound.reportMissing(file: file)
    try sound.checkUnchanged()
    meter.finish()
    return meter
  }
}
