import Lyrebird
import TestSupport
import Testing

/// A decoder whose packets are as long as their first byte says, and are full of that byte.
private final class LengthDecoder: AudioDecoder {
  let format = AudioFormat(sampleRate: 1000, sampleFormat: .float32, channels: 1)
  let maximumFrames = 256
  let preRoll = 3
  private var length = 0

  func decodePacket(_ bytes: RawSpan) -> DecodedPacket {
    length = unsafe Int(bytes.unsafeLoad(fromByteOffset: 0, as: UInt8.self))
    return DecodedPacket(frames: length)
  }

  func copy(_ frames: Range<Int>, to samples: inout MutableSpan<Float>) {
    for index in 0..<frames.count { samples[index] = Float(length) }
  }
}

/// Movies whose edit lists are long: each edit seeks.
@Suite(.inTurn) struct ManyEditsTests {
  private static let decoders = AudioDecoders().adding("Length") { _ in LengthDecoder() }

  /// A track of packets of these lengths in frames, at 1000 Hz, in the order of the file.
  private func track(lengths: [UInt8], sizes: [UInt32], edits: [MadeTrack.Edit]) -> MadeTrack {
    var track = MadeTrack(samples: sizes, at: MovieMaker.mediaStart)
    (track.handler, track.edits) = ("soun", edits)
    track.entries = [MadeEntry.audio("test", channels: 1, rate: 1000)]
    var times: [MadeTrack.Times] = []
    for length in lengths {
      if times.last?.delta != UInt32(length) { times.append(.init(0, UInt32(length))) }
      times[times.count - 1].count += 1
    }
    track.times = times
    return track
  }

  private func reader(_ track: MadeTrack, media: [UInt8]) throws -> AudioReader {
    let movie = try MP4Demuxer(source: MemorySource(MovieMaker.progressive([track], media: media, timescale: 1000)))
    return try AudioReader(movie, track: try #require(movie.audioTrack), decoders: Self.decoders)
  }

  @Test(
    "of packets of unequal lengths each frame is found, forward, backward and by 8000 edits", .timeLimit(.minutes(1)))
  func unequalPackets() throws {
    var random = SystemRandomNumberGenerator()
    // In runs, as the table of durations is searched for each edit, too.
    let lengths = (0..<100).flatMap { _ in [UInt8](repeating: .random(in: 1...12, using: &random), count: 300) }
    let frames = lengths.flatMap { [UInt8](repeating: $0, count: Int($0)) }
    let starts = (0..<8000).map { _ in Int.random(in: 0..<frames.count, using: &random) }
    let made = track(
      lengths: lengths, sizes: lengths.map { _ in 1 }, edits: starts.map { .init(1, Int64($0)) })
    let edited = try reader(made, media: lengths)
    var heard: [Float] = []
    while let sound = try edited.next() { heard += sound.payload.floats }
    #expect(heard == starts.map { Float(frames[$0]) })

    let whole = try reader(track(lengths: lengths, sizes: lengths.map { _ in 1 }, edits: []), media: lengths)
    for start in starts.prefix(500) + [frames.count - 1, 0] {
      try whole.seek(to: Int64(start))
      #expect(try whole.next(frames: 1)?.payload.floats == [Float(frames[start])], "\(start)")
    }
  }

  @Test("edits that repeat a large packet are refused before they have taken hours; a loop is not")
  func repeatedPackets() throws {
    let large = [UInt8](repeating: 10, count: 6_000_000)
    let lengths = [UInt8](repeating: 10, count: 2)
    var made = track(
      lengths: lengths, sizes: [6_000_000, 6_000_000], edits: (0..<60).map { .init(1, $0 % 2 * 10) })
    made.chunks = [.init(1, 1)]
    made.places = [MovieMaker.mediaStart, MovieMaker.mediaStart]
    let hostile = try reader(made, media: large)
    let error = #expect(throws: AudioDecodingError.self) { while try hostile.next() != nil {} }
    guard case .movie(let cause) = error, case .overlappingSamples = cause.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    // Whoever seeks may read again.
    try hostile.seek(to: 0)
    #expect(try hostile.next(frames: 4)?.payload.floats == [10, 10, 10, 10])

    let loop = try reader(
      track(lengths: lengths, sizes: [2000, 2000], edits: (0..<12_000).map { _ in .init(20, 0) }),
      media: Array(large.prefix(4000)))
    var count = 0
    while let sound = try loop.next() { count += sound.payload.frameCount }
    #expect(count == 240_000)
  }
}
