internal import Lyrebird

/// Writes what a track decodes to, with progress.
struct Decoding {
  private let decoder: AudioTrackDecoder
  private let file: String

  /// Packets between two looks at the clock and at signals.
  private static let stride: UInt64 = 256
  /// Broken packets that are named one by one.
  private static let shownFaults: UInt64 = 10

  init(_ decoder: AudioTrackDecoder, file: String) {
    self.decoder = decoder
    self.file = file
  }

  /// - Throws: `AudioDecodingError`, `WAVError`, `Failure`: nothing is written then.
  ///
  /// - Parameter isPiped: whether to write sound as soon as it is decoded, as the reader of a pipe waits for it.
  func run(to writer: consuming WAVWriter, isPiped: Bool = false) throws -> WAVWriter.Summary {
    var wav = writer
    var progress = Progress("decode")
    reportFaults()
    let isFloat = wav.format.sampleFormat == .float32
    let frames = WorkBuffer(count: 1024 * decoder.format.channels * 4)
    var next: UInt64 = 0
    while let count = try decoder.withNext({ decoder, range in
      if isFloat { decoder.copyFloats(range, to: frames.bytes) } else { decoder.copyInt16s(range, to: frames.bytes) }
      return range.count * decoder.format.channels
    }) {
      // The buffer lives until the end of this function, and its first `count` samples were written just now.
      if isFloat {
        try wav.append(UnsafeBufferPointer(rebasing: frames.bytes.bindMemory(to: Float.self)[..<count]).span)
      } else {
        try wav.append(UnsafeBufferPointer(rebasing: frames.bytes.bindMemory(to: Int16.self)[..<count]).span)
      }
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
