import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// What becomes of work whose task is cancelled.
@Suite(.inTurn)
struct CancellationTests {
  private let folder: TemporaryFolder
  private let song: String

  init() throws {
    folder = try TemporaryFolder()
    song = folder.path("song.m4a")
    let writer = try RecordingWriter(path: song, format: AudioFormat())
    try writer.append(
      PCMBuffer([Int16](repeating: 0, count: 300_000), sampleRate: 44_100, layout: .stereo))
    try writer.finish()
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() }
  }

  /// Does something in a task that was cancelled before.
  private func cancelled(_ body: @escaping @Sendable () throws -> Void) async -> (any Error)? {
    await Task.detached { () -> (any Error)? in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do {
        try body()
        return nil
      } catch {
        return error
      }
    }.value
  }

  private func expectCancelled(_ error: (any Error)?, _ location: SourceLocation = #_sourceLocation) {
    #expect(
      sourceCode(error) == .cancelled, "\(String(describing: error))", sourceLocation: location)
  }

  private func sourceCode(_ error: (any Error)?) -> SourceError.Code? {
    switch error {
    case let error as MP4Error:
      if case .source(let source) = error.code { source.code } else { nil }
    case let error as AACError:
      if case .source(let source) = error.code { source.code } else { nil }
    case AudioDecodingError.movie(let error)?: sourceCode(error)
    case AudioDecodingError.aac(let error)?: sourceCode(error)
    default: nil
    }
  }

  @Test("opening, remuxing in every layout and moving an index stop, and leave nothing behind")
  func movies() async throws {
    let song = song
    let movie = try MP4Demuxer(path: song)
    expectCancelled(await cancelled { _ = try MP4Demuxer(path: song) })
    for layout in [MovieLayout.fastStart, .moovLast, .fragmented] {
      for recover in [false, true] {
        var options = Remuxer.Options()
        (options.layout, options.recover) = (layout, recover)
        let (path, chosen) = (folder.path("out.mp4"), options)
        expectCancelled(await cancelled { try Remuxer(from: movie, to: path, options: chosen).run() })
      }
    }
    let last = folder.path("last.mp4")
    var options = Remuxer.Options()
    options.layout = .moovLast
    try Remuxer(from: movie, to: last, options: options).run()
    let before = FileManager.default.contents(atPath: last)
    expectCancelled(await cancelled { try FastStart(path: last).run() })
    #expect(FileManager.default.contents(atPath: last) == before)
    #expect(try files == ["last.mp4", "song.m4a"])
  }

  @Test("a remux that is cancelled half way stops at the next stretch, and leaves nothing behind")
  func halfWay() async throws {
    // More than is copied in one stretch.
    let description = SampleDescription.aac(audioSpecificConfig: [0x12, 0x10], sampleRate: 44_100, channels: 2)
    let muxer = try MP4Muxer(
      path: folder.path("long.m4a"), tracks: [MuxerTrack(audio: description, timescale: 44_100, id: 1)])
    let packet = MediaData.bytes([UInt8](repeating: 7, count: 1 << 20)[...])
    for number in 0..<70 {
      let timing = SampleTiming(
        decodeTime: Int64(number) * 1024, presentationTime: Int64(number) * 1024, duration: 1024, timescale: 44_100)
      try muxer.append(EncodedSample(trackID: 1, timing: timing, isSync: true, payload: packet))
    }
    try muxer.finish()
    let movie = try MP4Demuxer(path: folder.path("long.m4a"))
    let path = folder.path("out.mp4")
    let error = await Task.detached { () -> (any Error)? in
      do {
        try Remuxer(from: movie, to: path).run { _, _ in
          unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        }
        return nil
      } catch {
        return error
      }
    }.value
    expectCancelled(error)
    #expect(try files == ["long.m4a", "song.m4a"])
  }

  @Test("seeking, decoding and extracting stop, and go on when nobody has cancelled them")
  func tracks() async throws {
    let movie = try MP4Demuxer(path: song)
    let track = try #require(movie.audioTrack)
    let out = folder.path("out.aac")
    expectCancelled(
      await cancelled {
        var samples = movie.samples(of: track)
        _ = try samples.seek(to: MediaTime(value: 1, timescale: 1))
      })
    expectCancelled(
      await cancelled {
        var samples = movie.samples(of: track)
        while try samples.next() != nil {}
      })
    expectCancelled(await cancelled { _ = try AudioTrackDecoder(movie, track: track) })
    let packets = try read(movie, track)
    expectCancelled(
      await cancelled {
        var writer = try ADTSWriter(path: out, track: track)
        for packet in packets { try writer.append(packet) }
        try writer.finish()
      })
    #expect(try files == ["song.m4a"])
    var samples = movie.samples(of: track)
    let error = await Task.detached { () -> (any Error)? in
      var samples = movie.samples(of: track)
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      do {
        _ = try samples.next()
        return nil
      } catch {
        return error
      }
    }.value
    expectCancelled(error)
    #expect(try samples.next() != nil)
  }

  private func read(_ movie: MP4Demuxer, _ track: Track) throws -> [EncodedSample] {
    var (packets, samples) = ([EncodedSample](), movie.samples(of: track))
    while let packet = try samples.next() { packets.append(packet) }
    return packets
  }

  @Test(
    "encoding a long buffer stops; a short one is encoded to its end, as it may be the last of a recording"
  )
  func encoding() async throws {
    let buffer = PCMBuffer(
      [Int16](repeating: 0, count: 80 * 1024), sampleRate: 44_100, layout: .mono)
    let error = await cancelled {
      var encoder = try AACEncoder(format: buffer.format)
      // The first packet is coded when 2048 frames are there, each other one with 1024 more.
      #expect(try encoder.encode(buffer.prefix(60 * 1024)).count == 59)
      _ = try encoder.encode(buffer)
    }
    #expect((error as? AACError)?.code == .cancelled)
  }

  @Test(
    "a recording that is stopped in a cancelled task is finished all the same, with all that was appended"
  )
  func recording() async throws {
    let path = folder.path("voice.m4a")
    let buffer = PCMBuffer(
      [Int16](repeating: 0, count: 200 * 1024), sampleRate: 44_100, layout: .mono)
    let error = await cancelled {
      let writer = try RecordingWriter(path: path, format: buffer.format)
      try writer.append(buffer)
      try writer.finish()
    }
    #expect(error == nil)
    #expect(try MP4Demuxer(path: path).duration == MediaTime(value: 200 * 1024, timescale: 44_100))
    #expect(try files == ["song.m4a", "voice.m4a"])
  }

  @Test("what is shielded is done to its end, and outside of tasks nothing is ever cancelled")
  func shield() async {
    let seen = await Task.detached {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return (
        Cancellation.isRequested, Cancellation.shielded { Cancellation.isRequested },
        Cancellation.isRequested
      )
    }.value
    #expect(seen == (true, false, true))
  }
}
