internal import Lyrebird

/// Writes the sound of a file as PCM: what `decode` does.
struct Decoding {
  private let sound: AudioReader
  private let file: String
  /// Frames that are still wanted.
  private var left: Int64

  /// Decodes from where the reader is, in the format that it delivers.
  ///
  /// - Parameters:
  ///   - sound: what is decoded.
  ///   - file: its name in messages.
  ///   - frames: how many frames are wanted, if there are so many.
  init(_ sound: AudioReader, file: String, frames: Int64 = .max) {
    self.sound = sound
    self.file = file
    left = frames
  }

  /// - Throws: `AudioDecodingError`, `PCMFileError`, `Failure`: nothing is written then.
  ///
  /// - Parameters:
  ///   - writer: what takes the sound; it is finished.
  ///   - isPiped: whether to write sound as soon as it is decoded, because the reader of a pipe waits for it.
  ///   - failure: thrown if there is not a single frame; `nil` if that is fine.
  mutating func run(
    to writer: consuming WAVWriter, isPiped: Bool = false, ifEmpty failure: Failure? = nil
  ) throws -> WAVWriter.Summary {
    var wav = writer
    var memory = Memory(wav.format)
    let total = sound.frameCount.map { max(min($0 - sound.position, left), 0) }
    try sound.pull("decode", file: file, total: total) {
      let before = wav.frameCount
      guard try move(&memory, to: &wav) else { return nil }
      if isPiped { try wav.flush() }
      return Int(wav.frameCount - before)
    }
    if let failure, wav.frameCount == 0 { throw failure }
    return try wav.finish()
  }

  /// Room for some frames, as the output has them: one of these is used.
  private struct Memory {
    var int16s: [Int16] = []
    var int32s: [Int32] = []
    var floats: [Float] = []

    init(_ format: AudioFormat) {
      let count = 4096 * format.channels
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
  private mutating func move(_ memory: inout Memory, to wav: inout WAVWriter) throws -> Bool {
    let channels = wav.format.channels
    guard left > 0 else { return false }
    switch wav.format.sampleFormat {
    case .int16:
      var span = memory.int16s.mutableSpan
      guard let frames = take(try sound.next(into: &span)) else { return false }
      try wav.append(memory.int16s.span.extracting(0..<(frames * channels)))
    case .int24, .int32:
      var span = memory.int32s.mutableSpan
      guard let frames = take(try sound.next(into: &span)) else { return false }
      try wav.append(memory.int32s.span.extracting(0..<(frames * channels)))
    case .float32:
      var span = memory.floats.mutableSpan
      guard let frames = take(try sound.next(into: &span)) else { return false }
      try wav.append(memory.floats.span.extracting(0..<(frames * channels)))
    }
    return true
  }
}
