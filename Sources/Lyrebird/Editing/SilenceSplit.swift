#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
internal import MP4
internal import MediaCore

/// Finds the silences of a movie's sound.
struct SilenceSplit {
  private let movie: MP4Demuxer
  private let tracks: TrackSelection

  /// - Parameter tracks: of these, the first one with audio is searched; if there is none, of all.
  init(_ movie: MP4Demuxer, _ tracks: TrackSelection) {
    self.movie = movie
    self.tracks = tracks
  }

  /// Where pieces begin: at 0, and in the middle of each silence between sounds.
  ///
  /// - Throws: `AudioDecodingError`; whatever `progress` throws.
  func starts(below level: Double, seconds: Double, _ progress: (Double) throws -> Void) throws -> [MediaTime] {
    let file = movie.reader.source.name
    guard let track = movie.preferred(.audio, of: tracks) ?? movie.audioTrack else {
      throw AudioDecodingError.noAudioTrack(file: file)
    }
    let decoder = try AudioTrackDecoder(movie, track: track)
    let (channels, rate) = (decoder.format.channels, decoder.format.sampleRate)
    let limit = Float(pow(10, level / 20))
    let frames = seconds * Double(rate)
    let least = frames < 1 ? 1 : Int64(exactly: frames.rounded(.down)) ?? .max
    var samples = [Float](repeating: 0, count: decoder.maximumFrames * channels)
    var starts = [MediaTime.zero]
    // The frame after the last one that was heard; `nil` before the first.
    var end: Int64?
    var frame: Int64 = 0
    var blocks = 0
    while true {
      var span = samples.mutableSpan
      guard let count = try decoder.next(into: &span) else { break }
      for index in 0..<count
      where samples[(index * channels)..<((index + 1) * channels)].contains(where: {
        abs($0) >= limit
      }) {
        let now = frame + Int64(index)
        if let end, now - end >= least {
          starts.append(MediaTime(value: end + (now - end) / 2, timescale: UInt32(clamping: rate)))
        }
        end = now + 1
      }
      frame += Int64(count)
      blocks += 1
      if blocks.isMultiple(of: 256), let total = decoder.frameCount, total > 0 {
        try progress(Double(frame) / Double(total))
      }
    }
    let start = try movie.startTime(of: track)
    return [starts[0]] + starts.dropFirst().map { $0 + start }
  }
}
