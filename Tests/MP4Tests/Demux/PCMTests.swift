import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Sound whose samples are single frames: QuickTime says "1" for their size, and means "see the codec".
@Suite(.inTurn, .needs(.ffmpeg))
struct PCMTests {
  @Test(
    "frames of PCM have the bytes that ffmpeg finds",
    arguments: [
      "pcm_mulaw", "pcm_alaw", "pcm_s16be", "pcm_s16le", "pcm_s24be", "pcm_s32be", "pcm_f32le", "pcm_f64be", "pcm_u8",
      "adpcm_ima_qt",
    ], [1, 2])
  func payload(codec: String, channels: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("sound.mov")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "sine=r=8000:d=1.3", "-ac", "\(channels)", "-c:a", codec, path,
    ])
    let movie = try MP4Demuxer(path: path)
    var samples = movie.samples(of: try #require(movie.audioTrack))
    var bytes: [UInt8] = []
    while let sample = try samples.next() { bytes += try sample.payload.load() }
    let theirs = try Tool.ffmpeg.run(["-v", "error", "-i", path, "-map", "0:a", "-c", "copy", "-f", "data", "-"]).output
    let isSame = bytes == Array(theirs)
    #expect(isSame, "\(bytes.count) bytes against \(theirs.count)")
  }
}
