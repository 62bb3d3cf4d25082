import Foundation
import MP4
import MediaCore
import TestSupport
import Testing

/// Pictures and sound that ffmpeg made, muxed by us and read by ffmpeg again.
@Suite(.inTurn, .needs(.ffmpeg, .ffprobe))
struct MuxerProbeTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// What ffprobe sees of each packet when edits are applied: sorted, as tracks may lie in another order.
  private func packets(_ path: String) throws -> [String] {
    let result = try Tool.ffprobe.run([
      "-v", "error", "-show_entries", "packet=stream_index,pts_time,size,flags", "-of", "csv", path,
    ])
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    // What is to be dropped after decoding ffprobe marks in progressive files only.
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return fields.count < 5 ? "" : (fields[1...3] + [fields[4].prefix(1)]).joined(separator: ",")
    }.filter { !$0.isEmpty }.sorted()
  }

  /// Takes a movie apart as its edits show it, and muxes it as an encoder would: with times on one clock, no edits.
  private func remuxed(_ source: String, _ layout: MuxedLayout) throws -> String {
    let movie = try MP4Demuxer(path: source)
    var tracks: [MuxerTrack] = []
    for track in movie.tracks {
      let description = try #require(track.descriptions.first)
      let first = track.edits.first { $0.mediaTime != nil }?.mediaTime?.value ?? 0
      tracks.append(
        track.kind == .audio
          ? MuxerTrack(audio: description, timescale: track.timescale, priming: first, id: track.id)
          : MuxerTrack(video: description, timescale: track.timescale, id: track.id))
    }
    let path = folder.path("\(layout.rawValue).mp4")
    let muxer = try MP4Muxer(path: path, tracks: tracks, options: layout.options)
    for track in movie.tracks {
      let first = track.edits.first { $0.mediaTime != nil }?.mediaTime?.value ?? 0
      let late = track.edits.first { $0.mediaTime == nil }?.duration.converted(to: track.timescale)?.value ?? 0
      var samples = movie.samples(of: track)
      while var sample = try samples.next() {
        sample.timing.decodeTime += late - first
        sample.timing.presentationTime += late - first
        try muxer.append(sample)
      }
    }
    try muxer.finish()
    return path
  }

  @Test(
    "times and payloads are what they were, with reordered pictures and a late start",
    arguments: [[], ["-movflags", "negative_cts_offsets"], ["-itsoffset", "0.5"]])
  func roundTrip(options: [String]) throws {
    let source = folder.path("source.mp4")
    if options.first == "-itsoffset" {
      let (pictures, sound) = (folder.path("v.mp4"), folder.path("a.m4a"))
      try MadeMedia.make(["-f", "lavfi", "-i", "testsrc2=size=128x96:rate=25", "-t", "2", "-c:v", "libx264", pictures])
      try MadeMedia.make(["-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", "2", "-c:a", "aac", sound])
      try MadeMedia.make(["-i", pictures] + options + ["-i", sound, "-c", "copy", source])
    } else {
      try MadeMedia.movie(source, options: options)
    }
    let want = try packets(source)
    for layout in MuxedLayout.allCases {
      let path = try remuxed(source, layout)
      // Of pictures that are shown before they are decoded ffmpeg moves those in fragments, its own too.
      if layout != .fragmented || !options.contains("negative_cts_offsets") {
        #expect(try packets(path) == want, "\(layout)")
      }
      let decoded = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-i", path, "-f", "null", "-"])
      #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(layout): \(decoded.errors)")
      let (frames, before) = (try frames(path), try frames(source))
      #expect(frames == before, "\(layout)")
    }
  }

  /// The sums of all packets, by track.
  private func frames(_ path: String) throws -> [String] {
    let result = try Tool.ffmpeg.run([
      "-nostdin", "-v", "error", "-ignore_editlist", "1", "-i", path, "-map", "0", "-c", "copy", "-f", "framemd5", "-",
    ])
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
    return lines.map { line in
      let fields = line.split(separator: ",")
      return [fields[0], fields[4], fields[5]].joined(separator: ",")
    }.sorted()
  }

  @Test("uncompressed sound plays as it did, whether pieces or frames are appended", arguments: MuxedLayout.allCases)
  func pcm(layout: MuxedLayout) throws {
    let source = folder.path("source.mov")
    try MadeMedia.make([
      "-f", "lavfi", "-i", "sine=sample_rate=48000", "-t", "3", "-c:a", "pcm_s16le", "-ac", "2", source,
    ])
    let path = try remuxed(source, layout)
    let sums = try [source, path].map { file in
      let result = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-i", file, "-f", "md5", "-"])
      #expect(result.errors.isEmpty, "\(result.errors)")
      return result.output
    }
    #expect(sums[0] == sums[1])
  }
}
