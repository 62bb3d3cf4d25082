import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Files that ffmpeg makes, read by us and by ffprobe.
@Suite(.inTurn, .needs(.ffmpeg, .ffprobe))
struct ProbeTests {
  /// A packet as ffprobe prints it.
  private struct Packet: Decodable {
    let stream_index: Int
    let pts: Int64
    let dts: Int64
    let duration: Int64?
    let size: String
    let pos: String
    let flags: String
  }

  private struct Output: Decodable {
    let packets: [Packet]
  }

  /// Pictures out of order and sound, in every layout that ffmpeg knows.
  static let layouts: [(name: String, options: [String])] = [
    ("moov-last.mp4", []),
    ("fast-start.mp4", ["-movflags", "+faststart"]),
    ("negative-offsets.mp4", ["-movflags", "+negative_cts_offsets"]),
    ("fragmented.mp4", ["-movflags", "+frag_keyframe+empty_moov"]),
    ("moof-based.mp4", ["-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-frag_duration", "300000"]),
    ("header-and-fragments.mp4", ["-movflags", "+frag_keyframe"]),
    ("quicktime.mov", []),
  ]

  @Test("every packet has the place, size, times and flags that ffprobe sees", arguments: 0..<7)
  func agreesWithProbe(index: Int) throws {
    let layout = Self.layouts[index]
    let folder = try TemporaryFolder()
    let path = folder.path(layout.name)
    let made = try Tool.ffmpeg.run(
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=d=2:s=128x96:r=25", "-f", "lavfi", "-i", "sine=d=2:r=44100",
        "-c:v", "mpeg4", "-bf", "2", "-g", "12", "-c:a", "aac",
      ] + layout.options + [path])
    try #require(made.status == 0, "\(made.errors)")
    let probed = try Tool.ffprobe.run(["-v", "error", "-ignore_editlist", "1", "-show_packets", "-of", "json", path])
    try #require(probed.status == 0, "\(probed.errors)")
    let packets = try JSONDecoder().decode(Output.self, from: probed.output).packets
    let movie = try MP4Demuxer(path: path)
    let isFragmented = movie.layout == .fragmented
    #expect(movie.tracks.count == 2)
    for (index, track) in movie.tracks.enumerated() {
      let expected = packets.filter { $0.stream_index == index }
      let found = Delivery(movie.samples(of: track))
      #expect(found.error == nil)
      #expect(expected.count > 40)
      #expect(found.records.count == expected.count)
      // Where offsets are negative ffmpeg moves decode times back until none is later than its presentation time.
      let shift = min(0, found.records.map { $0.presentationTime - $0.decodeTime }.min() ?? 0)
      #expect((shift < 0) == (layout.name == "negative-offsets.mp4" && track.kind == .video))
      for (record, packet) in zip(found.records, expected) {
        #expect(record.decodeTime + shift == packet.dts)
        #expect(record.presentationTime == packet.pts)
        // Of sound in fragments ffprobe tells what the codec's frames last, not what the file says.
        if let duration = packet.duration, !isFragmented || track.kind == .video {
          #expect(record.duration == duration)
        }
        #expect("\(record.size)" == packet.size)
        #expect("\(record.offset)" == packet.pos)
        #expect(record.isSync == packet.flags.hasPrefix("K"))
      }
    }
  }
}
