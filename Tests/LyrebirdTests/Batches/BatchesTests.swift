import Foundation
import TestSupport
import Testing

@testable import Lyrebird

/// Sequences for asynchronous code.
@Suite(.inTurn)
struct BatchesTests {
  private let folder: TemporaryFolder
  private let movie: MP4Demuxer
  private let track: Track

  init() throws {
    folder = try TemporaryFolder()
    let song = folder.path("song.m4a")
    let writer = try RecordingWriter(path: song, format: AudioFormat(layout: .mono))
    let samples = (0..<60_000).map { Int16(truncatingIfNeeded: $0 * 31 % 2000) }
    try writer.append(PCMBuffer(samples, sampleRate: 44_100, layout: .mono))
    try writer.finish()
    movie = try MP4Demuxer(path: song)
    track = try #require(movie.audioTrack)
  }

  @Test("batches of packets are all packets, in order, so many at a time")
  func packets() async throws {
    var (times, counts): ([Int64], [Int]) = ([], [])
    for try await batch in movie.batches(of: track, upTo: 16) {
      times += batch.map(\.timing.decodeTime)
      counts.append(batch.count)
    }
    var (expected, samples) = ([Int64](), movie.samples(of: track))
    while let sample = try samples.next() { expected.append(sample.timing.decodeTime) }
    #expect(times == expected && times.count == 60)
    #expect(counts == [16, 16, 16, 12])
  }

  @Test("an error comes after the packets before it")
  func damagedPackets() async throws {
    // The file ends in the middle of the media: some packets are whole.
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("song.m4a")))
    var samples = movie.samples(of: track)
    var record: SampleRecord?
    for _ in 0..<21 { record = try samples.nextRecord() }
    let path = folder.path("cut.m4a")
    try bytes.prefix(Int(try #require(record).offset)).write(to: URL(fileURLWithPath: path))
    let cut = try MP4Demuxer(path: path)
    var batches = cut.batches(of: try #require(cut.audioTrack), upTo: 16).makeAsyncIterator()
    #expect(try await batches.next()?.count == 16)
    #expect(try await batches.next()?.count == 4)
    for _ in 0..<2 {
      await #expect(throws: MP4Error.self) { _ = try await batches.next() }
    }
  }

  @Test("blocks of sound are what the reader gives, so many frames at a time")
  func pcm() async throws {
    var (samples, counts): ([Float], [Int]) = ([], [])
    for try await sound in try AudioReader(movie, track: track).blocks(frames: 25_000) {
      #expect(sound.timing.presentationTime == Int64(samples.count))
      samples += sound.payload.floats
      counts.append(sound.payload.frameCount)
    }
    let decoder = try AudioTrackDecoder(movie, track: track)
    var expected: [Float] = []
    while let sound = try decoder.next() { expected += sound.payload.floats }
    #expect(samples == expected && samples.count == 60_000)
    #expect(counts == [25_000, 25_000, 10_000])
  }

  @Test("a block of more frames than can be counted is all there is")
  func endlessBatch() async throws {
    let reader = try AudioReader(movie, track: track)
    let count = try #require(reader.frameCount)
    var counts: [Int] = []
    for try await sound in reader.blocks(frames: .max) { counts.append(sound.payload.frameCount) }
    #expect(counts == [Int(count)])
  }

  @Test(
    "batches of captured sound are all of it, what has come together at once, and end when capture does"
  )
  func captured() async throws {
    let clock = ManualClock()
    let capture = try AudioCapture(
      device: DeviceName("tone:440"), format: AudioFormat(sampleRate: 8000), clock: clock)
    try capture.start()
    clock.advance(by: .seconds(1))
    var batches = capture.batches(every: .milliseconds(1)).makeAsyncIterator()
    let first = try #require(try await batches.next())
    #expect(first.count == 40 && first.map(\.payload.frameCount).reduce(0, +) == 8000)
    let later = Task { [batches] in
      var batches = batches
      return try await batches.next()
    }
    clock.advance(by: .milliseconds(25))
    #expect(try await later.value?.first?.timing.presentationTime == 8000)
    capture.stop()
    #expect(try await batches.next() == nil)
  }

  @Test("sequences throw when their task is cancelled, and what they read from can be used on")
  func cancelled() async throws {
    let (movie, track) = (movie, track)
    let capture = try AudioCapture(device: DeviceName("tone:440"), clock: ManualClock())
    try capture.start()
    let work: [@Sendable () async throws -> Void] = [
      { for try await _ in movie.batches(of: track) {} },
      { for try await _ in capture.batches() {} },
    ]
    for body in work {
      let task = Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await body()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    guard case .nothingYet = try capture.next(within: .zero) else {
      return #expect(Bool(false), "it captures on")
    }
  }
}
