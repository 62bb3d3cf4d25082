internal import MediaCore
internal import PCM

/// Where the sound of a file comes from: frames in the file's own format, one after another, from any frame on.
protocol SoundSource: AnyObject {
  /// The format of the frames.
  var format: AudioFormat { get }
  /// Whether the samples are the ones that were put into the file.
  var isLossless: Bool { get }
  /// Frames in all; `nil` if that is not known.
  var frameCount: Int64? { get }
  /// Number of the frame that comes next.
  var position: Int64 { get }
  /// Packets read so far; 0 where there are none, as in a WAVE file.
  var packetNumber: UInt64 { get }
  /// Broken packets that were concealed.
  var concealedPackets: UInt64 { get }
  /// Bytes that the file promises but lacks, as far as is known by now.
  var missingBytes: UInt64 { get }

  /// The next sound, or `nil` at the end.
  func next() throws(AudioDecodingError) -> PCMSample?

  /// Seeks to a frame, so that `next()` begins with it. If that takes long, it calls `isAbandoned` now and then and may
  /// give up; then it has to seek again.
  func seek(to frame: Int64, unless isAbandoned: () -> Bool) throws(AudioDecodingError)

  /// Checks that the file was not changed since it was opened.
  func checkUnchanged() throws(AudioDecodingError)
}

extension AudioTrackDecoder: SoundSource {}

/// A file of PCM, which needs no decoder.
final class PCMFileSource: SoundSource {
  private var reader: PCMFileReader
  /// Frames read at once: from a pipe only few, so that they flow.
  private let frames: Int

  init(_ reader: PCMFileReader, isStream: Bool) {
    self.reader = reader
    frames = isStream ? 1024 : PCMFileReader.defaultFrames
  }

  var format: AudioFormat { reader.format }
  var isLossless: Bool { true }
  var frameCount: Int64? { reader.frameCount.map { Int64(clamping: $0) } }
  var position: Int64 { Int64(clamping: reader.position) }
  var packetNumber: UInt64 { 0 }
  var concealedPackets: UInt64 { 0 }
  var missingBytes: UInt64 { reader.missingBytes }

  func next() throws(AudioDecodingError) -> PCMSample? {
    do { return try reader.next(frames: frames) } catch { throw .pcm(error) }
  }

  func seek(to frame: Int64, unless isAbandoned: () -> Bool) {
    reader.seek(toFrame: UInt64(max(frame, 0)))
  }

  func checkUnchanged() throws(AudioDecodingError) {
    do { try reader.checkUnchanged() } catch { throw .pcm(error) }
  }
}
