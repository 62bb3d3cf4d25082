internal import Lyrebird

/// Makes the waveform of all sound of a file, with progress: what `waveform` does.
enum Drawing {
  /// - Throws: `AudioDecodingError`, `Failure` if a signal came.
  static func run(_ sound: AudioReader, _ builder: WaveformBuilder, file: String) throws -> Waveform {
    let format = sound.format
    var builder = builder
    var progress = Progress("waveform")
    sound.reportFaults(file: file)
    var samples = [Int16](repeating: 0, count: 16_384 * format.channels)
    var (frames, nextCheck): (UInt64, UInt64) = (0, 0)
    let total = sound.frameCount.map { UInt64(clamping: $0) }
    while true {
      var span = samples.mutableSpan
      guard let count = try sound.next(into: &span) else { break }
      builder.append(samples.span.extracting(0..<(count * format.channels)))
      frames += UInt64(count)
      guard frames >= nextCheck else { continue }
      nextCheck = frames + 65_536
      try progress.update(frames, of: total, bytes: frames * UInt64(format.bytesPerFrame))
    }
    progress.clear()
    try sound.checkFaults(file: file)
    sound.reportMissing(file: file)
    try sound.checkUnchanged()
    return builder.finish()
  }
}
