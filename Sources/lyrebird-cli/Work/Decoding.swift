internal import Lyrebird

/// Writes the decoded sound of a track, with progress.
struct Decoding {
  private let decoder: AudioTrackDecoder
  private let file: String
  /// Changes rate and channels, if they are to be changed.
  private var converter: AudioConverter?
  /// Frames of the track that are still wanted.
  private var left: Int64

  /// Packets between two checks of the clock and of signals.
  private static let stride: UInt64 = 256
  /// How many broken packets are listed one by one.
  private static let shownFaults: UInt64 = 10

  /// Decodes from where the decoder is.
  ///
  /// - Parameters:
  ///   - file: its name in messages.
  ///   - frames: how many frames of the track are wanted, if there are so many.
  ///   - converter: what makes the output's rate and channels of them, if they differ.
  init(_ decoder: AudioTrackDecoder, file: String, frames: Int64 = .max, converter: AudioConverter? = nil) {
    self.decoder = decoder
    self.file = file
    left = frames
    self.converter = converter
  }

  /// - Throws: `AudioDecodingError`, `PCMFileError`, `Failure`: nothing is written then.
  ///
  /// - Parameter isPiped: whether to write sound as soon as it is decoded, because the reader of a pipe waits for it.
  mutating func run(to writer: consuming WAVWriter, isPiped: Bool = false) throws -> WAVWriter.Summary {
    var wav = writer
    var progress = Progress("decode")
    reportFaults()
    var memory = Memory(wav.format, frames: decoder.maximumFrames)
    var next: UInt64 = 0
    while try converter == nil ? move(&memory, to: &wav) : convert(to: &wav) {
      if isPiped { try wav.flush() }
      if decoder.packetNumber >= next {
        next = decoder.packetNumber + Decoding.stride
        let bytes = wav.frameCount * UInt64(wav.format.bytesPerFrame)
        // The number of packets in a stream is not known.
        let total = decoder.frameCount == nil ? nil : decoder.packetCount
        try progress.update(decoder.packetNumber, of: total, bytes: bytes)
      }
    }
    if let rest = converter?.finish() { try wav.append(rest) }
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

  /// Takes as many of the frames that were decoded as are wanted.
  private mutating func take(_ frames: Int?) -> Int? {
    guard let frames, left > 0 else { return nil }
    let taken = min(Int64(frames), left)
    left -= taken
    return Int(taken)
  }

  /// - Returns: whether there was anything left.
  private mutating func convert(to wav: inout WAVWriter) throws -> Bool {
    guard left > 0, let sound = try decoder.next(), let frames = take(sound.payload.frameCount) else { return false }
    guard let converted = try converter?.convert(sound.payload.prefix(frames)) else { return false }
    try wav.append(converted)
    return true
  }

  /// - Returns: whether there was anything left.
  private mutating func move(_ memory: inout Memory, to wav: inout WAVWriter) throws -> Bool {
    let channels = wav.format.channels
    guard left > 0 else { return false }
    switch wav.format.sampleFormat {
    case .int16:
      var span = memory.int16s.mutableSpan
      guard let frames = take(try decoder.next(into: &span)) else { return false }
      try wav.append(memory.int16s.span.extracting(0..<(frames * channels)))
    case .int24, .int32:
      var span = memory.int32s.mutableSpan
      guard let frames = take(try decoder.next(into: &span)) else { return false }
      try wav.append(memory.int32s.span.extracting(0..<(frames * channels)))
    case .float32:
      var span = memory.floats.mutableSpan
      guard let frames = take(try decoder.next(into: &span)) else { return false }
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
