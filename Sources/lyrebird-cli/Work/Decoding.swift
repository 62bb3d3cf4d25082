internal import Lyrebird

/// Writes the decoded sound of a track, with progress.
struct Decoding {
  private let decoder: AudioTrackDecoder
  private let file: String

  /// Packets between two checks of the clock and of signals.
  private static let stride: UInt64 = 256
  /// How many broken packets are listed one by one.
  private static let shownFaults: UInt64 = 10

  init(_ decoder: AudioTrackDecoder, file: String) {
    self.decoder = decoder
    self.file = file
  }

  /// - Throws: `AudioDecodingError`, `WAVError`, `Failure`: nothing is written then.
  ///
  /// - Parameter isPiped: whether to write sound as soon as it is decoded, because the reader of a pipe waits for it.
  func run(to writer: consuming WAVWriter, isPiped: Bool = false) throws -> WAVWriter.Summary {
    var wav = writer
    var progress = Progress("decode")
    reportFaults()
    // The most that a packet produces: none has more frames.
    let room = 1024 * decoder.format.channels
    let isFloat = wav.format.sampleFormat == .float32
    var floats = [Float](repeating: 0, count: isFloat ? room : 0)
    var integers = [Int16](repeating: 0, count: isFloat ? 0 : room)
    var next: UInt64 = 0
    while try isFloat ? move(&floats, to: &wav) : move(&integers, to: &wav) {
      if isPiped { try wav.flush() }
      if decoder.packetNumber >= next {
        next = decoder.packetNumber + Decoding.stride
        let bytes = wav.frameCount * UInt64(wav.format.bytesPerFrame)
        // The number of packets in a stream is not known.
        let total = decoder.frameCount == nil ? nil : decoder.packetCount
        try progress.update(decoder.packetNumber, of: total, bytes: bytes)
      }
    }
    progress.clear()
    try check()
    try decoder.checkUnchanged()
    return try wav.finish()
  }

  /// - Returns: whether there was anything left.
  private func move(_ samples: inout [Float], to wav: inout WAVWriter) throws -> Bool {
    var span = samples.mutableSpan
    guard let frames = try decoder.next(into: &span) else { return false }
    try wav.append(samples.span.extracting(0..<(frames * decoder.format.channels)))
    return true
  }

  /// - Returns: whether there was anything left.
  private func move(_ samples: inout [Int16], to wav: inout WAVWriter) throws -> Bool {
    var span = samples.mutableSpan
    guard let frames = try decoder.next(into: &span) else { return false }
    try wav.append(samples.span.extracting(0..<(frames * decoder.format.channels)))
    return true
  }

  private func reportFaults() {
    var left = Decoding.shownFaults
    decoder.onFault = { [file] error in
      if left > 0 { Messages.warning("\(file): concealed: \(error)") }
      left -= min(left, 1)
    }
  }

  private func check() throws(Failure) {
    let concealed = decoder.concealedPackets
    guard concealed > 0 else { return }
    if concealed >= decoder.packetNumber {
      throw Failure(status: .badData, "\(file): none of its \(concealed) packets could be decoded; it is not AAC")
    }
    if concealed > Decoding.shownFaults {
      Messages.warning("\(file): concealed \(concealed) of \(decoder.packetNumber) packets in all")
    }
  }
}
