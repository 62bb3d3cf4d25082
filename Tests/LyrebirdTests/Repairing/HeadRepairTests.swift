import Foundation
import Lyrebird
import TestSupport
import Testing

/// Movies that lost their beginning: the index at their end, or in their fragments, is still there.
@Suite(.inTurn) struct HeadRepairTests {
  private static func made(_ options: [String], _ name: String = "made.mp4") throws -> WholeMovie {
    let folder = try TemporaryFolder()
    let path = folder.path(name)
    try MadeMedia.make(
      [
        "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25", "-f", "lavfi", "-i",
        "anoisesrc=c=pink:a=0.3:r=48000:seed=1",
        "-t", "8", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "2", "-g", "25", "-c:a", "aac",
      ] + options + [path])
    defer { withExtendedLifetime(folder) {} }
    return try WholeMovie(path: path)
  }

  @Test(
    "all that is left is saved by the index at the end, in sync", .needs(.ffmpeg), arguments: [9, 48, 1001, 150_001])
  func lostHead(lost: Int) throws {
    let whole = try Self.made([])
    let (report, bytes) = try repaired(Array(whole.bytes.dropFirst(lost)))
    #expect(report.method == .index && report.assumptions == [.lostHead(bytes: UInt64(lost))] && !report.wasWhole)
    let saved = try WholeMovie(bytes)
    var begins: [MediaTime] = []
    for (index, track) in whole.movie.tracks.enumerated() {
      let places = try whole.places(track)
      let payloads = try whole.payloads(track)
      let records = try Self.records(whole.movie, track)
      let first = try #require(places.indices.first { places[$0].lowerBound >= lost && records[$0].isSync })
      let found = saved.movie.tracks[index]
      #expect(try saved.payloads(found) == Array(payloads[first...]))
      #expect(report.tracks[index].found == UInt64(payloads.count - first))
      #expect(report.tracks[index].lost == UInt64(first))
      // What is shown when, from one sample to the next, is as it was.
      let times = try Self.records(saved.movie, found).map(\.presentationTime)
      #expect(
        times.map { $0 - times[0] } == records[first...].map { $0.presentationTime - records[first].presentationTime })
      begins.append(
        try Self.shown(whole.movie, track, records[first])
          - Self.shown(saved.movie, found, Self.records(saved.movie, found)[0]))
    }
    // Both tracks moved by the same time: to a tick of the movie's clock, which edits count in.
    #expect(abs((begins[0] - begins[1]).seconds) <= 0.002, "\(begins)")
  }

  private static func records(_ movie: MP4Demuxer, _ track: Track) throws -> [SampleRecord] {
    var samples = movie.samples(of: track)
    var all: [SampleRecord] = []
    while let record = try samples.nextRecord() { all.append(record) }
    return all
  }

  /// When a sample is shown by the first edit that shows anything.
  private static func shown(_ movie: MP4Demuxer, _ track: Track, _ record: SampleRecord) throws -> MediaTime {
    var time = MediaTime(value: record.presentationTime, timescale: track.timescale)
    for edit in track.edits {
      if let start = edit.mediaTime { return time - start }
      time = time + edit.duration
    }
    return time
  }

  @Test("where something lies between media and index, the samples tell how much is missing", .needs(.ffmpeg))
  func between() throws {
    let whole = try Self.made([])
    let index = try #require(try whole.boxes("moov").first)
    var bytes = whole.bytes
    // 108 bytes, as a camera leaves them for its notes.
    bytes.insert(
      contentsOf: [0, 0, 0, 108] + Array("free".utf8) + [UInt8](repeating: 7, count: 100), at: Int(index.offset))
    let (report, saved) = try repaired(Array(bytes.dropFirst(5000)))
    #expect(report.assumptions == [.lostHead(bytes: 5000)])
    #expect(try WholeMovie(saved).movie.tracks.count == 2)
  }

  @Test("an index at the end that claims four billion samples is given up soon", .timeLimit(.minutes(1)))
  func claimedSamples() throws {
    var track = MadeTrack()
    (track.times, track.sizes) = ([.init(.max, 1)], .constant(1, count: .max))
    (track.chunks, track.places) = ([.init(1, .max)], [0])
    let bytes = [UInt8](repeating: 1, count: 100) + MovieMaker.moov([track])
    #expect(throws: (any Error).self) { try repaired(bytes) }
  }

  @Test(
    "where the first bytes are damaged, the index is found all the same", .needs(.ffmpeg),
    arguments: [[], ["-movflags", "+faststart"]])
  func damagedHead(options: [String]) throws {
    let whole = try Self.made(options)
    var bytes = whole.bytes
    bytes.replaceSubrange(0..<8, with: [0x7F, 0, 0, 1, 2, 3, 4, 5])
    let (report, output) = try repaired(bytes)
    #expect(report.method == .index && !report.wasWhole && report.assumptions.isEmpty)
    let saved = try WholeMovie(output)
    for (track, found) in zip(whole.movie.tracks, saved.movie.tracks) {
      #expect(try saved.payloads(found) == whole.payloads(track))
    }
  }

  @Test("an index whose media is another movie's is not believed", .needs(.ffmpeg))
  func foreign() throws {
    let whole = try Self.made([])
    var noise = Noise(seed: 5)
    let index = try #require(try whole.boxes("moov").first)
    let bytes = noise.bytes(Int(index.offset) - 4000) + whole.bytes[Int(index.offset)..<Int(index.end)]
    #expect(throws: RepairError.self) { try repaired(bytes) }
  }

  @Test("fragments without a movie header are saved with a pattern's, with all their times", .needs(.ffmpeg))
  func fragments() throws {
    let options = ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]
    let whole = try Self.made(options)
    let fragments = try whole.boxes("moof")
    var repair = MovieRepair.Options()
    repair.pattern = try Self.made(["-t", "3"] + options).movie
    for (skipped, cut) in [(0, fragments[0].offset), (3, fragments[2].offset + 77)] {
      let (report, bytes) = try repaired(Array(whole.bytes.dropFirst(Int(cut))), repair)
      #expect(report.method == .index && !report.wasWhole)
      let saved = try WholeMovie(bytes)
      for (track, found) in zip(whole.movie.tracks, saved.movie.tracks) {
        let left = try whole.places(track).firstIndex { $0.lowerBound >= Int(fragments[skipped].offset) }
        let first = try #require(left)
        #expect(try saved.payloads(found) == Array(whole.payloads(track)[first...]))
        let durations = try Self.records(saved.movie, found).map(\.duration)
        #expect(try durations == Self.records(whole.movie, track)[first...].map(\.duration))
      }
    }
  }
}
