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
    var memory = Memory(wav.format, frames: decoder.maximumFrames)
    var next: UInt64 = 0
    while try move(&memory, to: &wav) {
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

  /// Room for the frames of a packet, as the file has them: one of these is used.
  private struct Memory {
    var int16s: [Int16] = []
    var int32s: [Int32] = []
    var floats: [Float] = []

    init(_ format: AudioFormat, frames: Int) {
      let count = frames * format.channels
      switch format.sampleFormat {
      case .int16: int16s = [Int16](repeating: 0, count: count)
      case .int24, .int32: int32s = [Int32](repeating: 0, count: count)
      case .float32: floats = [Float](repeating: 0, count: count)
      }
    }
  }

  /// - Returns: whether there was anything left.
  private func move(_ memory: inout Memory, to wav: inout WAVWriter) throws -> Bool {
    let channels = wav.format.channels
    switch wav.format.sampleFormat {
    case .int16:
      var span = memory.int16s.mutableSpan
      guard let frames = try decoder.next(into: &span) else { return false }
      try wav.append(memory.int16s.span.extracting(0..<(frames * channels)))
    case .int24, .int32:
      var span = memory.int32s.mutableSpan
      guard let frames = try decoder.next(into: &span) else { return false }
      try wav.append(memory.int32s.span.extracting(0..<(frames * channels)))
    case .float32:
      var span = memory.floats.mutableSpan
      guard let frames = try decoder.next(into: &span) else { return false }
      try wav.append(memory.floats.span.extracting(0..<(frames * channels)))
    }
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
      throw Failure(status: .badData, "\(file): none of its \(concealed) packets could be decoded")
    }
    if concealed > Decoding.shownFaults {
      Messages.warning("\(file): concealed \(concealed) of \(decoder.packetNumber) packets in all")
    }
  }
}
