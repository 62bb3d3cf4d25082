internal import MediaCore
internal import WAV

/// What a player plays: samples, one after the other, from any frame on.
protocol PlayerSource {
  /// What samples hold.
  var format: AudioFormat { get }
  /// Frames there are; `nil` where that is not known.
  var frameCount: Int64? { get }
  /// Packets that were broken, and concealed.
  var concealedPackets: UInt64 { get }

  /// The next sample, or `nil` at the end.
  mutating func next() throws -> PCMSample?

  /// Goes to a frame, so that `next()` begins with it. Where that takes long, it asks now and then whether it may give
  /// up; then it has to be sought again.
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
