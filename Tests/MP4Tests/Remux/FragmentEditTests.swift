import Foundation
import ISOBMFF
@testable import MP4
import MediaCore
import TestSupport
import Testing

/// Edit lists of movies in fragments: what they mean, and what becomes of them in a progressive movie.
@Suite(.inTurn)
struct FragmentEditTests {
  /// A track to be made: samples of 100 ticks of 1/1000 s, in one fragment.
  private struct Stream {
    var time: UInt64
    var edits: [MadeTrack.Edit]?
    /// Composition offsets, one a sample.
    var offsets: [Int32] = [0, 0, 0]
  }

  private static func movie(_ streams: [Stream], timescale: UInt32 = 1000, header: Bool = true) -> [UInt8] {
    let tracks = streams.enumerated().map { index, stream in
      var track = MadeTrack(id: UInt32(index + 1))
      track.edits = stream.edits
      return track
    }
    var moov = MovieMaker.moov(tracks, timescale: timescale, defaults: tracks.map { .init($0.id, duration: 100) })
    // The movie header's type follows the size and type of `moov` and its own size.
    if !header { moov[13] = 1 }
    var bytes = MovieMaker.fileType + moov
    for (index, stream) in streams.enumerated() {
      let samples = stream.offsets.map { MadeRun.Sample(size: 4, offset: $0) }
      func moof(_ offset: Int32) -> [UInt8] {
        let run = MadeRun(dataOffset: offset, fields: 0xA00, samples: samples)
        var fragment = MadeFragment(id: UInt32(index + 1), time: stream.time, runs: [run])
        fragment.isBaseMoof = true
        return MadeFragment.moof([fragment])
      }
      bytes += moof(Int32(moof(0).count + 8)) + Plain.box("mdat", [UInt8](repeating: 7, count: 4 * samples.count))
    }
    return bytes
  }

  /// The edits of each track once the movie is progressive: length in ms, and media time or -1.
  private func edits(_ streams: [Stream]) throws -> [[[Int64]]] {
    let folder = try TemporaryFolder()
    let path = folder.path("out.mp4")
    try Remuxer(from: try opened(Self.movie(streams)), to: path).run()
    return try MP4Demuxer(path: path).tracks.map { track in
      track.edits.map { [$0.duration.value, $0.mediaTime?.value ?? -1] }
    }
  }

  @Test("an open edit of fragments lasts until the picture shown last ends, not for the sum of durations")
  func openEditsEndWithTheLastPicture() throws {
    // Decoded at 0, 100, 200, 300; shown at 200, 500, 300, 400: the second ends last, at 600.
    let stream = Stream(time: 0, edits: [.init(0, 200)], offsets: [200, 400, 100, 100])
    let track = try opened(Self.movie([stream])).tracks[0]
    #expect(track.duration == MediaTime(value: 400, timescale: 1000))
    #expect(track.mediaDuration == MediaTime(value: 400, timescale: 1000))
    #expect(try edits([stream]) == [[[400, 200]]])
  }

  @Test("an open edit is measured on the timeline of its fragments, which may begin late")
  func openEditsOfLateFragments() throws {
    let stream = Stream(time: 5000, edits: [.init(0, 5100)])
    #expect(try opened(Self.movie([stream])).tracks[0].duration == MediaTime(value: 200, timescale: 1000))
    #expect(try edits([stream]) == [[[200, 100]]])
  }

  @Test("tracks of a stream that is joined late keep their distance, which their edits say too")
  func lateTracksKeepTheirDistance() throws {
    // The first picture is decoded at 10 000 and shown at 10 200, less 200 of the edit: at 10 000. The sound begins at
    // 10 030. What all leave out is what comes before the earliest sample's turn, at 9800.
    let pictures = Stream(time: 10_000, edits: [.init(0, 200)], offsets: [200, 200, 200])
    let sound = Stream(time: 10_030)
    #expect(try edits([pictures, sound]) == [[[500, 0]], [[230, -1], [300, 0]]])
  }

  @Test("a delay that an empty edit says, and one that the first fragment's time says, add up")
  func delaysAddUp() throws {
    let late = Stream(time: 50, edits: [.init(300, -1), .init(0, 20)])
    #expect(try edits([Stream(time: 0), late]) == [[], [[330, -1], [300, 0]]])
  }

  @Test("an edit that begins before the samples do shows nothing until then, and ends when it did")
  func editsThatBeginEarly() throws {
    let early = Stream(time: 100, edits: [.init(250, 40)])
    #expect(try edits([Stream(time: 0), early]) == [[], [[60, -1], [190, 0]]])
    // One that ends before the samples begin shows nothing at all.
    let gone = Stream(time: 100, edits: [.init(30, 40), .init(0, 100)])
    #expect(try edits([Stream(time: 0), gone]) == [[], [[30, -1], [300, 0]]])
  }

  /// When each sample of each track is shown once the movie is progressive, edits not applied.
  private func shown(_ streams: [Stream]) throws -> [[Int64]] {
    let folder = try TemporaryFolder()
    let path = folder.path("out.mp4")
    try Remuxer(from: try opened(Self.movie(streams)), to: path).run()
    let movie = try MP4Demuxer(path: path)
    return try movie.tracks.map { track in
      var samples = movie.samples(of: track)
      var times: [Int64] = []
      while let sample = try samples.nextRecord() { times.append(sample.presentationTime) }
      return times
    }
  }

  @Test("a track that its edits hide stays hidden: without a list, as long a lead as the edit made all of it be shown")
  func hiddenTracksStayHidden() throws {
    let hidden = Stream(time: 5000, edits: [.init(400, 100)])
    #expect(try edits([Stream(time: 400), hidden]) == [[], [[400, -1]]])
    #expect(try edits([hidden, Stream(time: 9000)]) == [[[400, -1]], []])
  }

  @Test(
    "fragments from the middle of a stream are shown, though the edits of its beginning hide them all, and it is told")
  func hiddenMoviesAreShown() throws {
    let streams = [
      Stream(time: 50_000, edits: [.init(4000, 100)]), Stream(time: 50_040, edits: [.init(300, -1), .init(4000, 0)]),
    ]
    #expect(try edits(streams) == [[], [[40, -1], [300, 0]]])
    let folder = try TemporaryFolder()
    let summary = try Remuxer(from: try opened(Self.movie(streams)), to: folder.path("out.mp4")).run()
    #expect(summary.retimed.map(\.shownAtAnotherTime) == [3, 3])
  }

  @Test("a track that begins before 0, which no edit can name, keeps its distance to the others, which begin later")
  func tracksBeforeZeroKeepTheirDistance() throws {
    let early = Stream(time: UInt64(bitPattern: -100))
    #expect(try edits([early, Stream(time: 0)]) == [[], [[100, -1], [300, 0]]])
    #expect(try edits([Stream(time: 20, edits: [.init(0, 0)]), early]) == [[[120, -1], [300, 0]], []])
    // One whose list begins at 0 hides what is before.
    let hidden = Stream(time: UInt64(bitPattern: -100), edits: [.init(0, 0)])
    #expect(try edits([hidden, Stream(time: 0)]) == [[[200, 100]], []])
  }

  @Test(
    "a delay that coarse ticks round by more than a hundredth of a second is told, however long it is",
    arguments: [1, 9_000_000_000_000_000] as [UInt64])
  func longDelaysInCoarseTicks(seconds: UInt64) throws {
    // Of ten ticks a second, the nearest is 40 ms away. Of shorter ones the first track's edit would take too many.
    let streams = [Stream(time: 0, edits: [.init(1 << 62, 0)]), Stream(time: seconds * 1000 + 40)]
    let folder = try TemporaryFolder()
    let movie = try opened(Self.movie(streams, timescale: 10))
    let retimed = try Remuxer(from: movie, to: folder.path("out.mp4")).run().retimed
    #expect(retimed.map(\.trackID) == [2])
    #expect(retimed.map(\.shownAtAnotherTime) == [3])
  }

  @Test("pictures that are shown before the first one is decoded are not cut off by the edit that delays their track")
  func earlyPicturesStayVisible() throws {
    let pictures = Stream(time: 1000, offsets: [50, -200, -50])
    // Shown at 1050, 900 and 1150.
    #expect(try edits([pictures, Stream(time: 0)]) == [[[900, -1], [350, 0]], []])
    #expect(try shown([pictures, Stream(time: 0)]) == [[150, 0, 250], [0, 100, 200]])
    let edited = Stream(time: 1000, edits: [.init(0, 950)], offsets: [50, -200, -50])
    #expect(try edits([edited]) == [[[300, 50]]])
    // Without others, or beside one that begins as early, nothing has to change, nor if a list cut it off before.
    #expect(try shown([pictures]) == [[50, -100, 150]])
    #expect(try shown([pictures, Stream(time: 1000)]) == [[50, -100, 150], [0, 100, 200]])
    let cut = Stream(time: 0, edits: [.init(960, -1), .init(0, 0)], offsets: [50, -200, -50])
    #expect(try shown([cut]) == [[50, -100, 150]])
    #expect(try edits([cut]) == [[[960, -1], [250, 0]]])
  }

  @Test("tracks that are further apart than ticks of the movie can say are told to be shown at other times")
  func tracksTooFarApartAreTold() throws {
    let streams = [Stream(time: 0), Stream(time: 1 << 62)]
    let near = try opened(Self.movie(streams))
    let far = try opened(Self.movie(streams, timescale: 90_000))
    let folder = try TemporaryFolder()
    #expect(try Remuxer(from: near, to: folder.path("near.mp4")).run().retimed == [])
    let retimed = try Remuxer(from: far, to: folder.path("far.mp4")).run().retimed
    #expect(retimed.map(\.trackID) == [2])
    #expect(retimed.map(\.shownAtAnotherTime) == [3])
    #expect(retimed.map(\.decodedAtAnotherTime) == [0])
  }

  @Test("tracks less than a tick of the movie apart stay so, where a tick is long: the movie is given shorter ones")
  func longTicksBecomeShorter() throws {
    let streams = [Stream(time: 0, edits: [.init(2, -1), .init(0, 0)]), Stream(time: 300)]
    let folder = try TemporaryFolder()
    try Remuxer(from: try opened(Self.movie(streams, timescale: 1)), to: folder.path("out.mp4")).run()
    let movie = try MP4Demuxer(path: folder.path("out.mp4"))
    #expect(movie.tracks[0].edits.map(\.duration.seconds) == [2, 0.3])
    #expect(movie.tracks[1].edits.map(\.duration.seconds) == [0.3, 0.3])
    #expect(movie.duration == MediaTime(value: 2300, timescale: 1000))
    // Of shorter ticks this edit would take too many.
    let endless = [Stream(time: 0, edits: [.init(1 << 62, 0)]), Stream(time: 300)]
    let retimed = try Remuxer(from: try opened(Self.movie(endless, timescale: 1)), to: folder.path("far.mp4")).run()
      .retimed
    #expect(retimed.map(\.trackID) == [2])
    #expect(retimed.map(\.shownAtAnotherTime) == [3])
  }

  @Test("tracks at the two ends of time are remuxed without a crash")
  func tracksFarApart() throws {
    let ends: [UInt64] = [0, 1 << 62, UInt64(Int64.max) - 1000, UInt64(bitPattern: .min), UInt64(bitPattern: -5)]
    for first in ends {
      for second in ends {
        for edit in [nil, [MadeTrack.Edit(0, .max)], [.init(.max, -1), .init(0, 0)]] {
          let movie = try opened(Self.movie([Stream(time: first, edits: edit), Stream(time: second)]))
          for layout in [MovieLayout.fastStart, .fragmented] {
            let folder = try TemporaryFolder()
            var options = Remuxer.Options()
            options.layout = layout
            try Remuxer(from: movie, to: folder.path("out.mp4"), options: options).run()
          }
        }
      }
    }
  }

  @Test("a movie without a movie header gets one, without which an edit list counts in no ticks at all")
  func addsAMovieHeader() throws {
    let movie = try opened(Self.movie([Stream(time: 0, edits: [.init(0, 100)])], header: false))
    #expect(movie.moov.first("mvhd") == nil)
    let folder = try TemporaryFolder()
    try Remuxer(from: movie, to: folder.path("out.mp4")).run()
    let made = try MP4Demuxer(path: folder.path("out.mp4"))
    #expect(made.moov.first("mvhd") != nil)
    // At least the 200 ticks of 1/1000 s that are left, in whatever ticks.
    #expect(made.tracks[0].duration >= MediaTime(value: 200, timescale: 1000))
  }

  @Test(
    "pictures out of order that ffmpeg wrote in fragments are all decoded again once they are progressive",
    .needs(.ffmpeg, .ffprobe))
  func losesNoPicture() throws {
    let folder = try TemporaryFolder()
    try MadeMedia.make([
      "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25", "-t", "1", "-c:v", "mpeg4", "-bf", "2", "-g", "12",
      "-movflags", "frag_keyframe+delay_moov", folder.path("in.mp4"),
    ])
    let movie = try MP4Demuxer(path: folder.path("in.mp4"))
    #expect(movie.tracks[0].edits.map(\.duration.value) == [0])
    #expect(movie.tracks[0].duration == MediaTime(value: 1, timescale: 1))
    try Remuxer(from: movie, to: folder.path("out.mp4")).run()
    let probed = try Tool.ffprobe.run([
      "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0",
      folder.path("out.mp4"),
    ])
    #expect(String(decoding: probed.output, as: UTF8.self).trimmingCharacters(in: .newlines) == "25")
    #expect(probed.errors.isEmpty)
  }

  @Test(
    "a rate that 16.16 fixed point cannot hold becomes the nearest that it can",
    arguments: [
      (Double.infinity, Int32.max), (-.infinity, .min), (1e300, .max), (-1e300, .min), (.nan, 0x10000), (0.5, 0x8000),
      (32768, .max), (-32768, .min),
    ])
  func holdsAnyRate(rate: Double, fixed: Int32) {
    var trak = BoxNode("trak")
    let second = MediaTime(value: 1, timescale: 1)
    trak.setEdits([Edit(duration: second, mediaTime: .zero, rate: rate)])
    #expect(trak.first("edts")?.child("elst", as: EditListBox.self)?.edits.map(\.mediaRate) == [fixed])
  }
}
