internal import MP4
internal import MediaCore

/// The sound of all parts as one: silence where there is none.
final class JoinedPCM {
  let format: AudioFormat
  /// The parts that have sound, and the frames of the output that it takes.
  private let parts: [(sound: SoundPart, frames: Range<Int64>)]
  /// The part that is being decoded.
  private var open: (part: Int, decoder: AudioTrackDecoder)?

  init(_ sound: ContinuousSound, starts: [Int64]) {
    format = sound.format
    parts = zip(sound.parts, starts).compactMap { part, start in
      part.map { ($0, (start + $0.delay)..<(start + $0.delay + $0.frames)) }
    }
  }

  /// Decodes frames.
  ///
  /// - Parameters:
  ///   - first: a frame of the output, also before its beginning or after its end.
  ///   - count: how many.
  /// - Returns: interleaved samples.
  /// - Throws: `AudioDecodingError`.
  func read(from first: Int64, count: Int) throws(AudioDecodingError) -> [Float] {
    let channels = format.channels
    var samples = [Float](repeating: 0, count: count * channels)
    let wanted = first..<(first + Int64(count))
    var index = parts.partitionPoint { $0.frames.upperBound <= first }
    while index < parts.count, parts[index].frames.lowerBound < wanted.upperBound {
      let part = parts[index].frames
      let frames = part.clamped(to: wanted)
      let decoder = try decoder(of: index, at: frames.lowerBound - part.lowerBound)
      var done = Int(frames.lowerBound - first)
      let end = done + frames.count
      while done < end {
        var decoded = [Float](repeating: 0, count: min(decoder.maximumFrames, end - done) * channels)
        var span = decoded.mutableSpan
        guard let read = try decoder.next(into: &span), read > 0 else { break }
        samples.replaceSubrange((done * channels)..<((done + read) * channels), with: decoded.prefix(read * channels))
        done += read
      }
      index += 1
    }
    return samples
  }

  /// A decoder whose next frame is the one with this number in the part.
  private func decoder(of part: Int, at frame: Int64) throws(AudioDecodingError) -> AudioTrackDecoder {
    let decoder: AudioTrackDecoder
    if let open, open.part == part {
      decoder = open.decoder
    } else {
      decoder = try AudioTrackDecoder(parts[part].sound.movie, track: parts[part].sound.track)
      open = (part, decoder)
    }
    if decoder.position != frame { try decoder.seek(to: frame) }
    return decoder
  }
}
