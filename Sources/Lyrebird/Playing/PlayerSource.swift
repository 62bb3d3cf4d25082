internal import MediaCore
internal import WAV

/// What a player plays: samples, one after the other, from any frame on.
protocol PlayerSource {
  /// The format of the samples.
  var format: AudioFormat { get }
  /// The number of frames; `nil` if it is not known.
  var frameCount: Int64? { get }
  /// Broken packets that were concealed.
  var concealedPackets: UInt64 { get }

  /// The next sample, or `nil` at the end.
  mutating func next() throws -> PCMSample?

  /// Seeks to a frame, so that `next()` begins with it. If that takes long, it calls `isBrokenOff` now and then and may
  /// give up; then it has to seek again.
  mutating func seek(to frame: Int64, unless isBrokenOff: () -> Bool) throws
}

extension AudioTrackDecoder: PlayerSource {}

/// A WAVE file, which needs no decoder.
struct WAVPlayerSource: PlayerSource {
  private var reader: WAVReader

  init(_ reader: WAVReader) { self.reader = reader }

  var format: AudioFormat { reader.format }
  var frameCount: Int64? { reader.frameCount.map { Int64(clamping: $0) } }
  var concealedPackets: UInt64 { 0 }

  mutating func next() throws -> PCMSample? { try reader.next() }
  mutating func seek(to frame: Int64, unless isBrokenOff: () -> Bool) {
    reader.seek(toFrame: UInt64(max(frame, 0)))
  }
}
