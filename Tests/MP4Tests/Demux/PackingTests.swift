import MP4
import MediaCore
import TestSupport
import Testing

/// Sound of constant rate: QuickTime counts frames as samples, and we deliver pieces of chunks.
@Suite(.inTurn) struct PackingTests {
  /// A way of packing, and by the QuickTime File Format's rules what frames take.
  struct Layout: Sendable, CustomTestStringConvertible {
    let name: String
    let entry: [UInt8]
    /// What `stsz` says.
    let size: UInt32
    /// So many frames…
    let frames: Int
    /// …take so many bytes.
    let bytes: Int
    var testDescription: String { name }
  }

  static let layouts = [
    // Version 0: either a frame's real size, or 1, and the entry says the rest.
    Layout(name: "sowt 16 bit stereo", entry: MadeEntry.audio("sowt"), size: 4, frames: 1, bytes: 4),
    Layout(name: "twos 16 bit stereo, sizes of 1", entry: MadeEntry.audio("twos"), size: 1, frames: 1, bytes: 4),
    Layout(
      name: "raw 8 bit mono, sizes of 1", entry: MadeEntry.audio("raw ", channels: 1, bits: 8), size: 1, frames: 1,
      bytes: 1),
    Layout(
      name: "in24 of six channels, sizes of 1", entry: MadeEntry.audio("in24", channels: 6, bits: 24), size: 1,
      frames: 1, bytes: 18),
    // Version 1: the frame's size is a field of its own; ADPCM has several samples in a packet.
    Layout(
      name: "twos, version 1",
      entry: MadeEntry.audio1(
        "twos", channels: 2, samplesPerPacket: 1, bytesPerPacket: 2, bytesPerFrame: 4, bytesPerSample: 2),
      size: 1, frames: 1, bytes: 4),
    Layout(
      name: "ima4 stereo, version 1",
      entry: MadeEntry.audio1(
        "ima4", channels: 2, samplesPerPacket: 64, bytesPerPacket: 34, bytesPerFrame: 68, bytesPerSample: 2),
      size: 1, frames: 64, bytes: 68),
    // Version 2: a packet's size in bytes.
    Layout(
      name: "lpcm float, version 2",
      entry: MadeEntry.audio2(
        "lpcm", rate: 96000, channels: 2, bits: 32, flags: 1, bytesPerPacket: 8, framesPerPacket: 1),
      size: 8, frames: 1, bytes: 8),
    Layout(
      name: "lpcm 24 bit, version 2, sizes of 1",
      entry: MadeEntry.audio2(
        "lpcm", rate: 48000, channels: 2, bits: 24, flags: 12, bytesPerPacket: 6, framesPerPacket: 1),
      size: 1, frames: 1, bytes: 6),
  ]

  private static let media: [UInt8] = {
    var noise = Noise(seed: 77)
    return noise.bytes(600_000)
  }()

  /// Chunks of 640, 640 and 64 frames, then one long enough to be delivered in pieces.
  private func track(_ layout: Layout) -> (track: MadeTrack, chunks: [(place: Int, frames: Int)]) {
    let long = 200_000 / layout.bytes * layout.frames / 64 * 64
    let chunks = [(100, 640), (50_000, 640), (20_000, 64), (70_000, long)]
    var track = MadeTrack()
    track.handler = "soun"
    track.entries = [layout.entry]
    track.timescale = 48000
    track.sizes = .constant(layout.size, count: UInt32(chunks.reduce(0) { $0 + $1.1 }))
    track.times = [.init(.max, 1)]
    track.chunks = [.init(1, 640), .init(3, 64), .init(4, UInt32(long))]
    track.places = chunks.map { MovieMaker.mediaStart + UInt64($0.0) }
    return (track, chunks.map { (place: $0.0, frames: $0.1) })
  }

  @Test(
    "the bytes of all chunks come in order, whole packets at a time, each as long as its frames", arguments: layouts)
  func deliversChunks(layout: Layout) throws {
    let (made, chunks) = track(layout)
    let movie = try opened(MovieMaker.progressive([made], media: Self.media))
    var reader = movie.samples(of: movie.tracks[0])
    var payload: [UInt8] = []
    var time: Int64 = 0
    while let sample = try reader.next() {
      #expect(sample.timing.decodeTime == time)
      #expect(sample.timing.presentationTime == time)
      #expect(sample.isSync)
      #expect(sample.payload.count % layout.bytes == 0)
      #expect(sample.payload.count <= 64 << 10)
      #expect(Int(sample.timing.duration) == sample.payload.count / layout.bytes * layout.frames)
      time += sample.timing.duration
      payload += try sample.payload.load()
    }
    let expected = chunks.flatMap { chunk in
      Self.media[chunk.place..<(chunk.place + chunk.frames / layout.frames * layout.bytes)]
    }
    #expect(payload == expected)
    #expect(Int(time) == chunks.reduce(0) { $0 + $1.frames })
    #expect(try movie.byteCount(of: movie.tracks[0]) == UInt64(expected.count))
  }

  @Test("seeking to a frame goes to the piece that holds it, and what follows is the same", arguments: layouts)
  func seeksToPieces(layout: Layout) throws {
    let movie = try opened(MovieMaker.progressive([track(layout).track], media: Self.media))
    let all = Delivery(movie.samples(of: movie.tracks[0])).records
    var noise = Noise(seed: 78)
    var reader = movie.samples(of: movie.tracks[0])
    for _ in 0..<30 {
      let frame = UInt64.random(in: 0..<movie.tracks[0].sampleCount, using: &noise)
      let index = try #require(all.lastIndex { $0.number <= frame })
      try reader.seek(toSample: frame)
      #expect(Delivery(reader).records == Array(all[index...]))
      let target = try reader.seek(to: MediaTime(value: Int64(frame), timescale: 48000))
      #expect(target == all[index].number)
      #expect(try reader.nextRecord() == all[index])
    }
  }

  @Test("samples of one size that are packets, or that are no sound, come one by one")
  func leavesPacketsAlone() throws {
    var packets = MadeTrack()
    packets.handler = "soun"
    packets.entries = [MadeEntry.audio("mp4a")]
    packets.sizes = .constant(200, count: 5)
    packets.times = [.init(5, 1024)]
    packets.chunks = [.init(1, 5)]
    packets.places = [100]
    var pictures = packets
    pictures.id = 2
    pictures.handler = "vide"
    pictures.entries = [MadeEntry.video("raw ")]
    let movie = try opened(MovieMaker.progressive([packets, pictures], media: Self.media))
    for track in movie.tracks {
      let found = Delivery(movie.samples(of: track))
      #expect(found.records.map(\.size) == [200, 200, 200, 200, 200])
      #expect(found.records.map(\.duration) == [1024, 1024, 1024, 1024, 1024])
    }
  }

  @Test("PCM of different sizes is delivered sample by sample, as its table of sizes says")
  func followsTableOfSizes() throws {
    var made = MadeTrack(samples: [400, 800, 120], at: 100)
    made.handler = "soun"
    made.entries = [MadeEntry.audio("sowt")]
    let found = try delivery(MovieMaker.progressive([made], media: Self.media))
    #expect(found.records.map(\.size) == [400, 800, 120])
  }

  @Test("a packet that is cut by the end of a chunk loses its rest, as other readers do")
  func dropsPartialPackets() throws {
    let layout = Self.layouts[5]
    var made = track(layout).track
    made.sizes = .constant(1, count: 200)
    made.chunks = [.init(1, 100)]
    let found = try delivery(MovieMaker.progressive([made], media: Self.media))
    #expect(found.records.map(\.size) == [68, 68])
    #expect(found.records.map(\.duration) == [100, 100])
    #expect(found.error == nil)
  }
}
