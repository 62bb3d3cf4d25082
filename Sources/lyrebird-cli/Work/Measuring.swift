internal import Lyrebird

/// Measures the loudness of all sound of a file: what `loudness` does.
enum Measuring {
  /// - Throws: `AudioDecodingError`, `ConversionError`, `Failure` if a signal came.
  static func run(_ sound: AudioReader, file: String) throws -> LoudnessMeter {
    let format = sound.format
    var meter = try LoudnessMeter(sampleRate: format.sampleRate, layout: format.layout)
    var samples = [Float](repeating: 0, count: 16_384 * format.channels)
    try sound.pull("loudness", file: file, total: sound.frameCount) {
      var span = samples.mutableSpan
      guard let count = try sound.next(into: &span) else { return nil }
      meter.add(samples.span.extracting(0..<(count * format.channels)))
      return count
    }
    meter.finish()
    return meter
  }
}
