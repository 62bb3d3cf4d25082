import Foundation
import ISOBMFF
import MP4
import MediaCore
import TestSupport
import Testing

/// Sound from an encoder: what is heard is exactly what went in.
@Suite(.inTurn) struct MuxerSoundTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  /// Writes a movie of one track of sound.
  private func muxed(_ sound: MadeSound, _ layout: MuxedLayout) throws -> (path: String, summary: MuxerSummary) {
    let path = folder.path("\(layout.rawValue).m4a")
    let muxer = try MP4Muxer(path: path, tracks: [sound.track], options: layout.options)
    for packet in sound.packets { try muxer.append(packet) }
    return (path, try muxer.finish())
  }

  @Test("every packet comes out as it went in, in every layout", arguments: MuxedLayout.allCases, [300_000, 1, 0])
  func packets(layout: MuxedLayout, heard: Int64) throws {
    let sound = MadeSound(heard: heard)
    let (path, summary) = try muxed(sound, layout)
    let movie = try MP4Demuxer(path: path)
    #expect(movie.layout == layout.movie)
    #expect(movie.issues.isEmpty)
    #expect(movie.brands.major == "M4A ")
    #expect(summary.bytes == movie.reader.size)
    #expect(summary.samples == UInt64(sound.packets.count))
    let track = try #require(movie.tracks.first)
    #expect(track.descriptions.first?.codecName == "AAC-LC")
    #expect(track.audioFormat?.decoderConfiguration == MadeSound.config)
    #expect(track.edits.map(\.mediaTime) == [MediaTime(value: 2112, timescale: 44100)])
    #expect(track.duration == MediaTime(value: heard, timescale: 44100))
    #expect(summary.duration == track.duration)
    var samples = movie.samples(of: track)
    for packet in sound.packets {
      let sample = try #require(try samples.next())
      #expect(try sample.payload.load() == packet.payload.load())
      #expect(sample.timing.decodeTime == packet.timing.decodeTime + sound.priming)
      #expect(sample.timing.presentationTime == sample.timing.decodeTime)
      #expect(sample.timing.duration == packet.timing.duration)
    }
    #expect(try samples.next() == nil)
  }

  @Test(
    "ffmpeg hears of a rebuilt track what it hears of its own, and the movie lasts exactly as long as what was encoded",
    .needs(.ffmpeg), arguments: MuxedLayout.allCases,
    [1000, 44100, 100_001])
  func gapless(layout: MuxedLayout, frames: Int64) throws {
    let (source, rebuilt) = (folder.path("source.m4a"), folder.path("rebuilt.m4a"))
    // A length that ends inside a packet: ffmpeg says so in the last one's duration.
    try MadeMedia.make([
      "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100", "-af", "atrim=end_sample=\(frames)", "-c:a", "aac",
      source,
    ])
    let movie = try MP4Demuxer(path: source)
    let old = try #require(movie.audioTrack)
    let format = try #require(old.audioFormat)
    let track = MuxerTrack(
      audio: .aac(audioSpecificConfig: format.decoderConfiguration, sampleRate: 44100, channels: 1), timescale: 44100,
      priming: 1024, id: 1)
    let muxer = try MP4Muxer(path: rebuilt, tracks: [track], options: layout.options)
    var packets = movie.samples(of: old)
    while var packet = try packets.next() {
      packet.trackID = 1
      packet.timing.decodeTime -= 1024
      packet.timing.presentationTime -= 1024
      packet.timing.duration = min(1024, frames - packet.timing.decodeTime)
      try muxer.append(packet)
    }
    try muxer.finish()
    // What ffmpeg makes of edits at the end, and in fragments, differs between its versions: so it reads ours and its
    // own.
    let peer = folder.path("peer.m4a")
    let fragments = ["-movflags", "frag_keyframe+delay_moov+default_base_moof"]
    try MadeMedia.make(["-i", source, "-c", "copy"] + (layout == .fragmented ? fragments : []) + [peer])
    let (want, got) = (try decoded(peer), try decoded(rebuilt))
    #expect(want == got)
    #expect(got.count >= Int(frames) * 2)
    let made = try MP4Demuxer(path: rebuilt)
    #expect(made.duration == MediaTime(value: frames, timescale: 44100))
  }

  /// What ffmpeg hears: 16 bits a frame.
  private func decoded(_ path: String) throws -> Data {
    let result = try Tool.ffmpeg.run(["-nostdin", "-v", "warning", "-i", path, "-f", "s16le", "-ac", "1", "-"])
    try #require(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    return result.output
  }

  @Test(
    "the edit, the gapless tag and the roll groups say what is run-up and what is filling",
    .needs(.ffprobe))
  func descriptions() throws {
    let (path, _) = try muxed(MadeSound(heard: 100_000), .fastStart)
    let movie = try MP4Demuxer(path: path)
    // 2112 + 100 000 ticks in packets of 1024: the last one is 288 ticks longer than what is to be heard.
    let zeros = Array(repeating: "00000000", count: 8).joined(separator: " ")
    #expect(movie.metadata["iTunSMPB"] == " 00000000 00000840 00000120 00000000000186A0 \(zeros)")
    let result = try Tool.ffprobe.run(["-v", "error", "-show_entries", "format=duration,start_time:format_tags", path])
    let text = String(decoding: result.output, as: UTF8.self)
    #expect(text.contains("start_time=0.000000") && text.contains("duration=2.267574"))
    #expect(text.contains("TAG:iTunSMPB= 00000000 00000840 00000120"))
    let boxes = movie.moov.first("trak", "mdia", "minf", "stbl")?.children.map(\.type) ?? []
    #expect(boxes == ["stsd", "stts", "stsc", "stsz", "stco", "sgpd", "sbgp"])
  }
}
