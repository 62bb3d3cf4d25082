internal import Lyrebird

/// Makes the waveform of all sound of a file: what `waveform` does.
enum Drawing {
  /// - Throws: `AudioDecodingError`, `Failure` if a signal came.
  static func run(_ sound: AudioReader, _ builder: WaveformBuilder, file: String) throws -> Waveform {
    var builder = builder
    let channels = sound.format.channels
    var samples = [Int16](repeating: 0, count: 16_384 * channels)
    try sound.pull("waveform", file: file, total: sound.frameCount) {
      var span = samples.mutableSpan
      guard let count = try sound.next(into: &span) else { return nil }
      builder.append(samples.span.extracting(0..<(count * channels)))
      return count
    }
    return builder.finish()
  }
}
